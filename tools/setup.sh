#!/bin/sh
# Make the virtual environment and install the course into it, in the tested versions and from wheels only: nothing is
# compiled. (rouge-score has no wheel, but is pure Python.)
#
#   sh tools/setup.sh VENV BIN WHAT     e.g. .venv .venv/bin .    or    .venv .venv/bin ".[dev]"
#
# The variable PYTHON names the Python to make it with, instead of the first that fits.
set -eu
venv=$1
bin=$2
what=$3

fail() {
    echo "error: $1" >&2
    exit 2
}

# Ask a Python about itself: status 0 it fits, 3 too old, 4 newer than DyNet's wheels, 5 it cannot make a virtual
# environment, any other status: it does not run.
fitness() {
    "$1" -c '
import sys
if sys.version_info < (3, 10): sys.exit(3)
if sys.version_info >= (3, 15): sys.exit(4)
try: import ensurepip, venv
except ImportError: sys.exit(5)
' >/dev/null 2>&1
}

version() {
    "$1" -c 'import sys; sys.stdout.write("%d.%d" % sys.version_info[:2])'
}

# Set `python` to the first candidate that fits, or say in one line what is wrong with the one that came closest.
find_python() {
    if [ -n "${PYTHON:-}" ]; then
        set -- "$PYTHON"
    else
        set -- python3 python python3.14 python3.13 python3.12 python3.11 python3.10
    fi
    reason=
    for python in "$@"; do
        status=0
        fitness "$python" || status=$?
        case $status in
            0) return ;;
            3) reason=${reason:-"$python is Python $(version "$python"), too old: the course needs 3.10 to 3.14"} ;;
            4) reason=${reason:-"$python is Python $(version "$python"), too new: DyNet has wheels for 3.10 to 3.14"} ;;
            5)
                package="python$(version "$python")-venv"
                reason="$python cannot make a virtual environment; on Debian or Ubuntu: sudo apt install $package"
                break
                ;;
        esac
    done
    fail "${reason:-"no Python that runs ($*)"}; another can be named: make setup PYTHON=/path/to/python3"
}

# Whether the virtual environment is there and whole.
is_usable() {
    "$bin/python" -m pip --version >/dev/null 2>&1 || return 1
    fitness "$bin/python" || [ $? -eq 5 ]
}

make_venv() {
    find_python
    echo "Making a virtual environment in $venv with Python $(version "$python") ..."
    clear=
    if [ -f "$venv/pyvenv.cfg" ]; then clear=--clear; fi
    "$python" -m venv $clear "$venv" >/dev/null || fail "$python could not make a virtual environment in $venv"
}

install() {
    echo "Installing the course's packages (about 60 MB the first time) ..."
    log=$venv/pip.log
    # Python compiles a package when it is first imported, and most never are; where it may not write, pip compiles all.
    compile=--no-compile
    if [ -n "${PYTHONDONTWRITEBYTECODE:-}" ]; then compile=--compile; fi
    "$bin/python" -m pip install --disable-pip-version-check --no-input $compile \
        --only-binary :all: --no-binary rouge-score --constraint constraints.txt --editable "$what" >"$log" 2>&1 ||
        fail "$(pip_error "$log") (details: $log)"
}

# Say in one line what pip said: the network failed, versions conflict, or its last error.
pip_error() {
    if grep -E -q 'Retry\(total=0|Max retries exceeded|Read timed out|Could not fetch URL|Connection (reset|broken)' "$1"; then
        echo "pip could not reach the packages: check the network, then run the same again"
        return
    fi
    problem=$(sed -n '/^The conflict is caused by:/,/^$/s/^  *//p' "$1" | paste -s -d ';' - | sed 's/;/; /g')
    if [ -n "$problem" ]; then
        echo "versions conflict, says pip for Python $(version "$bin/python"): $problem"
        return
    fi
    problem=$(sed -n 's/^ *ERROR: //p' "$1" | tail -n 1)
    echo "pip could not install the packages${problem:+: $problem}"
}

is_usable || make_venv
install
