"""Runs MiniZinc: finds solvers, compiles models, reads solutions."""
