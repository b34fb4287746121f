"""Commands with a pseudo-terminal as standard error, and results redirected or piped."""

import os
import random
import re
import select
import signal
import struct
import subprocess
import sys
import time
from functools import partial

import pytest

from catan_cp import LAYOUTS, Board

# Ctrl-C between two results has no other observer.
from catan_cp.terminal import CountedResults

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind"
)

if sys.platform != "win32":
    import fcntl
    import pty
    import termios

BEGINNER = LAYOUTS["base"].beginner_board
POST = "dlw/bgol/owbwg/lgob/wlg"

WATCHED = {
    "generate": ("generate", "-n", "3", "-f", "notation"),
    "terrain": ("enumerate", "terrain", "--rules", "blog"),
    "markers": ("enumerate", "markers", "--rules", "blog", "--on", POST, "--limit", "50"),
    "boards": ("enumerate", "boards", "--rules", "blog", "--limit", "20"),
    "ranked": ("enumerate", "boards", "--rules", "blog", "--limit", "200", "--by", "weak_vertices"),
    "count": ("count", "terrain", "--rules", "blog"),
    "count markers": ("count", "markers", "--rules", "blog", "--on", POST),
    "search": ("entropy", "search", "base", "--steps", "3000", "--seed", "1"),
    "rivals": ("place", BEGINNER, "--compare-rivalry", "--players", "2"),
}
"""Every command that shows progress and prints results."""

STUDY = ("study", "--db", "made.db", "-n", "4", "--seed", "1", "--chunk", "2")
_ESCAPE = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]|\r")


class Terminal:
    """A pseudo-terminal, of a size and type that programs expect."""

    def __init__(self, columns=100):
        self.ours, self.theirs = pty.openpty()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
        self.said = b""

    def read(self, seconds=0.0):
        """Take what was written until now. Return whether there was anything."""
        ready, _, _ = select.select([self.ours], [], [], seconds)
        try:
            more = os.read(self.ours, 1 << 16) if ready else b""
        except OSError:  # the other end is closed
            more = b""
        self.said += more
        return bool(more)

    def text(self):
        """Return the written text, without the movements of the cursor."""
        return _ESCAPE.sub(b"", self.said).decode()


TOO_EARLY = 75
"""The status of a command that Ctrl-C ended before it was called."""

COMMAND = f"""
import sys
from catan_cp.cli import main
try:
    print("began", flush=True, file=sys.stderr)
    main()
except KeyboardInterrupt as end:
    if end.__traceback__.tb_next is not None:
        raise
    sys.exit({TOO_EARLY})
"""


WARNED = """
import time, warnings
from catan_cp.cli.running import show_warning
from catan_cp.progress import Progress, watching
warnings.showwarning = lambda message, *_: show_warning(message)
with watching(True, "boards") as watch:
    watch(Progress(1, 10, "boards"))
    time.sleep(0.5)
    warnings.warn("no luck")
    time.sleep(0.5)
"""


def test_warning_is_above_line_of_progress():
    terminal = Terminal()
    process = subprocess.Popen(
        [sys.executable, "-c", WARNED],
        env={**os.environ, "TERM": "xterm", "NO_COLOR": "1"},
        stderr=terminal.theirs,
    )
    finish(process, terminal)
    assert re.search(rb"\x1b\[2Kcatan-cp: warning: no luck\r?\n", terminal.said), terminal.said


def start(words, folder, terminal, *, stdout, stdin=subprocess.DEVNULL, **variables):
    """Start a command whose standard error, and Ctrl-C, is a terminal's."""
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, *words],
        cwd=folder,
        # a terminal knows its width, so the variables of the test run are removed
        env={name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
        | {"TERM": "xterm", "TMPDIR": str(folder), "NO_COLOR": "1"}
        | variables,
        stdin=stdin,
        stdout=stdout,
        stderr=terminal.theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(2, termios.TIOCSCTTY, 0),
    )


def finish(process, terminal, patience=90):
    """Wait for a command's end, reading along, and return its status."""
    end = time.monotonic() + patience
    while process.poll() is None:
        terminal.read(0.05)
        assert time.monotonic() < end, terminal.text()
    os.close(terminal.theirs)  # so reading ends by an error after the last byte, which may come late
    while terminal.read(1.0):
        pass
    os.close(terminal.ours)
    return process.returncode


def run(words, folder, *, stdout, terminal=None):
    """Run a command to its end. Return its status, and the text on the terminal."""
    terminal = terminal or Terminal()
    process = start(words, folder, terminal, stdout=stdout)
    status = finish(process, terminal)
    return status, terminal


def watched(*quick):
    """All of these commands, those that are not *quick* nightly."""
    return [pytest.param(name, marks=[pytest.mark.slow] * (name not in quick)) for name in WATCHED]


