"""Studies: many boards made, scored, placed and stored, stopped and continued."""

from catan_cp.studies.run import run_study

__all__ = ["run_study"]
