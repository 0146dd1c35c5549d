"""Completion of names after an @ in a text, and of tickets after a #."""

from playwright.sync_api import expect


def test_a_mention_is_completed_with_the_keyboard(opened, ada, ben, tickets):
    ada.post(tickets, {"ticket": {"title": "Leak"}})
    page = opened(ada, f"{tickets}/1")
    area = page.get_by_role("textbox", name="Comment")
    area.fill("Mail me@example.org, says ")
    area.press("End")
    area.press_sequentially("@b")
    page.get_by_role("option", name="@Ben", selected=True).wait_for()
    expect(page.locator(".writing .choices li:visible")).to_have_count(1)
    area.press("ArrowDown")
    area.press("Enter")
    assert area.input_value() == "Mail me@example.org, says @Ben "
    assert page.locator(".writing .choices li:visible").count() == 0
    area.press_sequentially("and me@b")
    area.press("Enter")
    assert area.input_value().endswith("and me@b\n")
    with page.expect_navigation():
        page.get_by_role("button", name="Comment", exact=True).click()
    assert page.get_by_role("link", name="@Ben").get_attribute("href") == f"/users/{ben.user_id}"


def place(page):
    return page.locator(".writing .choices:visible").bounding_box()


def test_a_ticket_is_completed_by_words_at_the_caret(opened, ada, tickets):
    for title in ("Leak", "Smoke in the galley", "Smoke in the hold"):
        ada.post(tickets, {"ticket": {"title": title}})
    page = opened(ada, f"{tickets}/1")
    area = page.get_by_role("textbox", name="Comment")
    area.fill("As before:\n\nSee ")
    area.press("End")
    area.press_sequentially("#smoke in the ga")
    page.get_by_role("option", name="#2 Smoke in the galley", selected=True).wait_for()
    field, choices = area.bounding_box(), place(page)
    assert field["y"] < choices["y"] < field["y"] + field["height"]
    assert choices["x"] > field["x"] + 20
    area.press("Tab")
    assert area.input_value() == "As before:\n\nSee #2 "
    area.press("Control+z")
    assert area.input_value() == "As before:\n\nSee #smoke in the ga"


def test_what_is_typed_out_is_left_as_it_is_by_enter(opened, ada, ticket):
    page = opened(ada, ticket)
    area = page.get_by_role("textbox", name="Comment")
    area.press_sequentially("#1")
    page.get_by_role("option", name="#1 Leak").wait_for()
    area.press("Enter")
    assert area.input_value() == "#1\n"


def test_the_list_stays_in_a_narrow_window(opened, ada, tickets):
    ada.post(tickets, {"ticket": {"title": "Leak " * 40}})
    page = opened(ada, f"{tickets}/new", size="phone")
    area = page.get_by_label("Description")
    area.fill("It is the same as in the")
    area.press_sequentially(" #leak")
    page.get_by_role("option", name="#1 Leak").wait_for()
    choices = place(page)
    assert choices["x"] >= 0
    assert choices["x"] + choices["width"] <= 390
    assert choices["y"] + choices["height"] <= 800
