"""Tickets by keys alone, in a real browser."""

import pytest

from tests.browser.conftest import focused, listening, saved


@pytest.fixture
def three(ada, tickets):
    """Three new tickets, 3 being the newest."""
    for number in range(1, 4):
        ada.post(tickets, {"ticket": {"title": f"Ticket {number}"}})


@pytest.mark.usefixtures("three")
def test_tickets_are_gone_through_by_keys_alone(opened, ada, tickets):
    page = opened(ada, f"{tickets}?q=sort:number-")
    page.evaluate("document.activeElement.blur()")
    listening(page).keyboard.press("j")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    for number in range(3, 0, -1):
        assert page.locator("h1").inner_text() == f"#{number} Ticket {number}"
        page.keyboard.press("Control+k")
        page.keyboard.type("state:resolved" if number % 2 else "state:open responsible:me")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        if number > 1:
            with listening(page).expect_navigation():
                page.keyboard.press("j")
    found = ada.get(f"{tickets}?q=state:resolved").items
    assert sorted(each["number"] for each in found) == [1, 3]


def test_what_is_written_is_sent_by_keys_alone(opened, ada, tickets):
    page = opened(ada, f"{tickets}/new")
    focused(page.get_by_label("Title", exact=True))
    page.keyboard.type("Leak")
    page.keyboard.press("Tab")
    page.keyboard.type("Under the stairs")
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")
    listening(page).keyboard.press("r")
    page.keyboard.type("It grows")
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")
    assert [each["body"] for each in ada.get(f"{tickets}/1/versions").items] == [
        "Under the stairs",
        "It grows",
    ]


def test_keys_lead_everywhere_and_never_while_one_writes(opened, ada, ticket, tickets):
    page = listening(opened(ada, ticket))
    page.keyboard.press("r")
    page.keyboard.type("?cm/e")
    assert page.get_by_label("Comment").input_value() == "?cm/e"
    page.get_by_label("Comment").fill("")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("?")
    assert page.get_by_role("dialog", name="Keyboard shortcuts").is_visible()
    page.keyboard.press("Escape")
    page.get_by_role("dialog", name="Keyboard shortcuts").wait_for(state="hidden")
    page.keyboard.press("/")
    page.wait_for_function("document.activeElement.name === 'q'")
    page.evaluate("document.activeElement.blur()")
    for keys, wanted, first in (
        ("m", ticket, None),
        ("e", f"{ticket}/versions/1/edit", "version[body]"),
        ("c", f"{tickets}/new", "ticket[title]"),
    ):
        with listening(page).expect_navigation():
            page.keyboard.press(keys)
        assert page.evaluate("location.pathname") == wanted
        if first:
            focused(page.locator(f"[name='{first}']")).blur()
    assert ada.get(ticket).item["assigned_user_id"] == ada.user_id
    listening(page).keyboard.press("g")
    with page.expect_navigation():
        page.keyboard.press("p")
    assert page.evaluate("location.pathname") == "/projects"


@pytest.fixture
def slow(opened, ada, tickets):
    """A tab on a ticket of two, whose server takes a tenth of a second for each answer."""
    for title in ("Leak", "Crack"):
        ada.post(tickets, {"ticket": {"title": title}})
    page = listening(opened(ada, f"{tickets}/2"))
    network = {"offline": False, "latency": 100, "downloadThroughput": -1, "uploadThroughput": -1}
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", network)
    return page


@pytest.mark.parametrize("first", ["Control+k", "m", "x"])
def test_what_is_typed_while_a_page_comes_is_no_command(slow, ada, tickets, first):
    with slow.expect_navigation():
        slow.keyboard.press("j")
        slow.keyboard.press(first)
        # Longer than the page takes, with every key that does something.
        slow.keyboard.type("milestone moor comes by gmt jukebox ", delay=30)
    assert slow.evaluate("location.pathname") == f"{tickets}/1"
    assert not slow.locator("dialog[open]").count()
    listening(slow)
    assert slow.evaluate("location.pathname") == f"{tickets}/1"
    for number in (1, 2):
        item = ada.get(f"{tickets}/{number}").item
        assert (item["version"], item["assigned_user_id"]) == (1, None)


def test_after_a_pause_keys_are_commands_again(slow, tickets):
    with slow.expect_navigation():
        slow.keyboard.press("j")
        slow.keyboard.type("mm", delay=30)
    with listening(slow).expect_navigation():
        slow.keyboard.press("k")
    assert slow.evaluate("location.pathname") == f"{tickets}/2"


@pytest.mark.usefixtures("three")
def test_steps_through_tickets_need_no_pause(opened, ada, tickets):
    page = listening(opened(ada, f"{tickets}/3?in=sort:number-"))
    for number in (2, 1):
        with page.expect_navigation():
            page.keyboard.press("j")
        assert page.locator("h1").inner_text() == f"#{number} Ticket {number}"


def test_taking_a_ticket_by_a_key_is_undone_by_a_button(opened, ada, ben, ticket):
    ada.put(ticket, {"ticket": {"assigned_user_id": ben.user_id}})
    page = listening(opened(ada, ticket))
    with page.expect_navigation():
        page.keyboard.press("m")
    assert ada.get(ticket).item["assigned_user_id"] == ada.user_id
    page.get_by_text("Assigned to you instead of Ben.").wait_for()
    saved(page, "Undo")
    assert ada.get(ticket).item["assigned_user_id"] == ben.user_id
    assert not page.get_by_text("Assigned to you").count()


def test_who_marks_what_stands_in_the_quick_box_beyond_its_edge_does_not_close_it(opened, ada, ticket):
    page = opened(ada, ticket)
    page.keyboard.press("Control+k")
    box, field = page.locator("#command"), page.locator("#command input[name='ticket[body]']")
    field.fill("state:resolved")
    place = field.bounding_box()
    page.mouse.move(place["x"] + 60, place["y"] + place["height"] / 2)
    page.mouse.down()
    page.mouse.move(2, place["y"] + place["height"] / 2)
    page.mouse.up()
    assert box.is_visible()
    page.mouse.click(2, 2)
    assert not box.is_visible()