@pytest.mark.parametrize("name", watched("generate", "terrain", "search"))
def test_results_redirected_and_progress_is_not(name, tmp_path):
    with (tmp_path / "out").open("wb") as out:
        status, terminal = run(WATCHED[name], tmp_path, stdout=out)
    output = (tmp_path / "out").read_bytes()
    assert status == 0, terminal.text()
    assert output.strip(), "results are lost"
    assert b"\x1b" not in output
    assert not any(line in terminal.text() for line in output.decode().splitlines() if len(line) > 12)
    lines = {"generate": 3, "terrain": 96, "markers": 50, "boards": 20, "ranked": 11, "count": 1, "search": 1}
    assert output.count(b"\n") == lines.get(name, output.count(b"\n"))


@pytest.mark.parametrize("name", watched("terrain"))
def test_closed_pipe_causes_no_error(name, tmp_path):
    read, write = os.pipe()
    os.close(read)
    status, terminal = run(WATCHED[name], tmp_path, stdout=write)
    os.close(write)
    assert status == 0
    assert "Traceback" not in terminal.text() and "catan-cp:" not in terminal.text()


def test_boards_piped_into_picture(tmp_path):
    first, second = Terminal(), Terminal()
    read, write = os.pipe()
    maker = start(WATCHED["generate"], tmp_path, first, stdout=write)
    os.close(write)
    words = ("plot", "-", "--save", "three.png")
    drawn = start(words, tmp_path, second, stdout=subprocess.DEVNULL, stdin=read)
    os.close(read)
    assert (finish(maker, first), finish(drawn, second)) == (0, 0), second.text()
    assert (tmp_path / "three.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "words",
    [
        ("report", f"{BEGINNER}:printed", "--players", "2"),
        ("generate", "--rules", "moon", "--layout", "base"),
        *(
            pytest.param(words, marks=pytest.mark.slow)
            for words in (
                ("rules",),
                ("check", BEGINNER, "--rules", "optimal"),
                ("place", BEGINNER, "--method", "vectorized"),
                ("best", "--measures"),
            )
        ),
    ],
)
def test_words_stay_whole(words, tmp_path):
    narrow = Terminal(columns=60)
    status, _ = run(words, tmp_path, stdout=narrow.theirs, terminal=narrow)
    with (tmp_path / "out").open("wb") as out:
        wide_status, wide = run(words, tmp_path, stdout=out)
    output = (tmp_path / "out").read_text() + wide.text().replace("began", "")
    assert status == wide_status
    screen = [line for line in narrow.text().split("\n") if line != "began"]
    assert max(map(len, screen)) <= 60 < max(map(len, output.split("\n")))
    plain = [re.sub(r"\d+\.\d ms", "", " ".join(text.split())) for text in (" ".join(screen), output)]
    assert plain[0] == plain[1]


def test_ctrl_c_returns_best_board(tmp_path):
    terminal = Terminal()
    words = ("best", "--minimize", "0 - sum(t in TILE)(marker[t] * t)", "--save", "best.png")
    process = start(words, tmp_path, terminal, stdout=subprocess.PIPE)
    patience = time.monotonic() + 60
    while b"found: -1" not in terminal.said and time.monotonic() < patience:
        terminal.read(0.05)
    assert re.search(r"found: -1\d+ +\d:\d\d:", terminal.text()), "no clock"
    os.write(terminal.ours, b"\x03")
    with process.stdout as out:
        printed = out.read().decode()
    assert finish(process, terminal) == 0
    assert Board.from_notation(printed).harbors
    assert re.search(r"value -1\d+: the best so far, not proven; a better board may exist", terminal.text())
    assert "no board is better" not in terminal.text()
    assert (tmp_path / "best.png").exists()


