#!/bin/sh
# Runs a command, one at a time for all that name the same FILE: sh tools/locked.sh FILE COMMAND...
set -eu

lock=$1
folder=$(dirname "$lock")
shift

mkdir -p "$folder" 2>/dev/null || true
if ! [ -w "$folder" ]; then
    echo "$(cd "$folder" 2>/dev/null && pwd || echo "$folder") cannot be written to, so Skerry cannot be installed there." >&2
    echo "Name another place: make serve VENV=/tmp/skerry-venv ARGS='--data /tmp/skerry-data'" >&2
    exit 1
fi

wait_for() {
    echo "Waiting for another make that installs into this folder$1" >&2
}

if command -v flock >/dev/null; then
    flock -n "$lock" true || wait_for ""
    exec flock "$lock" "$@"
fi

# Without flock, as on macOS: of several processes only one can make a folder.
until mkdir "$lock.d" 2>/dev/null; do
    [ -n "${waited:-}" ] || wait_for "; if there is none, remove $lock.d"
    waited=yes
    sleep 1
done
trap 'rmdir "$lock.d"' EXIT
trap 'exit 130' INT TERM
"$@"
