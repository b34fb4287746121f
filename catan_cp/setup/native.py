"""A native MiniZinc from Debian's archive: programs with the libraries that they load, startable anywhere.

Packages are fetched with apt's own tools into folders of ours; the system's state stays untouched. The
mirror, the proxies and the keys are those that the machine's apt already uses; apt checks the signatures.

bin/minizinc, fzn-gecode, fzn-chuffed    scripts that start the programs through the loader in lib/
libexec/                                 the programs themselves
lib/                                     the dynamic loader and the libraries, flat
share/minizinc/                          MiniZinc's standard library and one configuration for each solver
"""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple
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

WANTED = ("minizinc", "gecode-flatzinc", "chuffed-flatzinc")
PROGRAMS = ("minizinc", "fzn-gecode", "fzn-chuffed")
CONFIGURATIONS = ("gecode.msc", "chuffed.msc")
_LOADER_PACKAGE = "libc6"

_WRAPPER = """\
#!/bin/sh
# Starts {program} with the libraries beside it, wherever this folder stands; exec: this process becomes it.
self=$0
[ -L "$self" ] && self=$(readlink -f -- "$self")
case $self in /*) ;; *) self=$PWD/$self ;; esac
here=${{self%/*}}/..
export MZN_STDLIB_DIR="$here/share/minizinc"
exec "$here/lib/{loader}" --library-path "$here/lib" "$here/libexec/{program}" "$@"
"""

Progress = Callable[[str], None]
"""Told a line of text for each step."""


class AptFailed(CatanError):
    """What the machine's apt lacks or refused, in one line."""


class _Package(NamedTuple):
    """A package that apt chose: its exact version, and its size in bytes."""

    version: str
    size: int


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


def build_native(work: Path, bundle: Path, progress: Progress) -> None:
    """Fill the new folder *bundle* with what the programs need, by way of the empty folder *work*.

    What a program loads is asked of the bundle's own loader, and what is missing is looked for in the
    dependencies of the packages that were of use so far, so that little is downloaded in vain.

    Raises:
        AptFailed: no mirror, no keyring, no network, the release lacks a package, or no package holds a
            library that a program loads; apt's words are quoted.
    """
    progress("asking apt which packages are needed")
    own_apt, scratch = work / "apt", work / "packages"
    scratch.mkdir()
    packages = _choose(own_apt)

    def fetch(names: set[str]) -> dict[str, Path]:
        """Download packages and unpack each one into its own folder, named after it."""
        files = _download(own_apt, packages, sorted(names), progress)
        for name, file in files.items():
            _run(["dpkg-deb", "-x", str(file), str(scratch / name)])
        return files

    useful = {_LOADER_PACKAGE, *WANTED}
    files = fetch(useful)
    loader = _start(scratch, bundle)
    while missing := _missing(bundle, loader):
        found = {name: path for name in missing if (path := _look_up(scratch, name)) is not None}
        for name, path in found.items():
            shutil.copyfile(path, bundle / "lib" / name)
            useful.add(path.relative_to(scratch).parts[0])
        if found:
            continue
        next_ones = {name for package in useful for name in _dependencies(files[package])}
        next_ones = (next_ones & packages.keys()) - files.keys() or packages.keys() - files.keys()
        if not next_ones:
            raise AptFailed(f"no package holds {listed(sorted(missing))}")
        files |= fetch(next_ones)


def _choose(folder: Path) -> dict[str, _Package]:
    """Set up an apt of our own in the new *folder*; return what it chooses for `WANTED`, by name."""
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
    uris = _apt(folder, ["install", "--yes", "--print-uris", *WANTED])
    chosen = re.findall(r"(?m)^'[^']+' ([^_ ]+)_([^_ ]+)_\S+\.deb (\d+) \S*$", uris)
    return {name: _Package(unquote(version), int(size)) for name, version, size in chosen}


