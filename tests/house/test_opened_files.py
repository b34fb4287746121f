"""Commands open only the files that the table of SECURITY.md names.

They open no other file that may come with data.
"""

import fnmatch
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

STRACE, PROGRAM = shutil.which("strace"), Path(sys.executable).with_name("catan-cp")
CAN_TRACE = STRACE is not None and not subprocess.run([STRACE, "-qq", "true"], capture_output=True).returncode
pytestmark = pytest.mark.skipif(not CAN_TRACE, reason="strace is not installed, or may not trace")

BOARD = "g9l6w10/l10o3g5b6/g8w2l12o4w5/l11dw3b11/g4b9o8"
MODEL = 'include "alldifferent.mzn"; int: n; array[1..n] of var 1..n: x; constraint alldifferent(x);'
PLANTED = {
    "work": (
        *(".numba_config.yaml", "matplotlibrc", "sitecustomize.py", "numpy.py", "random.py", "typer.py"),
        *("board.mzn", "stdlib.mzn", "redefinitions.mzn", "fzn_all_different_int.mzn", "Preferences.json"),
        *("std/redefinitions.mzn", "linear/redefinitions.mzn", "chuffed.msc", "package.json", ".npmrc"),
        *("pip.conf", "pyproject.toml", "setup.cfg", ".env", "dask.yaml", ".config/dask/dask.yaml"),
    ),
    "home": (".numba_config.yaml", "matplotlibrc", ".config/matplotlib/matplotlibrc", ".pythonrc"),
    "given": ("matplotlibrc", ".numba_config.yaml", "all_different.mpc", "chuffed.msc", "n.json"),
}
"""Files that a program might read by itself, by folder."""
READ = {
    "work": {"matplotlibrc"},
    "home": {".config/matplotlib/matplotlibrc", ".minizinc/Preferences.json", ".minizinc/solvers/*.msc"},
    "given": {"*.mzn"},
}
"""The table of SECURITY.md: files that are read although no argument names them."""
COMMANDS = {
    "generate --seed 1 --rules blog --method solver --save board.png": {"board.png"},
    "generate --rules r.toml --layout l.toml -f notation": {"r.toml", "l.toml"},
    "count model ../given/m.mzn n.json": {"n.json"},
}
SLOW = {
    f"place {BOARD}": set(),
    "study --db s.db -n 2 --layout mini --rules open": {"s.db*"},
    "tournament --names names.txt --rounds 1 --seed 1 --plan cup.json": {"names.txt", "cup.json"},
    "doctor": set(),
    f"check {BOARD} --rules r.toml": {"r.toml"},
    f"repair {BOARD} --rules tournament": set(),
    f"report {BOARD} -f json": set(),
    f"play {BOARD} -n 2 --file g.jsonl": {"g.jsonl"},
    "best --minimize largest_vertex_sum --rules blog --timeout 20": set(),
    "enumerate terrain --layout mini --rules blog": set(),
    "count terrain --layout mini": set(),
    "top s.db --csv t.csv": {"s.db*", "t.csv"},
    "show s.db 1 --save one.svg": {"s.db*", "one.svg"},
    "standings cup.json --template results.csv": {"cup.json", "results.csv"},
    "models copied": {"copied/*"},
    f"print {BOARD} --save sheet.pdf": {"sheet.pdf"},
    f"plot {BOARD} --save board.svg": {"board.svg"},
    "export terrain": set(),
    "prove optimal base-5-6 --save proof": {"proof/*"},
}


def opened(command: str, root: Path) -> set[str]:
    """Return the paths below *root* that a command and its children open or execute."""
    trace = root.parent / "trace"
    environment = {**os.environ, "HOME": str(root / "home"), "TMPDIR": str(root.parent)}
    for name in ("XDG_CONFIG_HOME", "MPLCONFIGDIR", "NUMBA_DISABLE_JIT"):
        environment.pop(name, None)
    environment.setdefault("XDG_CACHE_HOME", str(Path.home() / ".cache"))
    options = ["-f", "-q", "-s", "4096", "-e", "trace=open,openat,execve,chdir", "-e", "signal=none"]
    result = subprocess.run(
        [STRACE, *options, "-o", trace, PROGRAM, *shlex.split(command)],
        cwd=root / "work", env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    lines = trace.read_text(errors="replace").splitlines()
    paths = {
        os.path.normpath(root / "work" / match[2])
        for line in lines
        if (match := re.match(r'\d+ +(open|openat|execve)\((?:AT_FDCWD, )?"([^"]*)"', line))
        and "O_DIRECTORY" not in line
    }
    assert len(paths) > 100  # strace has worked
    return {str(Path(path).relative_to(root)) for path in paths if Path(path).is_relative_to(root)} - {"work"}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("traced") / "root"
    for place, names in PLANTED.items():
        for name in names:
            file = folder / place / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("")
    work = folder / "work"
    (folder / "given" / "m.mzn").write_text(MODEL)
    (work / "n.json").write_text('{"n": 4}')
    (work / "r.toml").write_text('[[constraint]]\ntext = "terrain[1] != DESERT"\nsays = "no desert first"')
    (work / "l.toml").write_text("title = 'two'\nboard = '''\no6  w8\n'''")
    (work / "names.txt").write_text("Ada\nBo\nCy\nDi\n")
    return folder


@pytest.mark.parametrize(
    "command", [*COMMANDS, *(pytest.param(command, marks=pytest.mark.slow) for command in SLOW)]
)
def test_command_opens_files_of_table_alone(command, root):
    if command.startswith("prove"):
        pytest.importorskip("pysolvers", reason="needs the extra prove")
    arguments = {**COMMANDS, **SLOW}[command]
    allowed = {f"{place}/{name}" for place, names in READ.items() for name in names}
    allowed |= {f"work/{name}" for name in (*arguments, "*.part")}
    secrets = {
        path for path in opened(command, root) if not any(fnmatch.fnmatch(path, one) for one in allowed)
    }
    assert secrets == set()
