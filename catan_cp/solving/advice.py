"""Which command brings MiniZinc and its solvers on this platform.

>>> command_for("chuffed")
'catan-cp doctor --install'
>>> other_command_for("chuffed", Machine("macos"))
'brew install --cask minizincide'
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

OWN_COMMAND = "catan-cp doctor --install"
"""Brings all that is needed without root: from Debian's archive, or as WebAssembly, which runs anywhere."""

BRING_IT_WITH = "bring it with:"

# The first releases that package MiniZinc, Gecode and Chuffed together.
_APT_HAS_ALL = MappingProxyType({"debian": (13,), "ubuntu": (25, 10)})
_APT_ALL = "sudo apt-get install minizinc gecode-flatzinc chuffed-flatzinc"
_DEBIAN_WITH_GECODE = (12,)
_APT_GECODE = "sudo apt-get install minizinc flatzinc"

# Each of these brings MiniZinc's own bundle, which holds both solvers.
_SNAP = "sudo snap install minizinc --classic"
_BUNDLE = MappingProxyType(
    {
        "debian": _SNAP,
        "ubuntu": _SNAP,
        "fedora": f"sudo dnf install snapd && sudo ln -sfn /var/lib/snapd/snap /snap && {_SNAP}",
        "arch": "yay -S minizinc-ide",
        "macos": "brew install --cask minizincide",
        "windows": 'winget install MiniZinc.MiniZincIDE && setx CATAN_CP_MINIZINC "%ProgramFiles%\\MiniZinc"',
    }
)
_BY_HAND = (
    "unpack MiniZinc's bundled binary release into FOLDER, then: {remember} CATAN_CP_MINIZINC=FOLDER/bin"
)

_FAMILIES = MappingProxyType(
    {"ubuntu": "ubuntu", "debian": "debian", "fedora": "fedora", "rhel": "fedora", "arch": "arch"}
)


@dataclass(frozen=True)
class Machine:
    """What decides the command.

    Args:
        family: "debian", "ubuntu", "fedora", "arch", "macos", "windows" or "other".
        release: the release of Debian or Ubuntu, such as ``(24, 4)``; empty where unknown.
        conda: whether Python runs in a conda environment, which can remember where MiniZinc is.
    """

    family: str
    release: tuple[int, ...] = ()
    conda: bool = False


def this_machine() -> Machine:
    """Return the machine that we run on."""
    conda = (Path(sys.prefix) / "conda-meta").is_dir()
    system = {"Darwin": "macos", "Windows": "windows"}.get(platform.system())
    if system is not None:
        return Machine(system, conda=conda)
    try:
        return linux_machine(platform.freedesktop_os_release(), conda)
    except OSError:
        return Machine("other", conda=conda)


def linux_machine(os_release: Mapping[str, str], conda: bool = False) -> Machine:
    """Return the machine that the fields of an ``os-release`` file describe."""
    names = [os_release.get("ID", ""), *os_release.get("ID_LIKE", "").split()]
    family = next((family for name, family in _FAMILIES.items() if name in names), "other")
    # A derivative counts its own releases, which say nothing about those of its ancestor.
    number = os_release.get("VERSION_ID", "") if names[0] == family else ""
    parts = number.split(".")
    return Machine(family, tuple(map(int, parts)) if all(map(str.isdigit, parts)) else (), conda)


def command_for(what: str) -> str:
    """Return the command that brings *what* ("minizinc", "gecode" or "chuffed"), our own if there is one."""
    return other_command_for(what) if getattr(sys, "frozen", False) else OWN_COMMAND


def other_command_for(what: str, machine: Machine | None = None) -> str:
    """Return the command that brings *what* without a private copy: packages of the system, or a bundle.

    What is brought may be more than *what*, where one package holds all.
    """
    machine = machine or this_machine()
    first = _APT_HAS_ALL.get(machine.family)
    if first is not None and machine.release >= first:
        return _APT_ALL
    if machine.release == _DEBIAN_WITH_GECODE and machine.family == "debian" and what != "chuffed":
        return _APT_GECODE
    if machine.family in _BUNDLE:
        return _BUNDLE[machine.family]
    return _BY_HAND.format(remember="conda env config vars set" if machine.conda else "export")


def bring(what: str) -> str:
    """Return the end of an error message: how to bring *what* on this machine."""
    return f"{BRING_IT_WITH} {command_for(what)}"
