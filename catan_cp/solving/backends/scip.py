"""SCIP, a mixed integer solver: a library that MiniZinc loads from where the system has its libraries."""

from catan_cp.solving.backends.declaration import Backend

BACKEND = Backend(name="scip", ids=("org.minizinc.mip.scip",), listing="one")
