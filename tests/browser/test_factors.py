"""A second factor at a real browser: set up, and asked for after the password."""

import pyotp
from playwright.sync_api import expect

from tests.browser.conftest import focused
from tests.conftest import PASSWORD
from tests.support.accessibility import violations
from tests.support.factors import CodeApp


def code(world, secret, offset):
    return CodeApp(world.database, world.database.clock(), secret).code(offset)


def test_an_app_is_set_up_and_its_code_asked_for(opened, world, ada):
    page = opened(ada, "/profile", size="phone", theme="dark")
    page.get_by_role("button", name="Set up an app").click()
    secret = page.get_by_label("The key", exact=True).input_value().replace(" ", "")
    assert len(pyotp.TOTP(secret).byte_secret()) == 20
    page.get_by_role("img", name="QR code for the app").wait_for()
    assert violations(page) == []
    page.get_by_role("textbox", name="Code").fill(code(world, secret, 0))
    page.get_by_role("button", name="Confirm").click()
    codes = page.get_by_role("group", name="Recovery codes")
    assert len(codes.inner_text().split()) == 10
    assert violations(page) == []

    page = opened(path="/sign-in")
    page.get_by_label("E-mail address").fill(ada.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    field = page.get_by_label("Code")
    focused(field)
    assert violations(page) == []
    field.fill(code(world, secret, 5))
    field.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="This code is wrong")).to_be_visible()
    field.fill(code(world, secret, 1))
    field.press("Enter")
    page.get_by_role("group").get_by_text("Ada", exact=True).wait_for()


def test_where_a_factor_is_demanded_the_page_to_set_it_up_is_for_all_readers(opened, ada, monkeypatch, world):
    monkeypatch.setattr(world.database, "administrators_need_factors", True)
    page = opened(ada, "/")
    expect(page.get_by_role("heading", name="Codes from an app")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Set up an app").click()
    page.get_by_role("img", name="QR code for the app").wait_for()
    assert violations(page) == []
