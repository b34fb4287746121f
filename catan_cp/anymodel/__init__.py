"""Counts, samples and conflicts of any MiniZinc model with small domains, and runs of several solvers.

A model is compiled once. MiniZinc's standard library decomposes sets and global constraints into basic
constraints (`models`), except alldifferent, which is much faster in one piece. So all methods read the same
constraints, and do not depend on a solver's own versions of global constraints. A model that includes the
library of a solver is compiled with it, and that solver lists the solutions.

Two methods run at once, and the first result counts (`racing`):

* Gecode and Chuffed list the solutions of the compiled model.
* The compiled model becomes clauses (`clauses`). The model counters d4 and ganak count their solutions
  (`counters`). Samples come from d4's decision diagram (`diagrams`).

This package imports nothing about boards.
"""
