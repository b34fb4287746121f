"""Studies: many boards made, scored, placed and stored, stopped and continued."""

from catan_cp.studies.run import run_study
from catan_cp.studies.study import Study

__all__ = ["Study", "run_study"]
