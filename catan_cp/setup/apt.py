"""Debian packages fetched with apt's own tools into folders of ours; the system's state stays untouched.

The mirror, the proxies and the keys are those that the machine's apt already uses; apt checks the signatures.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from urllib.parse import unquote

from catan_cp import processes
from catan_cp.errors import CatanError, listed

RELEASE = "trixie"
"""Debian 13: the first release that packages MiniZinc, Gecode and Chuffed together."""

_DEBIAN_RELEASES = frozenset(
    {"oldoldstable", "oldstable", "stable", "testing", "unstable", "sid"}
    | {"buster", "bullseye", "bookworm", "trixie", "forky", "duke"}
)
_KEYRINGS = (
    Path("/usr/share/keyrings/debian-archive-keyring.gpg"),
    Path("/usr/share/keyrings/debian-archive-keyring.pgp"),
)
_TOOLS = ("apt-get", "apt-config", "dpkg-deb")
_SETTINGS = """\
Dir::Etc::main "/dev/null";
Dir::Etc::parts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::Etc::sourcelist "{folder}/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::State "{folder}/state";
Dir::State::status "{folder}/state/status";
Dir::Cache "{folder}/cache";
APT::Install-Recommends "false";
APT::Update::Error-Mode "any";
Acquire::Languages "none";
Acquire::AllowInsecureRepositories "false";
Acquire::AllowWeakRepositories "false";
Acquire::AllowDowngradeToInsecureRepositories "false";
APT::Get::AllowUnauthenticated "false";
Acquire::http::Timeout "15";
Acquire::https::Timeout "15";
Debug::NoLocking "true";
"""
_MAIN = ("Created-By: Packages", "Component: main")
_SAYS_EVERY = 2.0

Progress = Callable[[str], None]


class AptFailed(CatanError):
    """What the machine's apt lacks or refused, in one line."""


@dataclass(frozen=True)
class Package:
    """A package that apt chose: its exact version, and its size in bytes."""

    name: str
    version: str
    size: int


@dataclass(frozen=True)
class Archive:
    """An apt of our own in *folder*, and everything that the wanted packages depend on, by name."""

    folder: Path
    packages: Mapping[str, Package]


def debian_mirror() -> str:
    """Return the address of the Debian archive that this machine's apt uses.

    Raises:
        AptFailed: apt is missing, or none of its sources is a Debian archive (as on Ubuntu).
    """
    missing = [tool for tool in _TOOLS if shutil.which(tool) is None]
    if missing:
        raise AptFailed(f"this machine has no {listed(missing)}")
    sources = _sources()
    for origin, label, release, address in sources:
        known = origin == label == "Debian" or (not origin and release in _DEBIAN_RELEASES)
        if known and not address.startswith("cdrom:"):
            return address
    seen = sorted({address for *_, address in sources})
    raise AptFailed(f"apt's sources hold no Debian archive, only {listed(seen) or 'none at all'}")


def _sources() -> list[list[str]]:
    """Return origin, label, release and address of apt's main sources.

    Before the first ``apt-get update`` apt knows no origins: they are empty then, and only the name of
    the release tells whose archive it is.
    """
    question = ["apt-get", "indextargets", "--format", "$(ORIGIN)|$(LABEL)|$(RELEASE)|$(REPO_URI)", *_MAIN]
    said = _run(question)
    if said.strip():
        return [line.split("|") for line in said.splitlines()]
    return [["", "", *line.split("|")[2:]] for line in _run([*question, "--no-release-info"]).splitlines()]


def open_archive(folder: Path, wanted: Sequence[str]) -> Archive:
    """Set up an apt of our own in the new *folder* and let it choose *wanted* with all their dependencies.

    Raises:
        AptFailed: no mirror, no keyring, no network, or the release lacks a package; apt's words are quoted.
    """
    mirror = debian_mirror()
    keyring = next((path for path in _KEYRINGS if path.is_file()), None)
    if keyring is None:
        raise AptFailed(
            f"Debian's archive keyring is not at {listed(_KEYRINGS)} (package debian-archive-keyring)"
        )
    for place in ("state/lists/partial", "cache/archives/partial", "tmp"):
        (folder / place).mkdir(parents=True)
    (folder / "state/status").touch()
    (folder / "sources.list").write_text(f"deb [signed-by={keyring}] {mirror} {RELEASE} main\n")
    (folder / "apt.conf").write_text(_machine_settings() + _SETTINGS.format(folder=folder))
    _apt(folder, ["update"])
    uris = _apt(folder, ["install", "--yes", "--print-uris", *wanted])
    packages = [
        Package(name, unquote(version), int(size))
        for name, version, size in re.findall(r"(?m)^'[^']+' ([^_ ]+)_([^_ ]+)_\S+\.deb (\d+) \S*$", uris)
    ]
    return Archive(folder, MappingProxyType({package.name: package for package in packages}))


