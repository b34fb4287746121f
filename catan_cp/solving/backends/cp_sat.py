"""CP-SAT of OR-Tools, a solver that learns clauses in several threads, whose order is that of chance."""

from catan_cp.solving.backends.declaration import Backend

BACKEND = Backend(
    name="cp-sat",
    ids=("com.google.ortools.sat", "com.google.or-tools"),
    listing="unordered",
    aliases=("cpsat", "or-tools", "ortools"),
)
