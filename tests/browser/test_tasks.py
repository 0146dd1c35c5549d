"""Tasks in a real browser: ticking keeps the page, and each box has a label."""

import pytest

from skerry.languages import LANGUAGES
from tests.support.accessibility import violations
from tests.support.processes import until

TASKS = "- [ ] find *it*\n- [x] buy\n\n```python\ndef find(): return 'it'  # now\n```"


@pytest.fixture
def tasks(ada, tickets):
    """The address of a ticket with tasks."""
    ada.post(tickets, {"ticket": {"title": "Leak", "body": TASKS}})
    return f"{tickets}/1"


def done(client, ticket):
    return client.get(ticket).item["body"].count("[x]")


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_ticking_a_box_keeps_an_unfinished_comment(opened, ada, ben, tasks, language):
    page = opened(ben, tasks, language=language)
    area = page.locator(".reply textarea")
    area.fill("Half a sen")
    box = page.get_by_role("checkbox", name="find it")
    for checked, count in ((True, 2), (False, 1)):
        box.press("Space")
        until(lambda checked=checked: box.is_checked() is checked, "the tick")
        assert done(ada, tasks) == count
        assert box.evaluate("(found) => found === document.activeElement")
    assert area.input_value() == "Half a sen"


@pytest.mark.parametrize("script", [True, False])
def test_a_tick_of_a_text_that_changed_shows_the_text(opened, ada, ben, tasks, script):
    page = opened(ben, tasks, script=script)
    ada.put(f"{tasks}/versions/1", {"version": {"body": f"- [ ] new\n{TASKS}"}})
    with page.expect_navigation():
        page.get_by_role("checkbox", name="find it").click()
    assert page.get_by_text("This was changed while you were writing").is_visible()
    assert page.get_by_label("Text").input_value().startswith("- [ ] new")
    assert done(ada, tasks) == 1


def test_axe_reports_nothing_about_tasks_and_code(opened, ada, harbour):
    address = f"/projects/{harbour}/tickets"
    ada.post(address, {"ticket": {"title": "Leak", "body": TASKS}})
    for who in (ada, None):
        page = opened(who, f"{address}/1")
        assert page.get_by_role("checkbox", name="find it", disabled=who is None).is_visible()
        assert violations(page) == []
