"""Run tests against a changed copy of the checkout.

The copy has its own environment and home folder. Root on Linux also gets a private list of processes, and
can write to no other folder, because changed code may kill or delete anything.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import venv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from itertools import count
from pathlib import Path
from typing import Protocol

ROOT = Path(__file__).parents[2]
_JAIL = 'mount --bind "$0" "$0" && mount --bind "$0/tmp" /tmp && mount -o remount,bind,ro / && '
_START = 'cd "$0" && exec "$@"'
_UNSHARE = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"]
_dates = count(2_000_000_000, 10)
FAILED = {"FAILED", "ERROR"}


class Change(Protocol):
    """A text of a file, and the text that replaces it."""

    @property
    def file(self) -> str: ...
    @property
    def old(self) -> str: ...
    @property
    def new(self) -> str: ...


@contextmanager
def copied(source: Path = ROOT) -> Iterator[Path]:
    """Yield a copy of a checkout with an environment that has it installed.

    It is not below /tmp, where changed code sees a folder of its own.
    """
    place = os.environ.get("MUTANTS_FOLDER", "/var/tmp" if _jailed() else None)
    with tempfile.TemporaryDirectory(prefix="mutant-", dir=place) as name:
        folder = Path(name)
        skipped = shutil.ignore_patterns(".*", "node_modules", "dist", "build", "_build", "corpus", "found")
        shutil.copytree(source, folder, ignore=skipped, dirs_exist_ok=True)
        (folder / "tmp").mkdir(exist_ok=True)
        private = Path.home() / ".cache" / "catan-cp"
        if private.is_dir():
            shutil.copytree(
                private, folder / "home" / ".cache" / "catan-cp", symlinks=True, dirs_exist_ok=True
            )
        venv.create(folder / ".venv", symlinks=True)
        (packages,) = folder.glob(".venv/lib/python*/site-packages")
        paths = [str(folder), *(path for path in sys.path if path.endswith("site-packages"))]
        (packages / "paths.pth").write_text("\n".join(paths))
        # Numba compiles a file again when its date changes. The package names compiled code by its contents.
        compiled = folder / "catan_cp" / "compiled.py"
        stamp = "numba.core.caching._SourceFileBackedLocatorMixin.get_source_stamp = lambda self: 0\n        "
        place = "numba.config._config_fname"
        compiled.write_text(compiled.read_text().replace(place, stamp + place))
        yield folder


@contextmanager
def changed(folder: Path, change: Change) -> Iterator[None]:
    """Apply a change to a copy for the duration of the block."""
    path = folder / change.file
    text, status = path.read_text(), path.stat()
    path.write_text(text.replace(change.old, change.new))
    date = next(_dates)  # Python compiles a file again only if its date or its size has changed
    os.utime(path, (date, date))
    try:
        yield
    finally:
        path.write_text(text)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


@cache
def _jailed() -> bool:
    """Return True if this process may make a private list of processes and read-only mounts."""
    try:
        return (
            subprocess.run([*_UNSHARE, "mount", "-o", "remount,bind,ro", "/"], capture_output=True).returncode
            == 0
        )
    except OSError:
        return False


def outcomes(
    folder: Path, tests: Sequence[str], seconds: float, *options: str, patience: float = 1
) -> tuple[dict[str, str], str]:
    """Run tests in a copy, and return their outcomes and the output.

    The outcomes are those of pytest. A test that was running when the time was over or the process died
    has the outcome ``"FAILED"``, and so has a test whose file cannot be imported.

    Args:
        folder: The copy.
        tests: Identifiers of pytest, relative to ``tests``.
        seconds: Limit of processor time of all tests together.
        options: More options of pytest.
        patience: Seconds to wait per second of processor time, more than one on a busy machine.
    """
    assert tests, "pytest without names runs all tests"
    shell = f"ulimit -t {round(seconds)} && {_START}"
    jail = [*_UNSHARE, "sh", "-c", _JAIL + shell] if _jailed() else ["sh", "-c", shell]
    names = [f"tests/{test}" for test in tests]
    plain = "-v --tb=no -p no:cacheprovider --continue-on-collection-errors -o console_output_style=classic"
    command = [".venv/bin/python", "-m", "pytest", *plain.split(), "-m", "not slow", *options, *names]
    private = {"HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp"), "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [*jail, str(folder), *command],
        cwd=folder,
        env=os.environ | private,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )

    def kill() -> None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    timer = threading.Timer(seconds * patience, kill)
    timer.start()
    try:
        text = process.stdout.read() if process.stdout else ""
    finally:
        timer.cancel()
        kill()
        process.wait()
    return _parsed(text, process.returncode, tests), text


def _parsed(text: str, status: int, tests: Sequence[str]) -> dict[str, str]:
    """Return the outcome per test from the output of pytest."""
    ended: dict[str, str] = {}
    running = ""
    for line in text.splitlines():
        if not line.startswith("tests/") or "::" not in line:
            continue
        name, _, outcome = line.removeprefix("tests/").rstrip().rpartition(" ")
        if outcome in {"PASSED", "SKIPPED", "XFAIL", "XPASS", *FAILED} or outcome.endswith(")"):
            outcome = "SKIPPED" if outcome.endswith(")") else outcome
            name = name.split(" SKIPPED (")[0].strip()
            ended[name] = outcome if ended.get(name) not in FAILED else "FAILED"
            running = ""
        else:
            running = line.removeprefix("tests/").strip()
    if status not in (0, 1) and running:
        ended[running] = "FAILED"
    if status not in (0, 1, 4, 5) and not ended:
        return dict.fromkeys(tests, "FAILED")
    if status == 4 and "ImportError while loading conftest" in text:
        return dict.fromkeys(tests, "FAILED")
    broken = set(re.findall(r"(?m)^ERROR tests/(\S+\.py) - ", text))  # files that cannot be imported
    return ended | {test: "FAILED" for test in tests if test.partition("::")[0] in broken}
