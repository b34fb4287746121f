"""Interrupt and kill commands at random moments, and check what they leave behind (Linux).

    python -m tests.kills --rounds 200

Each round starts a command with a private folder for temporary files. It ends the command at a random
moment by Ctrl-C or SIGKILL, to the process alone or to its group, as a terminal does. Then it checks the
status, that there is one line without a traceback, that no process is alive, no file is incomplete, and the
folder is empty.
"""

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

POST = "dlw/bgol/owbwg/lgob/wlg"
BOARD = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11"
_STUDY = ("-n", "400", "--seed", "1", "--chunk", "20", "--workers", "2")

COMMANDS: dict[str, tuple[str, ...]] = {
    "generate": ("generate", "-n", "20", "--rules", "tournament", "-f", "notation"),
    "one": ("generate", "--seed", "1"),
    "best": ("best", "--rules", "tournament", "--minimize", "largest_vertex_sum"),
    "draw": ("generate", "-n", "2", "--seed", "1", "--save", "made.png"),
    "enumerate": ("enumerate", "terrain", "--rules", "optimal"),
    "markers": ("enumerate", "markers", "--rules", "blog", "--on", POST),
    "count": ("count", "terrain", "--rules", "optimal", "--layout", "base-5-6"),
    "place": ("place", BOARD, "--rivalry", "1"),
    "search": ("entropy", "search", "seafarers-10", "--steps", "200000"),
    "plot": ("plot", BOARD, "--save", "drawn.svg"),
    "install": ("doctor", "--install"),
    "play": ("play", BOARD, "--games", "400", "--workers", "2", "--file", "games.jsonl"),
    "study": ("study", "--db", "made.db", *_STUDY),
    "linked study": ("study", "--db", "linked.db", *_STUDY),
}
_LONGEST = 3.0
_ENDINGS = {".png": b"IEND\xaeB`\x82", ".svg": b"</svg>\n", ".jsonl": b"\n"}


def alive(folder: Path) -> dict[int, str]:
    """Return the command lines of the processes that have *folder* in their environment.

    This process, dead processes, and the watchdogs and the Node process of this process are left out. They
    live as long as it does.
    """
    commands = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            known = (place / "environ").read_bytes() + (place / "cmdline").read_bytes()
            line = (place / "cmdline").read_text().replace("\0", " ")
            state, parent = (place / "stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:  # it ended while we looked
            continue
        ours = int(parent) == os.getpid() and ("catan-cp-guard" in line or " --serve " in line)
        if os.fsencode(folder) in known and state != "Z" and int(place.name) != os.getpid() and not ours:
            commands[int(place.name)] = line
    return commands


def wait_for(question: Callable[[], object], patience: float = 60.0) -> None:
    """Ask until the answer is yes.

    Raises:
        AssertionError: it never was.
    """
    end = time.monotonic() + patience
    while not question():
        assert time.monotonic() < end, "it never came about"
        time.sleep(0.01)


def problems_of_round(name: str, seed: int, folder: Path) -> list[str]:
    """Run a command of `COMMANDS`, end it at a moment that *seed* chooses, and return the faults."""
    rng = random.Random(seed)
    how = rng.choice(("one", "group", "kill", "kill group"))
    work, scratch = folder / "work", folder / "tmp"
    work.mkdir(parents=True)
    scratch.mkdir()
    (work / "linked.db").symlink_to("real.db")
    process = subprocess.Popen(
        [sys.executable, "-c", _START, *COMMANDS[name]],
        env={**os.environ, "TMPDIR": str(scratch), **_cache(name, folder)},
        cwd=work,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == b"begun\n"  # what Python does before is not ours
    time.sleep(rng.uniform(0, 1) ** 2 * _LONGEST)
    if process.poll() is None:
        number = signal.SIGKILL if how.startswith("kill") else signal.SIGINT
        if how.endswith("group"):
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
    try:
        output = process.communicate(timeout=30)[1].decode()
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return [f"{name} did not end within 30 s of {how}"]
    problems = _problems(process.returncode, output, how, work, scratch)
    return [f"{name}, {how}: {problem}" for problem in problems]


def _cache(name: str, folder: Path) -> dict[str, str]:
    """Return variables with which an install begins from nothing.

    It needs MiniZinc for no other command.
    """
    return {"XDG_CACHE_HOME": str(folder / "cache")} if name == "install" else {}


_START = """
import sys
from catan_cp.cli import main
try:
    print("begun", file=sys.stderr, flush=True)
    main()
except KeyboardInterrupt:
    sys.exit(1)
"""


def _problems(status: int, output: str, how: str, work: Path, scratch: Path) -> list[str]:
    problems = []
    # Python ends by the signal itself when it comes after the work, while modules are being put away.
    if status not in (0, 1, 130, -signal.SIGKILL if how.startswith("kill") else -signal.SIGINT):
        problems.append(f"status {status}")
    # A process whose parent is killed before telling it what to do says so in Python's words, and is gone.
    if "Traceback" in output and not (how.startswith("kill") and _is_from_start(output)):
        problems.append(output)
    if status and sum(line.startswith("catan-cp: ") for line in output.splitlines()) > 1:
        problems.append(f"more than one line: {output!r}")
    try:
        wait_for(lambda: not alive(scratch), 10)
    except AssertionError:
        problems.append(f"still running: {alive(scratch)}")
    for path in work.iterdir():
        whole = _ENDINGS.get(path.suffix)
        if whole is not None and path.stat().st_size and not path.read_bytes().endswith(whole):
            problems.append(f"half a file: {path.name}")
        if path.suffix == ".part" and not how.startswith("kill"):
            problems.append(f"left behind: {path.name}")
    result = [path.name for path in scratch.iterdir()]
    if result and not how.startswith("kill"):
        problems.append(f"left in the folder for temporary files: {result}")
    # Solvers read a file without a name. MiniZinc works in a folder, which the guard removes when we cannot.
    files = [scratch / name / file for name in result for file in ("model.fzn", "data.json")]
    if how.startswith("kill") and any(file.exists() for file in files):
        problems.append(f"MiniZinc's folder left behind: {result}")
    return problems


def _is_from_start(output: str) -> bool:
    """True if all tracebacks come from Python's start of a process, before the package runs."""
    frames = re.findall(r'^  File "(.*?)", line', output, re.MULTILINE)
    return all(frame == "<string>" or Path(frame).parent.name == "multiprocessing" for frame in frames)


def main() -> None:
    """Run many rounds, and end with status 1 if any left something behind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    # A process started in the background ignores Ctrl-C, and so would the commands that it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    problems: Counter[str] = Counter()
    names = sorted(COMMANDS)
    for number in range(options.rounds):
        with tempfile.TemporaryDirectory() as folder:
            name = names[number % len(names)]
            for problem in problems_of_round(name, options.seed + number, Path(folder)):
                print(f"\nround {options.seed + number}: {problem}", flush=True)
                problems[name] += 1
        print(f"\r{number + 1} of {options.rounds} rounds", end="", file=sys.stderr, flush=True)
    print(f"\n{options.rounds} rounds, {sum(problems.values())} with something left behind")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
