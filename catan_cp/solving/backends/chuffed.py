"""Chuffed, a constraint solver that learns clauses (lazy clause generation).

It jumps back over parts of the search tree that it has not finished and keeps the solutions there as clauses.
When these are too many it drops some, and meets those solutions again. On some models without a solution it
crashes, or asks for more memory than there is and ends with status 1.
"""

from catan_cp.solving.backends.declaration import Backend, Program

BACKEND = Backend(
    name="chuffed",
    ids=("org.chuffed.chuffed",),
    listing="ordered",
    repeats=True,
    random_search=2,
    crashes=(1,),
    program=Program(
        seed="--rnd-seed",
        milliseconds="-t",
        restarts=("--restart", "luby", "--restart-scale", "50"),
    ),
)
