#!/bin/sh
# Installs packages of Debian or Ubuntu, announced first: sh tools/packages.sh REASON NAME...
# Fails where that is not possible (no root, no apt-get) or is forbidden by SYSTEM_PACKAGES=no.
set -eu

reason=$1
shift

[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || exit 1

if [ "${SYSTEM_PACKAGES:-yes}" = no ]; then
    echo "SYSTEM_PACKAGES=no: not installing $* ($reason)" >&2
    exit 1
fi

echo "Installing outside of .venv, by apt-get ($reason; SYSTEM_PACKAGES=no forbids it):" >&2
printf '  %s\n' "$@" >&2
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq >/dev/null 2>&1
apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1
