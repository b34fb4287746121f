#!/usr/bin/env bash
# Build the wheel, with the web page if npm is installed, install it in a clean environment, and generate a board.
set -euo pipefail
cd "$(dirname "$0")/.."

make solver
! command -v npm >/dev/null || make page
rm -rf dist
.venv/bin/python -m pip wheel --quiet --no-deps --wheel-dir dist .
[ -z "$(find dist -name '*.whl' -size +15000k)" ] || { echo "the wheel is over 15 MB" && exit 1; }
outside=$(mktemp -d)
trap 'rm -rf "$outside"' EXIT
wheel=$(realpath dist/*.whl)
"${PYTHON:-python3}" -m venv "$outside/venv"
"$outside/venv/bin/pip" install --quiet "$wheel"
cd "$outside"
venv/bin/catan-cp generate --seed 1 --save board.svg
test -s board.svg
! command -v npm >/dev/null || venv/bin/catan-cp page --no-browser --port 0 --minutes 0.01
