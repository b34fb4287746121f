#!/usr/bin/env bash
# Test the built web page.
#
#     tools/test_page.sh unit    # lint, types, and data from the library
#     tools/test_page.sh e2e     # in Chromium, on a desktop and on a phone
set -euo pipefail
cd "$(dirname "$0")/../page"

export PYTHON=../.venv/bin/python
case ${1:-} in
unit)
    npm run --silent lint
    $PYTHON tests/vectors.py build/vectors.json
    npm run --silent test
    ;;
e2e) npm run --silent e2e ;;
*) sed -n 2,5p "../tools/test_page.sh" >&2 && exit 2 ;;
esac
