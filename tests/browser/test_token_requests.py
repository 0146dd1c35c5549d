"""A real browser takes the code for a token to the program that asked, whatever the policy of the page."""

import webbrowser
from concurrent.futures import ThreadPoolExecutor
from queue import Queue

import pytest
from playwright.sync_api import expect

from skerry.client import Client, Profile
from skerry.database.transactions import HOUR
from skerry.sk import hand_over
from tests.conftest import PASSWORD
from tests.support import small_world
from tests.support.processes import PATIENCE


@pytest.fixture
def server(tmp_path):
    with small_world.reachable(tmp_path) as world:
        yield world


def sign_in(page, server):
    page.get_by_label("E-mail").fill(server.people["ada"].email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


@pytest.mark.parametrize("script", [True, False])
def test_signing_in_and_agreeing_lets_the_program_in(browser, server, monkeypatch, script):
    asked = Queue()
    monkeypatch.setattr(webbrowser, "open", asked.put)
    page = browser.new_page(java_script_enabled=script, locale="en")
    page.set_default_timeout(60_000)
    with ThreadPoolExecutor(1) as pool, Client(server.address, "") as client:
        waiting = pool.submit(hand_over.token_from_browser, client)
        page.goto(asked.get(timeout=PATIENCE))
        sign_in(page, server)
        page.get_by_role("button", name="Allow", exact=True).click()
        token = waiting.result(timeout=PATIENCE)
    expect(page).to_have_url(f"{server.address}/profile/tokens")
    expect(page.get_by_text("sk on ")).to_be_visible()
    page.context.close()
    with Client(server.address, token) as client:
        assert client.get(Profile).name == "Ada"


def test_a_form_that_is_sent_after_signing_in_again_leads_to_the_program(browser, server, monkeypatch):
    asked = Queue()
    monkeypatch.setattr(webbrowser, "open", asked.put)
    page = browser.new_page(locale="en")
    page.set_default_timeout(60_000)
    with ThreadPoolExecutor(1) as pool, Client(server.address, "") as client:
        waiting = pool.submit(hand_over.token_from_browser, client)
        page.goto(asked.get(timeout=PATIENCE))
        sign_in(page, server)
        allow = page.get_by_role("button", name="Allow", exact=True)
        expect(allow).to_be_visible()
        now = server.database.clock()
        monkeypatch.setattr(server.database, "clock", lambda: now + HOUR + 1)
        allow.click()
        sign_in(page, server)
        page.get_by_role("button", name="Send again", exact=True).click()
        assert len(waiting.result(timeout=PATIENCE)) == 40
    expect(page).to_have_url(f"{server.address}/profile/tokens")
    page.context.close()
