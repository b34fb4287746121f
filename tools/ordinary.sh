#!/usr/bin/env bash
# Run tests as on an ordinary machine: no environment variables, a path with a space and an umlaut, umask 077,
# LANG=C, a distant time zone and a read-only home. As root they run twice, the second time as another user.
#
#     tools/ordinary.sh [TEST...]
set -euo pipefail
cd "$(dirname "$0")/.."
make solver
umask 077

python=$PWD/.venv/bin/python
[ $# -gt 0 ] || set -- tests/boards tests/house/test_package.py tests/cli/test_commands.py \
    tests/studies/test_workers.py::test_output_of_function_is_not_result \
    tests/studies/test_faults_disk.py::test_full_disk_behind_standard_output \
    tests/studies/test_store.py::test_read_only_store_can_be_read
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
checkout="$top/my games/Größe"
mkdir -p "$checkout" "$top/home" "$top/tmp"
git ls-files -z | tar -c --null -T - | tar -x -C "$checkout"
cd "$checkout"

# MiniZinc, copied where every user may start it, if it is in the cache of this user.
solver=$("$python" -c 'from catan_cp.solving.find import find_minizinc; print(find_minizinc().executable)')
if [[ $solver = */catan-cp/* ]]; then
    cp -R "$(dirname "$(dirname "$solver")")" "$top/minizinc"
    solver=$top/minizinc/bin/$(basename "$solver")
fi
# An environment of its own in the checkout, with the packages of the first.
"$python" -m venv --without-pip .venv
packages=$("$python" -c 'import sys; print(*(path for path in sys.path if path.endswith("site-packages")), sep="\n")')
printf '%s\n' "$checkout" "$packages" >"$(.venv/bin/python -c 'import site; print(site.getsitepackages()[0])')/here.pth"

run() {
    env -i PATH=/usr/local/bin:/usr/bin:/bin HOME="$top/home" TMPDIR="$top/tmp" LANG=C TZ=UTC-14 \
        CATAN_CP_MINIZINC="$solver" "$@"
}
tests=("$checkout/.venv/bin/python" -m pytest -q -n 2 -p no:cacheprovider -m "not slow" "$@")

chmod 500 "$top/home"
if [ "$(id -u)" != 0 ]; then
    echo "ordinary machine, as this user (the run as another user needs root)"
    run "${tests[@]}"
    exit
fi
echo "ordinary machine, as root"
# Permissions do not bind root, so its home is on a read-only file system.
run unshare --mount sh -c 'mount -t tmpfs -o ro none "$HOME" && exec "$@"' sh "${tests[@]}"
echo "ordinary machine, as another user"
# The user may read every folder, since Python may be installed in the home of root.
chown -R 65534:65534 "$top"
run setpriv --reuid=65534 --regid=65534 --clear-groups \
    --inh-caps=+dac_read_search --ambient-caps=+dac_read_search "${tests[@]}"
