#!/bin/sh
# Makes the virtual environment FOLDER with pip in it: sh tools/venv.sh FOLDER
# PYTHON names the interpreter; without it the newest one that runs, is at least 3.11 and
# has an SQLite of at least 3.35 is taken.
set -eu

folder=$1
pythons='python3.14 python3.13 python3.12 python3.11 python3'

new_enough() {
    "$1" -c 'import sqlite3, sys; sys.exit(sys.version_info < (3, 11) or sqlite3.sqlite_version_info < (3, 35))' \
        2>/dev/null
}

find_python() {
    for candidate in ${PYTHON:-$pythons}; do
        # A name may stand on the path and still not run: version managers leave such shims.
        if new_enough "$candidate"; then
            "$candidate" -c 'import sys; print(sys.executable)'
            return
        fi
    done
    echo "Skerry needs Python 3.11 or newer with SQLite 3.35 or newer; none of these is: ${PYTHON:-$pythons}" >&2
    return 1
}

has_pip() {
    "$folder/bin/python" -m pip --version >/dev/null 2>&1
}

# Debian's python3 comes without ensurepip, so that the plain way fails there until python3-venv is installed.
by_venv() {
    "$python" -m venv --clear "$folder" >/dev/null 2>&1 && has_pip
}

by_virtualenv() {
    { "$python" -m virtualenv --clear -q "$folder" || virtualenv --clear -q -p "$python" "$folder"; } >/dev/null 2>&1 &&
        has_pip
}

by_the_pip_outside() {
    "$python" -m venv --clear --without-pip "$folder" >/dev/null 2>&1 &&
        "$python" -m pip --python "$folder/bin/python" install -q pip >/dev/null 2>&1 &&
        has_pip
}

by_debian_package() {
    version=$("$python" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
    for name in "$version-venv" python3-venv; do
        sh "$(dirname "$0")/packages.sh" "for virtual environments" "$name" && by_venv && return
        [ "${SYSTEM_PACKAGES:-yes}" = no ] && break
    done
    return 1
}

python=$(find_python)
by_venv || by_virtualenv || by_debian_package || by_the_pip_outside || {
    rm -rf "$folder"
    echo "$python cannot make a virtual environment. Install the package python3-venv (Debian, Ubuntu) or virtualenv, then try again." >&2
    exit 1
}
