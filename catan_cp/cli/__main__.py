"""Run the command line as ``python -m catan_cp.cli``."""

from catan_cp.cli import main

main()