def unread(pipe):
    """Return the number of bytes that wait in a pipe."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]


COUNTED = {
    "enumerate": ("enumerate", "markers", "--rules", "wide.toml", "--on", POST),
    "generate": ("generate", "-n", "100000", "--rules", "tournament"),
}


@pytest.mark.parametrize("stops", [False, True])
@pytest.mark.parametrize("name", COUNTED)
def test_ctrl_c_counts_received_results(name, stops, tmp_path):
    """Also if the reader has stopped reading, so that the pipe is full."""
    (tmp_path / "wide.toml").write_text("vertex_sum_below = 27")
    terminal, listed = Terminal(), tmp_path / "listed.txt"
    read, write = os.pipe()
    process = start(COUNTED[name], tmp_path, terminal, stdout=write)
    os.close(write)
    with listed.open("wb") as file:
        reader = subprocess.Popen(["cat"], stdin=read, stdout=file)
    patience = time.monotonic() + 60
    while not listed.stat().st_size and time.monotonic() < patience:
        terminal.read(0.05)
    if stops:
        reader.send_signal(signal.SIGSTOP)
        waiting = -1
        while waiting < (waiting := unread(read)):
            terminal.read(0.05)
            time.sleep(0.5)
    os.close(read)
    os.write(terminal.ours, b"\x03")
    try:
        assert finish(process, terminal, 20) == 1
    finally:
        reader.send_signal(signal.SIGCONT)
    assert reader.wait(20) == 0
    boards = listed.read_text().splitlines()
    text = terminal.text().replace(",", "")
    assert re.search(rf"interrupted; {len(boards)} (found there|of 100000 boards)", text)
    assert all(map(Board.from_notation, boards))


def test_ctrl_c_after_printed_result():
    """A second one comes at once, since a long result may not fit into a pipe.

    Then Ctrl-C is as before.
    """
    lines = []

    def work(interrupts=0):
        for _ in range(interrupts):
            signal.raise_signal(signal.SIGINT)
        lines.append("a result")

    def lost():
        signal.raise_signal(signal.SIGINT)  # it ends the reader too
        raise BrokenPipeError

    with pytest.raises(KeyboardInterrupt), CountedResults() as results:
        results.print(work)
        results.print(partial(work, 1))
    assert results.printed == len(lines) == 2
    with pytest.raises(KeyboardInterrupt), CountedResults() as results:
        results.print(partial(work, 2))
    assert (results.printed, len(lines)) == (0, 2)
    with pytest.raises(KeyboardInterrupt), CountedResults() as results:
        results.print(lost)
    assert results.printed == 0
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("name", [pytest.param("generate", marks=pytest.mark.slow), "terrain"])
def test_results_reach_terminal_of_standard_output(name, tmp_path):
    """Also where standard error is another terminal."""
    results = Terminal()
    status, progress = run(WATCHED[name], tmp_path, stdout=results.theirs)
    os.close(results.theirs)
    while results.read(1.0):
        pass
    assert status == 0, progress.text()
    boards = [Board.from_notation(line) for line in results.text().split("\n") if line]
    assert len(boards) == (3 if name == "generate" else 96)
    assert b"\x1b" not in results.said


def test_board_and_bar_never_share_line(tmp_path):
    terminal = Terminal()
    process = start(WATCHED["generate"], tmp_path, terminal, stdout=terminal.theirs)
    assert finish(process, terminal) == 0
    # The final lines: the bar is erased before a board is printed.
    printed = re.split(rb"\x1b\[2K|\n", terminal.said)
    boards = [_ESCAPE.sub(b"", line).decode() for line in printed if line.count(b"/") == 4]
    assert len([Board.from_notation(line) for line in boards]) == 3


def test_study_shows_early_progress(tmp_path):
    status, terminal = run(STUDY, tmp_path, stdout=subprocess.DEVNULL)
    assert status == 0
    output = terminal.text()
    assert "0 of 4 boards, making the first ones" in output
    assert output.index("making the first ones") < output.index("4 of 4 boards")
    stays = terminal.said.rpartition(b"\x1b[2K")[2]  # below the last line that was erased
    assert re.search(rb"4 of 4 boards, .*best value spread .*\n(.*\n)+.*made.db: study", stays)
    again = run(STUDY, tmp_path, stdout=subprocess.DEVNULL)[1]  # nothing is left to make
    assert b"best value spread" not in again.said.rpartition(b"\x1b[2K")[2]


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("generate", "--rules", "open"), marks=pytest.mark.slow),
        ("check", BEGINNER, "--rules", "tournament"),
    ],
)
def test_standard_streams_may_be_closed(words, tmp_path):
    def shell(redirection):
        line = f'exec "$0" -m catan_cp.cli "$@" {redirection}'
        command = ["sh", "-c", line, sys.executable, *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    silent = shell("2>&- <&-")
    assert (silent.returncode, bool(silent.stdout.strip())) == (0, True)
    refused = shell(">&-")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == "catan-cp: cannot write to standard output: Bad file descriptor\n"
    assert shell(">&- 2>&-").returncode == 1
    wrong = shell("--rules moon 2>&-")  # an error that nobody is told still has its status
    assert (wrong.returncode, wrong.stdout) == (1, "")


# Ctrl-C

LONG = {
    "generate": ("generate", "-n", "100000", "--rules", "tournament", "--save", "made.png"),
    "enumerate": ("enumerate", "terrain", "--rules", "tournament"),
    "ranked": ("enumerate", "boards", "--rules", "../listed.toml", "--by", "weak_vertices"),
    "count": ("count", "markers", "--rules", "../listed.toml", "--on", POST),
    "rivals": ("place", "../boards.txt", "--compare-rivalry", "--players", "4"),
    "rivalry": ("place", BEGINNER, "--rivalry", "2"),
    "ties": ("place", BEGINNER, "-p", "3", "--ties", "--rivalry", "2"),
    "rationality": ("place", BEGINNER, "--rationality", "2"),
    "search": ("entropy", "search", "seafarers-10", "--steps", "20000000"),
    "study": ("study", "--db", "made.db", "-n", "100000", "--seed", "1", "--chunk", "20"),
    "workers": ("study", "--db", "made.db", "-n", "100000", "--seed", "1", "--workers", "2"),
    "games": ("play", BEGINNER, "--games", "9000000", "--players", "trader"),
}
KEPT = {
    "generate": r"[\d,]+ of 100,000 boards printed; made.png is not drawn; .* again with other boards$",
    "enumerate": r"[\d,]+ found, there may be more: what was found is printed",
    "ranked": r"interrupted after [\d,]+ boards, there may be more: the best of them are printed",
    "search": r"interrupted, .*; what was done is kept",
    "study": r"made.db.* keeps study|what made.db holds is kept",
    "workers": r"made.db.* keeps study|what made.db holds is kept",
}
"""The last line of a command states the finished part.

