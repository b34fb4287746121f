"""Commands in processes of their own, on real disks that are small or may not be written (Linux)."""

import os
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from catan_cp.cli import main


def status(words):
    """Run a command of catan-cp in this process, and return its exit status."""
    with pytest.raises(SystemExit) as ended:
        main([*map(str, words)])
    return ended.value.code


def run(words, folder, **options):
    """Run a command of catan-cp with ``folder / "tmp"`` for its temporary files."""
    return python(["-m", "catan_cp.cli", *words], folder, **options)


def python(words, folder, before="", environment=None, **options):
    """Run Python in the same way; in a shell that does *before* first, in a world of mounts of its own."""
    (folder / "tmp").mkdir(exist_ok=True)
    command = [sys.executable, *words]
    if before:
        command = [*_own_mounts(), f"{before} && exec {shlex.join(command)}"]
    home = {"TMPDIR": str(folder / "tmp"), "MPLCONFIGDIR": str(Path.home())}
    return subprocess.run(
        command,
        env={**unmeasured(), **home, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        **options,
    )


def unmeasured():
    """Return the environment without what has coverage write a file at a process's end, where none may be."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}


def small_disk(folder, size):
    """What to do *before* to have a disk of a size such as "16k" at *folder*, gone with its process."""
    return f"mount -t tmpfs -o size={size} none {shlex.quote(str(folder))}"


def read_only(folder):
    """What to do *before* to have all that is in *folder* on a disk that is read only."""
    place = shlex.quote(str(folder))
    return f"mount --bind {place} {place} && mount -o remount,bind,ro {place}"


@cache
def _own_mounts():
    """Return how a shell is started that may mount: as root, or as root of a world of its own."""
    for options in ("-m", "-rm"):
        command = ["unshare", options, "sh", "-c"]
        try:
            subprocess.run([*command, "mount -t tmpfs none /mnt"], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            continue
        return command
    pytest.skip("nobody may mount a disk here")
