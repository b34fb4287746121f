"""Commands in separate processes, on real disks that are small or read-only (Linux)."""

import os
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

# The entry point of the command. It is not a public name, and tests import it only in this file.
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
    """Run Python in the same way.

    It runs in a shell that executes *before* first, in a separate mount namespace.
    """
    (folder / "tmp").mkdir(exist_ok=True)
    command = [sys.executable, *map(str, words)]
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
    """Return the environment without coverage, which writes a file when the process ends."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}


def small_disk(folder, size):
    """Return a command that mounts a disk of a size such as "16k" at *folder* for the process."""
    return f"mount -t tmpfs -o size={size} none {shlex.quote(str(folder))}"


def read_only(folder):
    """Return a command that makes all files in *folder* read-only for the process."""
    place = shlex.quote(str(folder))
    return f"mount --bind {place} {place} && mount -o remount,bind,ro {place}"


@cache
def _own_mounts():
    """Return the command of a shell that may mount: as root, or as root of a new namespace."""
    for options in ("-m", "-rm"):
        command = ["unshare", options, "sh", "-c"]
        try:
            subprocess.run([*command, "mount -t tmpfs none /mnt"], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            continue
        return command
    pytest.skip("nobody may mount a disk here")