Some commands store nothing.
"""
MOMENTS = {"first 0.2 s": (0.0, 0.2), "later": (0.2, 2.0), "at work": (0.0, 0.5)}
"""When Ctrl-C comes, in seconds: after the start, or after the first sign of progress."""


QUICK = {("generate", "at work"), ("rivalry", "later"), ("games", "later"), ("search", "first 0.2 s")}
"""One of each kind. `make slow` runs the others."""


@pytest.mark.parametrize(
    ("name", "moment"),
    [
        pytest.param(name, moment, marks=() if (name, moment) in QUICK else pytest.mark.slow)
        for name in LONG
        for moment in MOMENTS
        if moment != "at work" or name in KEPT
    ],
)
def test_ctrl_c_ends_in_one_line(name, moment, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "numba"))  # empty, so that what is compiled compiles
    rng = random.Random(f"{name} {moment}")
    (tmp_path / "listed.toml").write_text(
        "vertex_sum_below = 27"
    )  # many arrangements, and each must be listed
    (tmp_path / "boards.txt").write_text(f"{BEGINNER}\n" * 200)
    judged = 0
    for attempt in range(20):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        terminal = Terminal()
        process = start(LONG[name], folder, terminal, stdout=subprocess.DEVNULL)
        sign = b"\x1b" if moment == "at work" else b"began"
        patience = time.monotonic() + 60
        while sign not in terminal.said and time.monotonic() < patience:
            terminal.read(0.05)
        pause = rng.uniform(*MOMENTS[moment])
        end = time.monotonic() + pause
        while time.monotonic() < end:
            terminal.read(0.01)
        os.write(terminal.ours, b"\x03")
        status = finish(process, terminal)
        output = terminal.text()
        moment_text = f"after {pause:.3f} s: {output}"
        if status == TOO_EARLY:
            continue
        assert status == 1, moment_text
        assert "Traceback" not in output and "Error" not in output, moment_text
        (line,) = re.findall(r"catan-cp: (.*(?:\n  .*)*)", output)  # broken at the terminal's edge
        line = " ".join(line.split())
        assert "interrupted" in line, moment_text
        assert "the same c" in line.lower(), moment_text  # the same command, or the same call
        remaining = {path.name for path in folder.iterdir()} - {"made.db", "made.db.lock"}
        assert not remaining, moment_text
        judged += 1
        if moment == "at work":
            assert re.search(KEPT[name], line), moment_text
            return
        if judged == 2:
            return
    raise AssertionError("Ctrl-C always came too early")


@pytest.mark.parametrize("module", ["errors", "cli.running", "cli.boards"])
def test_ctrl_c_during_imports(module, tmp_path):
    code = f"""
import os, signal, sys

class Interrupt:
    def find_spec(self, name, path, target=None):
        if name == "catan_cp.{module}":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
from catan_cp.cli import main
main(["layouts"])
"""
    result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("catan-cp: interrupted; ")
    assert result.stderr.count("\n") == 1


def test_ctrl_c_survives_imports(tmp_path):
    """Extension modules that numba imports do so."""
    pytest.importorskip("numba")
    code = f"""
import os, signal, sys, time

class Lose:
    def find_spec(self, name, path, target=None):
        if name == "numba.core":
            try:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(1)
            except KeyboardInterrupt:
                pass

sys.meta_path.insert(0, Lose())
from catan_cp.cli import main
main(["play", {BEGINNER!r}, "--games", "10"])
"""
    result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (1, "")
    assert "catan-cp: interrupted" in result.stderr
