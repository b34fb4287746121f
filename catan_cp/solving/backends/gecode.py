"""Gecode, a constraint solver that propagates and backtracks, and learns nothing."""

from catan_cp.solving.backends.declaration import Backend, Program

BACKEND = Backend(
    name="gecode",
    ids=("org.gecode.gecode",),
    listing="ordered",
    random_search=3,
    program=Program(
        seed="-r",
        milliseconds="-time",
        restarts=("-restart", "luby", "-restart-scale", "50"),
        standard_input=("-",),
    ),
)
