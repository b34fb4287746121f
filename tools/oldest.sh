#!/usr/bin/env bash
# Run selected tests with the oldest supported versions of all dependencies.
#
#     tools/oldest.sh [TEST...]
#
# Debian 12 has Python 3.11.2, which lacks functions of 3.11.4. Without such a Python, the usual one is used.
set -euo pipefail
cd "$(dirname "$0")/.."

make solver
if [ .venv-oldest/ready -ot pyproject.toml ] || [ .venv-oldest/ready -ot tests/oldest.txt ]; then
    for python in python3.11 /usr/bin/python3.11 "${PYTHON:-python3}"; do
        "$python" -c 'import ensurepip, sys; sys.exit(not (3, 11) <= sys.version_info < (3, 11, 4))' 2>/dev/null && break
    done || echo "No Python 3.11.0 to 3.11.3 with venv is installed (on Debian 12: apt-get install python3-venv)."
    "$python" -m venv --clear .venv-oldest
    .venv-oldest/bin/python -m pip install --quiet --constraint tests/oldest.txt \
        pytest pytest-timeout pytest-xdist hypothesis --editable .
    touch .venv-oldest/ready
fi
[ $# -gt 0 ] || set -- tests/boards/test_arguments.py tests/studies/test_store.py tests/solving/test_find.py \
    tests/setup/test_doctor.py tests/setup/test_portable.py tests/cli/test_cli.py tests/search/test_enumerating.py \
    tests/draw tests/house/test_package.py
echo "The oldest versions are tested with $(.venv-oldest/bin/python --version)."
.venv-oldest/bin/python -m pytest -q -n 3 --dist worksteal --timeout 600 -m "not slow" "$@"
