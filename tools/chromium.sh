#!/bin/sh
# Brings a browser for the tests of the site: as it is installed, or by Debian's packages where we are root.
# Chromium's headless shell takes half of the time that the whole Chromium takes.
set -eu

has() { command -v "$1" >/dev/null 2>&1; }

install() {
    echo "Installing Debian's $1 for the tests of the site" >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1" >/dev/null 2>&1
}

has "${SKERRY_TEST_CHROMIUM:-chromium-headless-shell}" && exit 0

debian=no
[ "$(id -u)" = 0 ] && has apt-get && debian=yes

for name in chromium chromium-browser google-chrome google-chrome-stable; do
    if has "$name"; then
        # Not worth an update of the lists of packages.
        if [ "$debian" = yes ] && apt-cache show chromium-headless-shell >/dev/null 2>&1; then
            install chromium-headless-shell || true
        fi
        exit 0
    fi
done

if [ "$debian" = yes ]; then
    apt-get update -qq >/dev/null 2>&1 && { install chromium-headless-shell || install chromium; } && exit 0
fi
echo "No Chromium here, and no way to install it: the tests in a browser will be SKIPPED" >&2
