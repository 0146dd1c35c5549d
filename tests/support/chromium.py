"""A real browser for the tests: Chromium as it is installed, driven by Playwright.

Where there is none, the tests that want it are skipped and the summary says so; with CI=true the
run fails at once. SKERRY_TEST_CHROMIUM names another program.
"""

import os
import shutil
import socket
from contextlib import contextmanager
from threading import Thread

import pytest
from uvicorn import Config, Server

from skerry.http_protocol import Protocol

# The headless shell is Chromium without its windows, and takes half of the time.
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# What opens beside the address of a new window is pages of their own: they take half of the browser's time.
_BESIDE = ("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup")

# What Playwright does without. Of two such lists Chromium heeds the last, so that this one has its names too.
_WITHOUT = (
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades"),
    *("HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding"),
    *("ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect", "TcpPortRandomizationWin"),
    *("OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch"),
)

# Each world is a host of its own; and nothing here calls the network.
OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--disable-features={','.join((*_WITHOUT, *_BESIDE))}",
    "--host-resolver-rules=MAP *.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)


def path():
    """Return the browser's program, None if there is none."""
    names = [os.environ.get("SKERRY_TEST_CHROMIUM"), *_NAMES]
    return next((found for name in names if name and (found := shutil.which(name))), None)


def configure(config):
    """End the run where it must have a browser and has none."""
    if path() is None and os.environ.get("CI") == "true" and not hasattr(config, "workerinput"):
        raise pytest.UsageError("There is no Chromium, and CI=true allows no tests to be skipped")


def summary(reporter):
    """Describe loudly that tests were skipped."""
    if path() is None:
        reporter.section("NO CHROMIUM: the tests in a browser were SKIPPED", red=True)
        reporter.line("Install the package chromium, or name a program in SKERRY_TEST_CHROMIUM.")


@contextmanager
def started():
    """Return a browser; skips without one."""
    program = path() or pytest.skip("there is no Chromium here")
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only where there is a browser

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(OPTIONS), timeout=120_000)
        yield browser
        browser.close()


@contextmanager
def served(application):
    """Serve an application to a browser on this machine, as a worker does, and return the port."""
    config = Config(application, http=Protocol, ws="none", lifespan="off", log_config=None, access_log=False)
    server = Server(config)
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listening:
        thread = Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            server.force_exit = server.should_exit = True
            thread.join()