def download(archive: Archive, names: Iterable[str], progress: Progress) -> dict[str, Path]:
    """Fetch the packages *names*, saying now and then how far it is, and return where each one's file is."""
    try:
        packages = [archive.packages[name] for name in names]
    except KeyError as name:
        raise AptFailed(
            f"apt did not choose package {name} among the {len(archive.packages)} needed"
        ) from None
    total = sum(package.size for package in packages)
    folder = Path(tempfile.mkdtemp(prefix="debs-", dir=archive.folder))
    said = time.monotonic()

    def report() -> None:
        nonlocal said
        if time.monotonic() - said < _SAYS_EVERY:
            return
        said = time.monotonic()
        with suppress(FileNotFoundError):  # apt-get renames its files while we look at them
            done = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
            progress(f"  {_megabytes(done)} of {_megabytes(total)}")

    progress(f"downloading {len(packages)} packages, {_megabytes(total)}")
    _apt(archive.folder, ["download", *(f"{each.name}={each.version}" for each in packages)], folder, report)
    files = {file.name.partition("_")[0]: file for file in folder.glob("*.deb")}
    absent = [package.name for package in packages if package.name not in files]
    if absent:
        raise AptFailed(f"apt-get did not download {listed(absent)}")
    return files


def unpack(file: Path, folder: Path) -> None:
    """Unpack the package *file* into *folder*."""
    _run(["dpkg-deb", "-x", str(file), str(folder)])


def dependencies(file: Path) -> set[str]:
    """Return the names of all packages that the package *file* may depend on."""
    said = _run(["dpkg-deb", "-f", str(file), "Depends", "Pre-Depends"])
    return set(re.findall(r"(?:^|[,|:])\s*([a-z0-9][a-z0-9+.-]+)", said, re.MULTILINE))


def _machine_settings() -> str:
    """Return how this machine fetches (proxies, certificates, timeouts), as lines for an ``apt.conf``.

    Nothing else is taken over: other settings run commands on the system, or weaken the signature checks.
    """
    fetching = re.compile(
        r"Acquire::(https?|ftp|Retries|Force|Check-|Queue-Mode)[^\"]*\".*\";$", re.IGNORECASE
    )
    return "".join(f"{line}\n" for line in _run(["apt-config", "dump"]).splitlines() if fetching.match(line))


def _apt(
    folder: Path, arguments: list[str], cwd: Path | None = None, waiting: Callable[[], None] | None = None
) -> str:
    # What apt and gpg leave behind when they are ended goes with the folder.
    own = {"APT_CONFIG": str(folder / "apt.conf"), "TMPDIR": str(folder / "tmp")}
    return _run(["apt-get", "-q", *arguments], own, cwd, waiting)


def _run(
    command: Sequence[str],
    environment: Mapping[str, str] = MappingProxyType({}),
    cwd: Path | None = None,
    waiting: Callable[[], None] | None = None,
) -> str:
    """Run *command* to its end, calling *waiting* now and then, and return what it printed.

    However this is left, by Ctrl-C and by SIGKILL too, the command and all that it started have ended.
    """
    done = processes.run(
        command, timeout=None, env={"LC_ALL": "C", **environment}, cwd=cwd, waiting=waiting or (lambda: None)
    )
    if done.returncode != 0:
        what = " ".join(command[:3])
        raise AptFailed(f"{what} fails with status {done.returncode}: {_reason(done.stderr)}")
    return done.stdout


def _reason(complaints: str) -> str:
    """Return apt's complaints as one line, but for the one that its own user may not enter our folder."""
    lines = [line.strip().rstrip(".") for line in complaints.splitlines() if "unsandboxed" not in line]
    return "; ".join(re.sub("^[EW]: ", "", line) for line in lines if line)


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.0f} MB"
