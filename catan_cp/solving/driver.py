"""The package `minizinc`, and the scripts that end its programs with this process and limit their memory.

`minizinc.Driver` starts the program at a path. Here, that is a small script, which joins the process group of
a watchdog, as `processes.Group.start` does, limits the memory, and then becomes MiniZinc.

MiniZinc runs a solver in a process group of its own. So a second script starts the solver. It kills that
group when MiniZinc ends, and stores the solver's exit status.

Joining a group needs Python. If ``sys.executable`` is not Python (an application that embeds it), MiniZinc
outlives a killed process until it next writes output. So it does on Windows.
"""

import json
import os
import shlex
import warnings
from pathlib import Path
from typing import Any

from catan_cp.processes import Group, python_program
from catan_cp.solving.find import FoundSolver, dotted, find_minizinc


def _import_package() -> Any:
    """Import the package, which starts the first MiniZinc on PATH, so without PATH."""
    path = os.environ.pop("PATH", None)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # MiniZinc was not found
            import minizinc  # type: ignore[import-untyped]
    finally:
        if path is not None:
            os.environ["PATH"] = path
    return minizinc


minizinc = _import_package()

PID, STATUS, FLAT = "pid", "status", "flat"
"""The files with the number of MiniZinc's process, with the solver's exit status, 0 while it runs, and with
the names of the files that ``Instance.flat`` makes."""

_MINIZINC = r"""#!/bin/sh
[ "$1" = --version ] && echo "MiniZinc, version {version}" && exit
{limit}
export TMPDIR={folder}
skip=
for word; do
    shift
    case $skip$word in
        " "*) skip= ;;
        --solver) skip=" " ;;
        --allow-multiple-assignments) ;;
        *.fzn) echo "$word" >> {folder}/{flat}; set -- "$@" "$word" ;;
        *) set -- "$@" "$word" ;;
    esac
done
echo $$ > {folder}/{pid}
exec {join} {program} "$@" </dev/null
"""
_LIMIT = """\
limit=$(ulimit -v)
[ "$limit" != unlimited ] && [ "$limit" -le {memory} ] || ulimit -v {memory} 2>/dev/null"""
_JOIN = """
import os, sys
for to, end in zip((8, 9), os.pipe()):
    os.dup2(end, to)
os.setpgid(0, int(sys.argv[1]))
os.execv(sys.argv[2], sys.argv[2:])
"""
"""Open a pipe as 8 and 9, join a process group, and become a program."""
_SOLVER = """#!/bin/sh
# MiniZinc has the other end of pipe 8, so the end of MiniZinc kills this group.
exec 9>&-
( trap '' HUP INT TERM; exec >/dev/null 2>&1 <&8; read -r _; kill -KILL 0 ) &
echo 0 > {folder}/{status}
{program} "$@" 8<&-
status=$?
echo $status > {folder}/{status}
exit $status
"""
_CONFIGURED = ("id", "name", "version", "tags", "stdFlags", "extraFlags", "supportsMzn", "supportsFzn",
               "needsSolns2Out", "needsMznExecutable", "needsStdlibDir", "isGUIApplication")  # fmt: skip
"""The parts of a solver's configuration that are the same in MiniZinc's list and in a file."""


def package() -> Any:
    """Return the package `minizinc`, with the MiniZinc that this library finds as its default driver.

    Raises:
        SolverNotFound: MiniZinc is not installed.
    """
    if minizinc.default_driver is None:
        minizinc.Driver(find_minizinc().executable).make_default()
    return minizinc


def open_driver(solver: FoundSolver, models: Path, folder: Path, group: Group) -> tuple[Any, Any]:
    """Return the `minizinc.Solver` and the `minizinc.Driver` of a solver.

    Args:
        solver: the solver.
        models: the folder with the included models.
        folder: a temporary folder for the scripts and MiniZinc's files, which must outlive the driver.
        group: the process group that MiniZinc joins.
    """
    choice, configuration = solver.choice, folder / "solver.msc"
    entry = {key: solver.entry[key] for key in _CONFIGURED if key in solver.entry}
    entry["mznlib"] = solver.entry.get("extraInfo", {}).get("mznlib", solver.entry.get("mznlib", ""))
    place = shlex.quote(str(folder))
    if solver.program is not None and os.name == "posix":
        text = _SOLVER.format(program=shlex.quote(str(solver.program)), folder=place, status=STATUS)
        entry["executable"] = str(_script(folder / "solver", text))
        choice = ("--solver", str(configuration), *solver.backend.plugin())
    configuration.write_text(json.dumps(entry), encoding="utf-8")
    command = [*solver.minizinc.command(), *choice, "-I", str(models)]
    memory, python = solver.minizinc.memory, python_program()
    text = _MINIZINC.format(
        version=dotted(solver.minizinc.version),
        limit="" if memory is None else _LIMIT.format(memory=memory >> 10),
        folder=place,
        pid=PID,
        flat=FLAT,
        join=shlex.join([python, "-ISc", _JOIN, str(group.number)]) if python else "",
        program=shlex.join(command),
    )
    name = "minizinc"
    if os.name == "nt":
        name, text = "minizinc.cmd", "@echo off\r\n" + " ".join(f'"{word}"' for word in command) + " %*\r\n"
    return minizinc.Solver.load(configuration), minizinc.Driver(_script(folder / name, text))


def _script(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o700)
    return path
