"""The solvers: one module each, and one for all that have none.

A new solver is one module with its `Backend`, and its name in the table below.
"""

from __future__ import annotations

from catan_cp.solving.backends import chuffed, coin_bc, cp_sat, gecode, highs, scip
from catan_cp.solving.backends.declaration import IN_ORDER, Backend, Program
from catan_cp.solving.backends.generic import generic

BACKENDS: dict[str, Backend] = {
    module.BACKEND.name: module.BACKEND for module in (chuffed, gecode, cp_sat, highs, coin_bc, scip)
}
"""The backends by name."""

AUTO = ("chuffed", "gecode")
"""What ``solver="auto"`` tries, best first."""

__all__ = ["AUTO", "BACKENDS", "IN_ORDER", "Backend", "Program", "generic"]
