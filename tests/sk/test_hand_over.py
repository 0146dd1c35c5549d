"""Signing in through the browser: the page of the server hands a code to the waiting command."""

import webbrowser
from threading import Thread
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from tests.conftest import PASSWORD
from tests.support.browser_client import WebClient


class Browser:
    """A browser of Ada's without scripts, in which she allows what is asked, or refuses it."""

    def __init__(self, server, ada):
        self.web = WebClient(server.instance.application, server.host)
        self.web.sign_in(ada.email, PASSWORD)
        self.allows, self.ended, self.thread = True, [], None

    def open(self, address):
        self.thread = Thread(target=self.answer, args=(urlsplit(address),))
        self.thread.start()

    def answer(self, asked):
        page = self.web.get(f"{asked.path}?{asked.query}")
        page = self.web.submit(page, asked.path.removesuffix("/new")) if self.allows else page
        (place,) = (href for href in page.links if href.startswith("http://127.0.0.1:"))
        state = parse_qs(urlsplit(place).query)["state"][0]
        for address in (place.replace(state, "0" * 32), place.partition("?")[0], place):
            answer = httpx.get(address)
            self.ended.append((answer.status_code, answer.headers.get("Location")))


@pytest.fixture
def browser(server, ada, monkeypatch):
    opened = Browser(server, ada)
    monkeypatch.setattr(webbrowser, "get", lambda: opened)
    monkeypatch.setattr(webbrowser, "open", opened.open)
    yield opened
    opened.thread.join()


def test_a_click_in_the_browser_signs_in(shell, server, browser):
    shell.is_typed = True
    code, said, errors = shell.run("login", server.address)
    assert (code, said.startswith("Signed in to 127.0.0.1:")) == (0, True), errors
    assert f"Allow this in the browser: {server.address}/profile/token-requests/new?note=sk+on+" in errors
    browser.thread.join()
    # Only the answer to this very question counts.
    assert browser.ended == [(404, None), (404, None), (303, f"{server.address}/profile/tokens")]
    assert '"name":"Ada"' in shell.good("api", "GET", "/profile")


def test_a_refusal_in_the_browser_does_not_sign_in(shell, server, browser):
    shell.is_typed, browser.allows = True, False
    assert shell.bad("login", server.address) == (1, "It was refused in the browser")
    assert shell.good("servers") == ""
