#!/usr/bin/env bash
# Test the built web page.
#
#     tools/test_page.sh unit    # lint, types, and data from the library
#     tools/test_page.sh e2e     # in Chromium, on a desktop and on a phone
#     tools/test_page.sh visits  # in Chromium: first and later visits, which also measure times
set -euo pipefail
cd "$(dirname "$0")/../page"

export PYTHON=../.venv/bin/python
case ${1:-} in
unit)
    npm run --silent lint
    $PYTHON tests/vectors.py build/vectors.json
    npm run --silent test
    ;;
# The largest files come first, so the last process ends soon after the others.
e2e | visits) npm run --silent "$1" ;;
*) sed -n 2,6p "../tools/test_page.sh" >&2 && exit 2 ;;
esac
