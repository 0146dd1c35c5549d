#!/bin/sh
# Brings nginx and Caddy for the tests of the files in deploy/: as they are installed, or unpacked from Debian's
# packages into the environment, where nothing of them is started by the system: sh tools/proxies.sh .venv
set -eu

found() {
    command -v "$1" >/dev/null 2>&1 || [ -x "/usr/sbin/$1" ] || [ -x "$2/usr/sbin/$1" ] || [ -x "$2/usr/bin/$1" ]
}

place="$1/proxies"
for name in nginx caddy; do
    found "$name" "$place" && continue
    if [ "$(id -u)" = 0 ] && [ "${SYSTEM_PACKAGES:-yes}" != no ] && command -v apt-get >/dev/null; then
        echo "Unpacking Debian's $name into $place for the tests of deploy/" >&2
        folder=$(mktemp -d)
        chmod 755 "$folder"
        (cd "$folder" && apt-get update -qq && apt-get download -qq "$name") >/dev/null 2>&1 &&
            mkdir -p "$place" && dpkg -x "$folder"/*.deb "$place" || true
        rm -rf "$folder"
    fi
    found "$name" "$place" || echo "No $name here: its tests will be SKIPPED. Install the package $name to run them." >&2
done
