"""Completion of names after an @ in a text."""


def test_a_mention_is_completed_with_the_keyboard(opened, ada, ben, tickets):
    ada.post(tickets, {"ticket": {"title": "Leak"}})
    page = opened(ada, f"{tickets}/1")
    area = page.get_by_role("textbox", name="Comment")
    area.fill("Mail me@example.org, says ")
    area.press("End")
    area.press_sequentially("@b")
    page.get_by_role("option", name="@Ben").wait_for()
    assert page.locator(".writing .choices li:visible").count() == 1
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
