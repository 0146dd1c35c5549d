#!/bin/sh
# Brings Chromium for the tests of the site: as it is installed, or by Debian's package where we are root.
set -eu

for name in "${SKERRY_TEST_CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable; do
    [ -n "$name" ] && command -v "$name" >/dev/null 2>&1 && exit 0
done

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing Debian's chromium for the tests of the site" >&2
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } >/dev/null 2>&1 && exit 0
fi
echo "No Chromium here, and no way to install it: the tests in a browser will be SKIPPED" >&2
