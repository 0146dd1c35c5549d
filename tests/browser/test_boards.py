"""Cards that are moved on a board, by mouse, finger and keys."""

import pytest

from tests.support.processes import until


@pytest.fixture
def board(ada, tickets):
    for title in ("Leak", "Moss"):
        ada.post(tickets, {"ticket": {"title": title}})
    return tickets.replace("/tickets", "/board")


def column(page, name):
    return page.locator(".column", has=page.get_by_role("heading", name=name))


def cards(page, name):
    return column(page, name).locator(".tile [data-open]")


def saved(page, number):
    """Wait until a page says that a move was saved."""
    page.get_by_text(f"#{number} saved: State").wait_for()


def middle(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.parametrize("handle", ["[data-open]", ".face"])
def test_the_mouse_drags_a_card_to_another_column_and_z_undoes_it(opened, ada, tickets, board, handle):
    page = opened(ada, board)
    page.mouse.move(*middle(column(page, "new").locator(".tile", has_text="Leak").locator(handle)))
    page.mouse.down()
    page.mouse.move(*middle(column(page, "open").locator("h2")), steps=5)
    page.locator(".column.over", has_text="open").wait_for()
    page.mouse.up()
    saved(page, 1)
    assert cards(page, "open").all_inner_texts() == ["Leak"]
    assert (page.url.endswith("/board"), ada.get(f"{tickets}/1").item["state"]) == (True, "open")
    page.keyboard.press("z")
    cards(page, "new").filter(has_text="Leak").wait_for()
    assert ada.get(f"{tickets}/1").item["state"] == "new"


def test_keys_pick_a_card_up_choose_its_column_and_drop_it(opened, ada, tickets, board):
    page = opened(ada, board)
    page.get_by_role("link", name="Moss").focus()
    page.keyboard.press("ArrowDown")
    for key in (" ", "ArrowRight", "ArrowRight", " "):
        page.keyboard.press(key)
    assert page.locator("#moved").inner_text() == "Moved to: resolved"
    saved(page, 1)
    assert page.evaluate("document.activeElement.textContent") == "Leak"
    for key in (" ", "ArrowLeft", "Escape"):
        page.keyboard.press(key)
    assert page.locator("#moved").inner_text() == "Not moved."
    assert (cards(page, "resolved").count(), ada.get(f"{tickets}/1").item["version"]) == (1, 2)


def test_a_finger_drags_after_a_long_press_and_scrolls_otherwise(opened, ada, tickets, board):
    page = opened(ada, board, size="phone")
    touch = page.context.new_cdp_session(page)

    def send(kind, *at):
        points = [{"x": at[0], "y": at[1]}] if at else []
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    x, y = middle(cards(page, "new").filter(has_text="Leak"))
    send("touchStart", x, y)
    page.locator(".tile.held").wait_for()
    right, _ = middle(column(page, "open").locator("h2 bdi"))
    send("touchMove", right, y)
    page.locator(".column.over", has_text="open").wait_for()
    send("touchEnd")
    saved(page, 1)
    assert ada.get(f"{tickets}/1").item["state"] == "open"


def test_a_card_returns_if_somebody_has_changed_its_ticket_meanwhile(opened, ada, ben, tickets, board):
    page = opened(ada, board)
    page.route("**/events.json*", lambda route: route.abort())
    page.reload()
    ben.put(f"{tickets}/2", {"ticket": {"state": "hold"}})
    page.get_by_role("link", name="Moss").focus()
    for key in (" ", "ArrowRight", " "):
        page.keyboard.press(key)
    page.get_by_text("This was changed while you were writing").wait_for()
    cards(page, "hold").filter(has_text="Moss").wait_for()
    assert ada.get(f"{tickets}/2").item["state"] == "hold"


def test_a_card_stays_where_it_was_if_the_server_does_not_respond(opened, ada, board):
    page = opened(ada, board)
    page.route("**/tickets/2", lambda route: route.abort())
    page.get_by_role("link", name="Moss").focus()
    for key in (" ", "ArrowRight", " "):
        page.keyboard.press(key)
    page.get_by_text("The server does not respond").wait_for()
    until(lambda: cards(page, "new").count() == 2, "the card in its column")


def test_a_board_follows_events_but_not_while_a_card_is_held(opened, ada, ben, tickets, board):
    page = opened(ada, path=None)
    with page.expect_response("**/events.json*"):
        page.goto(board)
    page.get_by_role("link", name="Moss").focus()
    page.keyboard.press(" ")
    page.evaluate("document.addEventListener('happened', () => (document.title = 'heard'))")
    ben.put(f"{tickets}/1", {"ticket": {"state": "resolved"}})
    until(lambda: page.title() == "heard", "the event")
    assert cards(page, "new").count() == 2
    page.keyboard.press("Escape")
    cards(page, "resolved").filter(has_text="Leak").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "Moss"


def test_u_returns_from_a_ticket_to_its_card_on_the_board(opened, ada, tickets, board):
    for number in range(30):
        ada.post(tickets, {"ticket": {"title": f"Drip {number}"}})
    page = opened(ada, f"{board}?q=sort:number")
    page.get_by_role("link", name="Drip 27").click()
    page.get_by_role("heading", name="Drip 27").wait_for()
    page.keyboard.press("u")
    page.locator("#board").wait_for()
    until(lambda: page.evaluate("document.activeElement.textContent") == "Drip 27", "the focus")
    assert column(page, "new").locator(".cards").evaluate("(list) => list.scrollTop") > 0
    assert page.url.endswith("/board?q=sort:number")
