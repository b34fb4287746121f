"""Studies: many boards generated, scored, stored, described and compared."""

from catan_cp.studies.comparing import describe_study
from catan_cp.studies.run import run_study
from catan_cp.studies.study import Study

__all__ = ["Study", "describe_study", "run_study"]
