"""The query line of a list: a field with the query, chips behind its words, and menus that change it."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import focused
from tests.support.processes import until


@pytest.fixture
def tickets(ada, roof):
    for number, state in enumerate(("new", "open", "hold"), 1):
        ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": f"Leak {number}", "state": state}})
    return f"/projects/{roof}/tickets"


def test_known_terms_are_chips_that_follow_the_text(opened, ada, tickets):
    page = opened(ada, f"{tickets}?q=state:(new,open)+colour+-tagged:wet", size="phone")
    painted, field = page.locator(".painted"), page.locator("#query")
    expect(painted.locator(".term")).to_have_text(["state:(new,open)", "-tagged:wet"])
    field.focus()
    page.keyboard.press("End")
    page.keyboard.type(' title:"two words" colour:red')
    expect(painted.locator(".term")).to_have_text(["state:(new,open)", "-tagged:wet", 'title:"two words"'])
    assert painted.text_content() == field.input_value()

    def is_together():
        one, other = (part.evaluate("(part) => part.scrollLeft") for part in (field, painted))
        return one > 0 and abs(one - other) <= 2

    until(is_together, "the chips below the text")


def test_a_filter_is_chosen_by_keys(opened, ada, tickets):
    page = opened(ada, f"{tickets}?q=leak")
    page.keyboard.press("f")
    page.locator(".popover").wait_for()
    page.keyboard.type("sta")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="hold").wait_for()
    page.keyboard.type("hold")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=leak+state%3Ahold")
    expect(page.locator("#query")).to_have_value("leak state:hold")
    assert page.locator("[data-row]").count() == 1


def test_a_click_on_the_keyword_of_a_chip_opens_its_menu(opened, ada, tickets):
    page = opened(ada, f"{tickets}?q=state:new")
    page.locator("#query").click(position={"x": 8, "y": 14})
    page.get_by_role("button", name="hold").wait_for()
    page.keyboard.press("Escape")
    focused(page.locator("#query"))
    page.locator("#query").click(position={"x": 8, "y": 14})
    page.get_by_role("button", name="hold").click()
    page.wait_for_url("**q=state%3Ahold")


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_each_chip_is_removed_by_a_click_and_by_keys(opened, ada, tickets, size):
    page = opened(ada, f"{tickets}?q=-tagged:wet+has:comments+leak", size=size)
    page.locator("#query").click(position={"x": 12, "y": 14})
    page.get_by_role("button", name="Remove this filter").click()
    page.wait_for_url("**q=has%3Acomments+leak")
    page.locator("#query").focus()
    page.keyboard.press("Home")
    page.keyboard.press("Alt+ArrowDown")
    page.get_by_role("button", name="Remove this filter").wait_for()
    page.keyboard.press("Backspace")
    page.wait_for_url("**q=leak")


def test_a_menu_changes_what_is_typed_and_not_what_was_shown(opened, ada, tickets):
    page = opened(ada, tickets)
    page.locator("#query").fill("leak")
    page.get_by_role("link", name="Filter").click()
    page.get_by_role("link", name="Sort").click()
    page.get_by_role("button", name="Title").click()
    page.wait_for_url("**q=leak+sort%3Atitle")


def test_a_mistake_marks_the_whole_term_until_it_is_changed(opened, ada, tickets):
    page = opened(ada, f"{tickets}?q=leak+𝕏+stat:new")
    field = page.locator("#query")
    expect(page.locator(".painted .wrong")).to_have_text("stat:new")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_accessible_description(
        "Unknown keyword 'stat' at 8; did you mean 'state'? Search help Did you mean leak 𝕏 state:new?"
    )
    focused(field)
    page.keyboard.press("End")
    page.keyboard.press("Backspace")
    expect(page.locator(".painted .wrong")).to_have_count(0)
    assert field.get_attribute("aria-invalid") is None
    assert field.input_value() == "leak 𝕏 stat:ne"


def test_a_name_that_nothing_has_is_marked_until_it_is_changed(opened, ada, tickets):
    page = opened(ada, f"{tickets}?q=leak+responsible:Adda")
    expect(page.locator(".painted .wrong")).to_have_text("responsible:Adda")
    page.get_by_role("link", name="leak responsible:Ada").click()
    page.wait_for_url("**responsible%3AAda")
    expect(page.locator(".painted .wrong")).to_have_count(0)


@pytest.mark.parametrize("page", ["tickets", "board"])
def test_a_key_goes_on_after_the_query_and_escape_leaves_it_as_it_is(opened, ada, tickets, page):
    page = opened(ada, f"{tickets.removesuffix('tickets')}{page}?q=state:new")
    page.keyboard.press("/")
    page.keyboard.type("leak")
    expect(page.locator("#query")).to_have_value("state:new leak")
    page.keyboard.press("Escape")
    expect(page.locator("#query")).to_have_value("state:new leak")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.textContent") == "Leak 1"
