"""Studies: many boards made, scored, placed and stored, stopped and continued; described and compared."""

from catan_cp.studies.comparing import describe_study
from catan_cp.studies.run import run_study
from catan_cp.studies.study import Study

__all__ = ["Study", "describe_study", "run_study"]
