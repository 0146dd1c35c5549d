"""Tickets with the keyboard alone, in a real browser."""

import pytest

from tests.browser.conftest import focused, saved
from tests.support.processes import until


@pytest.fixture
def three(ada, tickets):
    """Three new tickets, 3 being the newest."""
    for number in range(1, 4):
        ada.post(tickets, {"ticket": {"title": f"Ticket {number}"}})


@pytest.mark.usefixtures("three")
def test_tickets_are_gone_through_by_keys_alone(opened, ada, tickets):
    page = opened(ada, f"{tickets}?q=sort:number-")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    for number in range(3, 0, -1):
        page.locator("h1", has_text=f"Ticket {number}").wait_for()
        page.keyboard.press("Control+k")
        page.keyboard.type("state:resolved" if number % 2 else "state:open responsible:me")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        if number > 1:
            with page.expect_navigation():
                page.keyboard.press("j")
    found = ada.get(f"{tickets}?q=state:resolved").items
    assert sorted(each["number"] for each in found) == [1, 3]


def test_a_ticket_is_created_with_the_keyboard_alone(opened, ada, tickets):
    page = opened(ada, f"{tickets}/new")
    focused(page.get_by_label("Title", exact=True))
    page.keyboard.type("Leak")
    page.keyboard.press("Tab")
    page.keyboard.type("Under the stairs")
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")
    page.keyboard.press("r")
    page.keyboard.type("It grows")
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")
    assert [each["body"] for each in ada.get(f"{tickets}/1/versions").items] == [
        "Under the stairs",
        "It grows",
    ]


def test_keys_lead_everywhere_and_never_while_one_writes(opened, ada, ticket, tickets):
    page = opened(ada, ticket)
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
    until(lambda: page.evaluate("document.activeElement.name === 'q'"), "the focus")
    page.evaluate("document.activeElement.blur()")
    for keys, wanted, first in (
        ("i", ticket, None),
        ("c", f"{tickets}/new", "ticket[title]"),
    ):
        with page.expect_navigation():
            page.keyboard.press(keys)
        assert page.evaluate("location.pathname") == wanted
        if first:
            focused(page.locator(f"[name='{first}']")).blur()
    assert ada.get(ticket).item["assigned_user_id"] == ada.user_id
    page.keyboard.press("g")
    with page.expect_navigation():
        page.keyboard.press("p")
    assert page.evaluate("location.pathname") == "/projects"


@pytest.fixture
def slow(opened, ada, tickets):
    """Return what opens an address of a project with so many tickets, whose server answers after 100 ms."""

    def at(count, address):
        for number in range(1, count + 1):
            ada.post(tickets, {"ticket": {"title": f"Leak {number}"}})
        page = opened(ada, address)
        network = {"offline": False, "latency": 100, "downloadThroughput": -1, "uploadThroughput": -1}
        page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", network)
        return page

    return at


@pytest.mark.parametrize(("rhythm", "count"), [(50, 8), (150, 4), (400, 2)])
def test_keys_act_once_and_in_order_at_any_rhythm(slow, ada, tickets, rhythm, count):
    page = slow(count, f"{tickets}?q=sort:number")
    page.keyboard.type("jo" + "ij" * count, delay=rhythm)
    mine = {"version": 2, "assigned_user_id": ada.user_id}
    read = [f"{tickets}/{number}" for number in range(1, count + 1)]
    until(lambda: ada.get(read[-1]).item["assigned_user_id"], "the last ticket")
    for address in read:
        assert ada.get(address).item.items() >= mine.items()
    assert page.evaluate("location.pathname") == read[-1]


@pytest.mark.parametrize("rhythm", [50, 150])
def test_tickets_are_triaged_by_the_keys_of_menus_at_any_rhythm(slow, ada, tickets, rhythm):
    page = slow(8, f"{tickets}?q=sort:number")
    page.keyboard.type("jo" + "s3j" * 8, delay=rhythm)
    read = [f"{tickets}/{number}" for number in range(1, 9)]
    until(lambda: ada.get(read[-1]).item["state"] == "resolved", "the last ticket")
    found = [ada.get(address).item for address in read]
    assert [(each["version"], each["state"]) for each in found] == [(2, "resolved")] * 8


