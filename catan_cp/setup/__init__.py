"""Bring MiniZinc to a machine, and say what is there and what is missing."""
