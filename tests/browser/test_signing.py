"""Signing in at a real browser."""

from tests.browser.conftest import focused
from tests.conftest import PASSWORD


def test_somebody_signs_in_and_out(opened, ada):
    page = opened()
    page.get_by_role("link", name="Sign in").first.click()
    page.get_by_label("E-mail address").fill(ada.email)
    page.get_by_label("Password").fill("wrong")
    page.get_by_label("Password").press("Enter")
    page.get_by_role("alert").filter(has_text="Wrong login or password").wait_for()
    focused(page.get_by_label("Password"))
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("group").get_by_text("Ada", exact=True).click()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("link", name="Sign in").first.wait_for()
