#!/bin/sh
# The part of tools/bare.sh that a user runs in a folder with a wheel of the package.
#
#     bare_install.sh install pip|pipx|uv    # with a network
#     bare_install.sh try                    # without one
set -eu

# Install the wheel with MiniZinc, from this folder and the registries, and write the folder of its programs into a file.
install_wheel() {
    python3 --version
    # Installers of their own come from the registries, too.
    python3 -m venv installers
    case $1 in
        pip) ;;
        *) installers/bin/pip install --quiet "$1" ;;
    esac
    PIP_FIND_LINKS="${PIP_FIND_LINKS:-} file://$(printf %s "$PWD" | sed 's/ /%20/g')"
    export PIP_FIND_LINKS
    case $1 in
        pip)
            python3 -m venv venv
            venv/bin/pip install --quiet 'catan-cp[solver]'
            for extra in fast count prove frame highs cluster notebook; do
                venv/bin/pip install --quiet --only-binary :all: "catan-cp[$extra]" || echo "no wheels for the extra '$extra'"
            done
            programs=$PWD/venv/bin
            ;;
        pipx)
            PIPX_DEFAULT_PYTHON=$(command -v python3) installers/bin/pipx install --backend pip 'catan-cp[solver]'
            "$HOME/.local/bin/catan-cp" --version
            programs=$(dirname "$(readlink -f "$HOME/.local/bin/catan-cp")")
            ;;
        uv)
            installers/bin/uv venv --quiet --python "$(command -v python3)" venv
            installers/bin/uv pip install --quiet --native-tls --python venv/bin/python --find-links . 'catan-cp[solver]'
            programs=$PWD/venv/bin
            ;;
    esac
    printf %s "$programs" >programs
}

# Use what is installed: each command is in the README, and none may need the network.
try() {
    PATH=$(cat programs):$PATH
    export PATH
    catan-cp --version
    catan-cp doctor
    catan-cp generate --seed 1 --save board.svg
    catan-cp generate --rules optimal --method solver --seed 1 --save board.png
    catan-cp count boards --rules optimal
    board=$(catan-cp generate --rules tournament --seed 1 -f notation)
    catan-cp report "$board" --save report.pdf
    catan-cp print "$board" --save print.pdf
    catan-cp study --db study.db -n 20
    catan-cp top study.db -k 3
    catan-cp page --no-browser --port 0 --minutes 0.01
    printf 'var 1..3: x; constraint x > 1;' >model.mzn
    catan-cp count model model.mzn
    printf 'vertex_sum_below = 19\n' >tight.toml
    # What extras are for: each works, or names the extra.
    for line in "play $board --games 5" "prove tight.toml --save proof" "sample model model.mzn" \
        "top study.db --parquet top.parquet"; do
        echo "\$ catan-cp $line"
        # shellcheck disable=SC2086
        catan-cp $line || echo "status $?"
    done
    python -c 'import catan_cp; print(catan_cp.generate_board(method="solver", seed=1).notation())'
}

case $1 in
    install) install_wheel "$2" ;;
    try) try ;;
esac
