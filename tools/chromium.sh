#!/bin/sh
# Brings a browser for the tests of the site: as it is installed, or by Debian's packages where we are root.
# Chromium's headless shell takes half of the time that the whole Chromium takes.
set -eu

has() { command -v "$1" >/dev/null 2>&1; }
install() { sh "$(dirname "$0")/packages.sh" "for the tests of the site" "$1"; }

has "${SKERRY_TEST_CHROMIUM:-chromium-headless-shell}" && exit 0

for name in chromium chromium-browser google-chrome google-chrome-stable; do
    if has "$name"; then
        if apt-cache show chromium-headless-shell >/dev/null 2>&1; then
            install chromium-headless-shell || true
        fi
        exit 0
    fi
done

install chromium-headless-shell || install chromium || true
has chromium-headless-shell || has chromium ||
    echo "No Chromium here: the tests in a browser will be SKIPPED. Install the package chromium to run them." >&2
