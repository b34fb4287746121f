#!/usr/bin/env bash
# Pack the web page as dist/catan-cp-page.zip, to unpack on any web host; hosting.txt in it says how.
set -euo pipefail
cd "$(dirname "$0")/.."

make page
mkdir -p dist
rm -f dist/catan-cp-page.zip
cd page/dist
../../.venv/bin/python -m zipfile -c ../../dist/catan-cp-page.zip ./*
