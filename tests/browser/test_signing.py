"""Signing in at a real browser."""

from playwright.sync_api import expect

from skerry.text import passwords
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


def test_what_a_new_password_lacks_is_said_as_the_server_says_it(opened, ben):
    page = opened(ben, "/profile")
    field, said = page.get_by_label("New password"), page.locator("#strength")
    repeated, sequence = ("abcabcabcabc", "roof!roof!roof"), ("qwertyuiop12", "abcdef123456")
    fine = ("abode of tiles", "correct horse", "日本語の長い文章です。雨漏り")
    for password in (*repeated, *sequence, *fine, f"{ben.email}!", ben.email.upper()):
        field.fill(password)
        lack = passwords.problem(password, (ben.email, "Ben"))
        expect(said).to_have_text(lack or "✓ Long enough. Common passwords are refused.")
    field.fill("a shed")
    expect(said).to_have_text("6 of 12 characters")
    field.fill("")
    expect(said).to_have_text("")
