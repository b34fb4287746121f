"""Which command brings MiniZinc and its solvers on this platform.

>>> command_for("chuffed", Machine("arch"))
'yay -S minizinc-ide-bin'
"""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

OWN_COMMAND = "catan-cp doctor --install"
"""Brings a private copy of all that is needed, without root; Debian family only."""

DEBIAN_WITH_CHUFFED = 13
"""The first Debian release that packages Chuffed."""

_SNAP = "sudo snap install minizinc --classic"
_BUNDLE = (
    "download MiniZinc's own bundle (it holds Gecode and Chuffed), unpack it, and set CATAN_CP_MINIZINC "
    "to its bin folder"
)

# One download brings MiniZinc with both solvers on these.
_WHOLE = MappingProxyType(
    {
        "ubuntu": _SNAP,
        "fedora": _SNAP,
        "arch": "yay -S minizinc-ide-bin",
        "macos": "brew install --cask minizincide",
        "windows": 'winget install MiniZinc.MiniZincIDE && setx CATAN_CP_MINIZINC "%ProgramFiles%\\MiniZinc"',
        "conda": "conda install -c conda-forge minizinc",
        "other": _BUNDLE,
    }
)


@dataclass(frozen=True)
class Machine:
    """What decides the command: a family of systems and, for Debian, its release (0 where unknown)."""

    family: str
    release: int = 0


def this_machine() -> Machine:
    """Return the machine that we run on; a Python inside conda counts as conda whatever lies below."""
    if (Path(sys.prefix) / "conda-meta").is_dir() or os.environ.get("CONDA_PREFIX") == sys.prefix:
        return Machine("conda")
    system = platform.system()
    if system in ("Darwin", "Windows"):
        return Machine("macos" if system == "Darwin" else "windows")
    try:
        return linux_machine(platform.freedesktop_os_release())
    except OSError:
        return Machine("other")


def linux_machine(os_release: dict[str, str]) -> Machine:
    """Return the machine that the fields of an ``os-release`` file describe."""
    names = [os_release.get("ID", ""), *os_release.get("ID_LIKE", "").split()]
    for name, family in (
        ("ubuntu", "ubuntu"),
        ("debian", "debian"),
        ("fedora", "fedora"),
        ("rhel", "fedora"),
        ("arch", "arch"),
    ):
        if name in names:
            # Only Debian's own numbers say which Debian it is: a derivative counts its own releases.
            number = os_release.get("VERSION_ID", "") if names[0] == "debian" == family else ""
            return Machine(family, int(number) if number.isdigit() else 0)
    return Machine("other")


def command_for(what: str, machine: Machine | None = None) -> str:
    """Return the command that brings *what* ("minizinc", "gecode" or "chuffed") on *machine* (this one)."""
    machine = machine or this_machine()
    return OWN_COMMAND if machine.family == "debian" else _WHOLE[machine.family]


def system_command_for(what: str, machine: Machine | None = None) -> str:
    """Return the way that does not use a private copy of ours: the system's own packages, or a bundle."""
    machine = machine or this_machine()
    if machine.family != "debian":
        return _WHOLE[machine.family]
    if machine.release >= DEBIAN_WITH_CHUFFED:
        packages = {"minizinc": "minizinc gecode-flatzinc chuffed-flatzinc", "chuffed": "chuffed-flatzinc"}
        return f"sudo apt-get install {packages.get(what, 'gecode-flatzinc')}"
    return _BUNDLE if what == "chuffed" else "sudo apt-get install minizinc flatzinc"