def test_text_typed_while_a_page_loads_reaches_its_field(slow, ada, tickets):
    page = slow(1, f"{tickets}/1")
    page.keyboard.type("cLeak in the hold")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(f"**{tickets}/2")
    assert ada.get(f"{tickets}/2").item["title"] == "Leak in the hold"


def test_a_command_typed_while_a_page_loads_changes_its_ticket(slow, ada, tickets):
    page = slow(2, f"{tickets}/1?in=sort:number")
    page.keyboard.press("j")
    page.keyboard.press("Control+k")
    page.keyboard.type("state:resolved")
    page.keyboard.press("Enter")
    page.locator(".turn", has_text="resolved").wait_for()
    assert [ada.get(f"{tickets}/{number}").item["state"] for number in (1, 2)] == ["new", "resolved"]


def test_keys_for_a_page_that_did_not_load_are_dropped(slow, ada, tickets):
    page, held = slow(2, f"{tickets}/1"), []
    page.route("**/projects", lambda route: held.append(route))  # noqa: PLW0108 - it takes functions alone
    with page.expect_request("**/projects"):
        page.keyboard.type("gp")
    page.keyboard.type("i")
    held[0].abort()
    page.get_by_text("The server does not respond").wait_for()
    assert ada.get(f"{tickets}/1").item["version"] == 1
    with page.expect_navigation():
        page.keyboard.press("i")
    assert ada.get(f"{tickets}/1").item["version"] == 2


def test_single_keys_can_be_turned_off(opened, ada, ticket):
    page = opened(ada, ticket)
    page.keyboard.press("?")
    with page.expect_navigation():
        page.get_by_role("button", name="Turn single keys off").click()
    page.keyboard.type("i?")
    page.keyboard.press("Control+k")
    assert page.locator("#command").is_visible()
    assert not page.locator("#keys").is_visible()
    assert ada.get(ticket).item["version"] == 1


def test_on_a_mac_the_palette_opens_with_the_command_key_alone(opened, ada, ticket):
    page = opened(ada, path=None)
    page.add_init_script("Object.defineProperty(navigator, 'platform', { value: 'MacIntel' })")
    page.goto(ticket)
    page.keyboard.press("Control+k")
    assert not page.locator("#command").is_visible()
    page.keyboard.press("Meta+k")
    assert page.locator("#command").is_visible()


def test_the_field_for_a_reply_is_in_sight_at_once_below_a_long_conversation(opened, ada, ticket):
    ada.put(ticket, {"ticket": {"body": "A long story.\n\n" * 300}})
    page = opened(ada, ticket)
    assert page.evaluate("""() => {
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "r", bubbles: true }));
      const place = document.activeElement.getBoundingClientRect();
      return document.activeElement.name === "ticket[body]" && place.top >= 0 && place.bottom <= innerHeight;
    }""")


def test_taking_a_ticket_by_a_key_is_undone_by_a_button(opened, ada, ben, ticket):
    ada.put(ticket, {"ticket": {"assigned_user_id": ben.user_id}})
    page = opened(ada, ticket)
    with page.expect_navigation():
        page.keyboard.press("i")
    assert ada.get(ticket).item["assigned_user_id"] == ada.user_id
    page.get_by_text("#1 saved: Assignee").wait_for()
    saved(page, "Undo")
    assert ada.get(ticket).item["assigned_user_id"] == ben.user_id
    assert not page.get_by_text("#1 saved").count()


def test_selecting_text_beyond_the_edge_of_the_quick_box_does_not_close_it(opened, ada, ticket):
    page = opened(ada, ticket)
    page.keyboard.press("Control+k")
    box, field = page.locator("#command"), page.locator("#command").get_by_role("combobox")
    field.fill("state:resolved")
    place = field.bounding_box()
    page.mouse.move(place["x"] + 60, place["y"] + place["height"] / 2)
    page.mouse.down()
    page.mouse.move(2, place["y"] + place["height"] / 2)
    page.mouse.up()
    assert box.is_visible()
    page.mouse.click(2, 2)
    assert not box.is_visible()


@pytest.mark.usefixtures("three")
def test_the_number_of_a_ticket_is_whole_on_a_telephone(opened, ada, tickets):
    page = opened(ada, f"{tickets}/1", size="phone")
    assert page.locator(".bar .where", has_text="#1").is_visible()
    assert page.get_by_text("#1", exact=True).evaluate("(part) => part.scrollWidth <= part.clientWidth")