def _download(
    own_apt: Path, packages: Mapping[str, _Package], names: Sequence[str], progress: Progress
) -> dict[str, Path]:
    """Fetch the packages *names*, saying now and then how far it is, and return where each one's file is."""
    if strangers := [name for name in names if name not in packages]:
        raise AptFailed(f"apt did not choose {listed(strangers)} among the {len(packages)} packages needed")
    total = sum(packages[name].size for name in names)
    folder = Path(tempfile.mkdtemp(prefix="debs-", dir=own_apt))
    said = time.monotonic()

    def report() -> None:
        nonlocal said
        if time.monotonic() - said < _SAYS_EVERY:
            return
        said = time.monotonic()
        with suppress(FileNotFoundError):  # apt-get renames its files while we look at them
            done = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
            progress(f"  {_megabytes(done)} of {_megabytes(total)}")

    progress(f"downloading {len(names)} packages, {_megabytes(total)}")
    _apt(own_apt, ["download", *(f"{name}={packages[name].version}" for name in names)], folder, report)
    files = {file.name.partition("_")[0]: file for file in folder.glob("*.deb")}
    if absent := [name for name in names if name not in files]:
        raise AptFailed(f"apt-get did not download {listed(absent)}")
    return files


def _dependencies(file: Path) -> set[str]:
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


def _start(scratch: Path, bundle: Path) -> str:
    """Lay out *bundle* with all but the libraries, and return the file name of the loader."""
    loader = next(iter(_loaders(scratch / _LOADER_PACKAGE)), None)
    if loader is None:
        raise AptFailed(f"package {_LOADER_PACKAGE} holds no dynamic loader")
    for name in ("bin", "lib", "libexec"):
        (bundle / name).mkdir(parents=True)
    shutil.copy(loader.resolve(), bundle / "lib" / loader.name)
    for package in WANTED:
        shutil.copytree(
            scratch / package / "usr/share/minizinc", bundle / "share/minizinc", dirs_exist_ok=True
        )
    for program in PROGRAMS:
        source = next(
            path for package in WANTED if (path := scratch / package / "usr/bin" / program).exists()
        )
        shutil.copy(source, bundle / "libexec" / program)
        wrapper = bundle / "bin" / program
        wrapper.write_text(_WRAPPER.format(program=program, loader=loader.name))
        wrapper.chmod(0o755)
    for configuration in (bundle / "share/minizinc/solvers").iterdir():
        if configuration.name not in CONFIGURATIONS:
            configuration.unlink()
    return loader.name


def _loaders(package: Path) -> Iterator[Path]:
    """Yield the dynamic loaders of a C library: one file, called ``ld-linux-....so.2`` or ``ld64.so.2``."""
    for pattern in ("ld-linux*.so.*", "ld64.so.*"):
        yield from (path for path in package.rglob(pattern) if path.resolve().is_file())


def _missing(bundle: Path, loader: str) -> set[str]:
    """Return the libraries that some program loads and that do not come from the bundle's own folder."""
    library = bundle / "lib"
    missing: set[str] = set()
    for program in PROGRAMS:
        said = processes.run(
            [library / loader, "--inhibit-cache", "--library-path", library, bundle / "libexec" / program],
            env={"LD_TRACE_LOADED_OBJECTS": "1"},  # unlike --list, goes on where a library is missing
        )
        if said.returncode != 0:
            raise AptFailed(f"the loader of Debian {RELEASE} does not start here: {said.stderr.strip()}")
        for name, place in re.findall(
            r"(?m)^\s+(\S+) => (not found|/.*?)(?: \(0x[0-9a-f]+\))?$", said.stdout
        ):
            if Path(name).name != loader and Path(place).parent != library:
                missing.add(name)
    return missing


def _look_up(scratch: Path, library: str) -> Path | None:
    """Return the file that unpacked packages hold under the name *library*."""
    # Files further down are builds of the same library for newer processors, or plugins of the same name.
    paths = sorted(scratch.glob(f"*/usr/lib/**/{library}"), key=lambda path: (len(path.parts), path))
    return next((path for path in paths if path.is_file()), None)
