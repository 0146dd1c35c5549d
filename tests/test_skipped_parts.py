"""What the tests say at their end when a part of them could not be run."""

import io

import pytest

from tests.support import chromium, reverse_proxies


@pytest.fixture
def summary_of(pytestconfig):
    """Return a function that returns what the summary of a part writes on the terminal."""

    def write(part):
        written = io.StringIO()
        part.summary(pytest.TerminalReporter(pytestconfig, written))
        return written.getvalue()

    return write


def test_a_missing_browser_is_announced(monkeypatch, summary_of):
    monkeypatch.setattr(chromium, "path", lambda: None)
    assert "NO CHROMIUM" in summary_of(chromium)


def test_a_missing_proxy_is_announced(monkeypatch, summary_of):
    monkeypatch.setattr(reverse_proxies, "path", lambda name: None if name == "caddy" else name)
    said = summary_of(reverse_proxies)
    assert "NO CADDY" in said
    assert "NGINX" not in said
