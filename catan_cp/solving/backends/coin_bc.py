"""COIN-OR branch and cut (CBC), a mixed integer solver that is built into MiniZinc."""

from catan_cp.solving.backends.declaration import Backend

BACKEND = Backend(name="coin-bc", ids=("org.minizinc.mip.coin-bc",), listing="one", aliases=("cbc",))
