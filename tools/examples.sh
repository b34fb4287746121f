#!/usr/bin/env bash
# Run a small cup, and a small case of each script that repeats a published work.
set -euo pipefail
cd "$(dirname "$0")/.."

make solver
run() { .venv/bin/python "examples/$@"; }
run cup.py 20
run sources/twright2019.py --small
run sources/christenson2025.py --boards 2 --players 3 --methods feasibility,memo,bounds,library
run sources/dralexportfolio2025.py targets
run sources/dralexportfolio2025.py swaps --boards 2 --steps 100
run sources/dralexportfolio2025.py powers --boards 2 --steps 50
