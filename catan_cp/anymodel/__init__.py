"""Counts, samples and conflicts of any MiniZinc model with small domains, and runs of several solvers.

A model is compiled once, with MiniZinc's standard library, which decomposes global constraints and sets into
basic constraints (`models`). So all methods read the same constraints, and none of them depends on a solver's
own version of a global constraint. Two methods run at once, and the first result counts (`racing`):

* Gecode and Chuffed list the solutions of the compiled model.
* The compiled model becomes clauses (`clauses`). The model counters d4 and ganak count their solutions
  (`counters`). Samples come from d4's decision diagram (`diagrams`).

This package imports nothing about boards.
"""
