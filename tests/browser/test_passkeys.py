"""Passkeys in a real browser, with an authenticator that it has for tests."""

import pytest
from playwright.sync_api import expect

from skerry.database.transactions import HOUR
from skerry.store import accounts
from tests.conftest import PASSWORD
from tests.support import small_world

# Otherwise the authenticator of the tests answers at once, without anybody who chooses in the field.
WITHOUT_OFFERS = "delete PublicKeyCredential.isConditionalMediationAvailable;"

# As in browsers that are a few years old.
OLDER = f"""
{WITHOUT_OFFERS}
delete PublicKeyCredential.parseCreationOptionsFromJSON;
delete PublicKeyCredential.parseRequestOptionsFromJSON;
delete PublicKeyCredential.prototype.toJSON;
"""

DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    **dict.fromkeys(("hasResidentKey", "hasUserVerification", "isUserVerified"), True),
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def server(tmp_path):
    with small_world.reachable(tmp_path) as world:
        yield world


@pytest.fixture
def place(server):
    """The address of the server by a name, as a number has no passkeys."""
    return server.address.replace("127.0.0.1", "localhost")


@pytest.fixture
def tab(browser, server):
    """A tab whose browser has an authenticator; it is closed before the server."""
    del server
    page = browser.new_page(locale="en", viewport={"width": 1200, "height": 800})
    page.set_default_timeout(60_000)
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    session.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
    yield page
    page.context.close()


def sign_in(page, server):
    page.get_by_label("E-mail").fill(server.people["ada"].email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def sign_out(page):
    page.get_by_role("group").get_by_text("Ada", exact=True).click()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("link", name="Sign in").first.wait_for()


def add_passkey(page, name):
    section = page.get_by_role("region", name="Passkeys")
    section.get_by_label("Name").last.fill(name)
    section.get_by_role("button", name="Add a passkey").click()
    expect(page.get_by_text("Your recovery codes")).to_be_visible()
    page.get_by_role("link", name="Back to the profile").click()
    expect(section.get_by_text(name, exact=True)).to_be_visible()
    return section


@pytest.mark.parametrize("script", [WITHOUT_OFFERS, OLDER], ids=["new", "older"])
def test_a_passkey_is_made_signs_in_alone_and_again_and_is_removed(tab, server, place, monkeypatch, script):
    tab.add_init_script(script)
    tab.goto(f"{place}/sign-in?next=/profile")
    sign_in(tab, server)
    section = add_passkey(tab, "Blue key")
    sign_out(tab)
    tab.goto(f"{place}/sign-in?next=/profile")
    tab.get_by_role("button", name="Sign in with a passkey").click()
    expect(section.get_by_text("last used")).to_be_visible()

    now = server.database.clock()
    monkeypatch.setattr(server.database, "clock", lambda: now + HOUR + 1)
    section.get_by_role("button", name="Remove Blue key").click()
    expect(tab.get_by_text("Sign in again to change this")).to_be_visible()
    tab.get_by_role("button", name="Sign in with a passkey").click()
    expect(section).to_be_visible()
    expect(section.get_by_text("Blue key")).to_have_count(0)


def test_a_browser_offers_the_passkey_in_the_field(tab, server, place):
    tab.goto(f"{place}/sign-in?next=/profile")
    sign_in(tab, server)
    section = add_passkey(tab, "Blue key")
    sign_out(tab)
    tab.goto(f"{place}/sign-in?next=/profile", wait_until="commit")
    expect(section.get_by_text("last used")).to_be_visible()


def test_a_passkey_that_is_demanded_leads_on_to_the_page_that_was_wanted(tab, server, place):
    # The name leads to the first account, which has no host.
    with server.database.write(1) as transaction:
        accounts.demand_factors(transaction, "2020-01-01")
    tab.goto(f"{place}/tickets?q=state:open")
    sign_in(tab, server)
    expect(tab.get_by_text("requires a second factor")).to_be_visible()
    tab.get_by_role("button", name="Add a passkey").click()
    expect(tab.get_by_text("Your recovery codes")).to_be_visible()
    tab.get_by_role("link", name="Continue").click()
    tab.wait_for_url(f"{place}/tickets?q=state:open")


def test_a_number_in_the_address_has_no_passkeys_and_the_page_says_so(tab, server):
    tab.goto(f"{server.address}/sign-in?next=/profile")
    expect(tab.get_by_role("button", name="Sign in with a passkey")).to_be_hidden()
    sign_in(tab, server)
    expect(tab.get_by_text("Passkeys do not work here")).to_be_visible()
    expect(tab.get_by_role("button", name="Add a passkey")).to_be_hidden()
