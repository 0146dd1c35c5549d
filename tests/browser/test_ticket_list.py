"""The list of tickets where scripts help: completion, and ticking several tickets."""

import pytest

from tests.browser.conftest import focused

COUNTED = """() => {
  const ask = window.fetch;
  window.asked = 0;
  window.fetch = (...what) => { window.asked += 1; return ask(...what); };
}"""


@pytest.fixture
def tickets(ada, roof):
    for number in range(1, 4):
        ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": f"Leak {number}", "tag": "'dry rot'"}})
    return f"/projects/{roof}/tickets"


def test_a_query_is_completed_with_the_keyboard_alone(opened, ada, tickets):
    page = opened(ada, tickets)
    box = page.get_by_role("combobox", name="Search tickets")
    box.focus()
    page.keyboard.insert_text("tag")  # at once, so that nothing is suggested for its first letters
    page.get_by_role("option", name="tagged:").wait_for()
    assert box.get_attribute("aria-expanded") == "true"
    page.keyboard.press("ArrowDown")
    chosen = page.locator("[role=option][aria-selected=true]")
    assert box.get_attribute("aria-activedescendant") == chosen.get_attribute("id")
    page.keyboard.press("Enter")
    page.get_by_role("option", name='"dry rot"').wait_for()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    assert box.input_value() == 'tagged:"dry rot" '
    page.keyboard.press("Enter")
    page.wait_for_url("**q=tagged**")
    assert page.locator("[data-row]").count() == 3


def test_a_suggestion_chosen_while_others_load_is_inserted(opened, ada, tickets):
    page, held = opened(ada, tickets), []
    page.route("**/suggest.json?q=tag&*", lambda route: held.append(route))  # noqa: PLW0108 - no built-in is taken
    box = page.get_by_role("combobox", name="Search tickets")
    box.press_sequentially("t")
    page.get_by_role("option", name="tagged:").wait_for()
    with page.expect_request("**/suggest.json?q=tag&*"):
        box.press_sequentially("ag")
    while page.locator("[aria-selected=true]").get_by_text("tagged:", exact=True).count() == 0:
        page.keyboard.press("ArrowDown")
    with page.expect_response("**/suggest.json?q=tag&*"):
        held[0].continue_()
    page.keyboard.press("Enter")
    page.get_by_role("option", name='"dry rot"').wait_for()
    assert box.input_value() == "tagged:"


def test_escape_puts_the_suggestions_away_and_leaves_what_was_typed(opened, ada, tickets):
    page = opened(ada, tickets)
    box = page.get_by_role("combobox", name="Search tickets")
    box.press_sequentially("state:")
    page.locator(".choices li").first.wait_for()
    box.press("Escape")
    assert page.locator(".choices:visible").count() == 0
    assert box.input_value() == "state:"


def test_a_suggestion_is_chosen_with_the_mouse_in_the_middle_of_a_query(opened, ada, tickets):
    page = opened(ada, tickets)
    box = page.get_by_role("combobox", name="Search tickets")
    box.fill("𝕏 stat:new leak")
    box.evaluate("(box) => box.setSelectionRange(7, 7)")
    box.dispatch_event("input")
    page.get_by_role("option", name="state:").click()
    assert box.input_value() == "𝕏 state:new leak"


def test_the_search_box_of_every_page_completes_too(opened, ada, roof):
    page = opened(ada, f"/projects/{roof}")
    page.get_by_role("combobox", name="Search or jump").press_sequentially("mile")
    page.get_by_role("option", name="milestone:").click()
    page.goto("/projects")
    page.get_by_role("combobox", name="Search or jump").press_sequentially("project:ro")
    page.get_by_role("option", name="Roof").click()
    assert page.get_by_role("combobox", name="Search or jump").input_value() == "project:Roof "


def test_ticked_tickets_are_counted_changed_and_changed_back(opened, ada, tickets):
    page = opened(ada, tickets)
    page.get_by_label("Select ticket 3").check()
    page.get_by_label("Select every ticket on this page").check()
    page.get_by_label("Select ticket 2").uncheck()
    assert page.locator("[data-picked]").text_content() == "2"
    page.locator("[name=command]").fill("state:resolved")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Change 2 tickets").click()
    page.get_by_text("2 tickets changed").wait_for()
    assert [found["state"] for found in ada.get(tickets).items].count("resolved") == 2
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("2 tickets changed").wait_for(state="detached")
    assert [found["state"] for found in ada.get(tickets).items] == ["new"] * 3


def test_the_bar_that_changes_tickets_is_there_with_a_selection_only(opened, ada, tickets):
    page = opened(ada, tickets)
    command = page.locator("[name=command]")
    assert not command.is_visible()
    page.get_by_label("Select ticket 3").check()
    page.get_by_role("button", name="State").click()
    assert focused(command).input_value() == "state:"
    page.get_by_role("option", name="resolved").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Select nothing").click()
    assert not command.is_visible()
    assert page.locator(".pick:checked").count() == 0


def test_keys_go_on_to_the_next_page_unless_tickets_are_selected(opened, ada, tickets):
    page = opened(ada, f"{tickets}?limit=2&q=sort:number-")
    for key in "jxjj":
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.textContent") == "Leak 2"
    page.keyboard.press("x")
    page.keyboard.press("Escape")
    assert page.locator(".pick:checked").count() == 0
    with page.expect_navigation():
        page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.textContent") == "Leak 1"
    with page.expect_navigation():
        page.keyboard.press("k")
    page.keyboard.press("k")
    assert page.evaluate("document.activeElement.textContent") == "Leak 2"


def test_arrows_move_among_rows_and_select_with_shift(opened, ada, tickets):
    page = opened(ada, tickets)
    page.keyboard.press("j")
    page.keyboard.press("ArrowDown")
    assert page.locator(".pick:checked").count() == 0
    page.keyboard.press("Shift+ArrowDown")
    assert [box.input_value() for box in page.locator(".pick:checked").all()] == ["2", "1"]


@pytest.mark.parametrize(
    ("size", "least"), [({"width": 1440, "height": 900}, 20), ({"width": 390, "height": 844}, 12)]
)
def test_all_rows_have_one_height_and_a_screen_holds_many(opened, ada, tickets, size, least):
    for number in range(22):
        tags = "wet roof insurance" if number % 2 else None
        ada.post(
            tickets, {"ticket": {"title": "Leak " * (number * 2 + 1), "tag": tags, "importance": number}}
        )
    page = opened(ada, tickets)
    page.set_viewport_size(size)
    boxes = [row.bounding_box() for row in page.locator("[data-row]").all()]
    assert {box["height"] for box in boxes} == {boxes[0]["height"]}
    assert sum(box["y"] + box["height"] <= size["height"] for box in boxes) >= least


def test_several_tickets_are_changed_without_scripts_on_a_telephone(opened, ada, tickets):
    page = opened(ada, tickets, script=False, size="phone")
    page.get_by_label("Select ticket 3").check()
    page.get_by_text("Bulk edit").click()
    page.locator("[name=command]").fill("tagged:done")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Change 1 ticket").click()
    page.wait_for_url("**/tickets?q=&edited=1")
    assert ada.get(f"{tickets}/3").item["tag"] == 'done "dry rot"'


def test_suggestions_leave_most_of_a_small_allowance_to_who_types(opened, ada, tickets):
    page = opened(ada, tickets)
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    page.evaluate(COUNTED)
    found = {"suggestion": {"text": "state:", "description": "", "start": 0, "end": 1}}
    headers = {"X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "29"}
    page.route(
        "**/suggest.json?**", lambda route: route.fulfill(json={"suggestions": [found]}, headers=headers)
    )
    box = page.get_by_role("combobox", name="Search tickets")
    box.press_sequentially("s")
    page.clock.run_for(120)
    page.locator(".choices li").wait_for()
    box.press_sequentially("tate:open")
    page.clock.run_for(999)
    assert page.evaluate("asked") == 1
    page.clock.run_for(1)
    assert page.evaluate("asked") == 2


def test_shift_selects_all_tickets_between_two_clicks(opened, ada, tickets):
    for number in range(4):
        ada.post(tickets, {"ticket": {"title": f"Leak {number}"}})
    page = opened(ada, tickets)
    before = page.locator(".pick:checked").count()
    picks = page.locator(".pick")
    picks.nth(2).click()
    picks.nth(0).click(modifiers=["Shift"])
    assert (before, page.locator(".pick:checked").count()) == (0, 3)
    assert page.locator("[data-picked]").text_content() == "3"


@pytest.mark.parametrize(("row", "then"), [(2, 1), (1, 2)])
def test_a_row_that_leaves_the_list_hands_the_focus_to_the_next_one(opened, ada, tickets, row, then):
    page = opened(ada, f"{tickets}?q=state:new")
    leaving = page.locator(f"[data-row*='/{row}/'] [data-open]")
    leaving.focus()
    page.keyboard.type("sresolved\n")
    page.get_by_text(f"#{row} saved: State").wait_for()
    focused(page.locator(f"[data-row*='/{then}/'] [data-open]"))
    page.keyboard.type("z")
    leaving.wait_for()
    assert ada.get(f"{tickets}/{row}").item["state"] == "new"


def test_keys_change_the_values_of_the_current_row(opened, ada, tickets):
    page = opened(ada, tickets)
    for typed, field in (("js2", "State"), ("p4", "Priority"), ("ldry\n", "Tags")):
        page.keyboard.type(typed)
        page.get_by_text(f"#3 saved: {field}").wait_for()
    page.keyboard.type("z")
    page.get_by_text("#3 saved").wait_for(state="detached")
    # Undoing leaves the reader where they were.
    focused(page.locator("[data-row*='/3/'] [data-open]"))
    item = ada.get(f"{tickets}/3").item
    kept = (item["state"], item["importance"], item["tag"], item["title"])
    assert kept == ("open", 4, '"dry rot"', "Leak 3")


def test_escape_leads_from_the_search_back_to_the_row(opened, ada, tickets):
    page = opened(ada, tickets)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("/")
    focused(page.locator("#query"))
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    assert focused(page.locator("[data-open]").nth(2))


def test_selected_tickets_are_changed_by_keys_without_leaving_the_list(opened, ada, tickets):
    page = opened(ada, tickets)
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("s")
    page.keyboard.insert_text("resolved")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="2 tickets changed").wait_for()
    assert page.url.split("?")[0].endswith(tickets)
    states = [ada.get(f"{tickets}/{number}").item["state"] for number in (1, 2, 3)]
    assert sorted(states) == ["new", "resolved", "resolved"]
    # The row from which the work went on has the focus again.
    assert page.locator("[data-row]:focus-within").count() == 1
    page.keyboard.press("z")
    page.get_by_role("link", name="2 tickets changed").wait_for(state="detached")
    assert {ada.get(f"{tickets}/{number}").item["state"] for number in (1, 2, 3)} == {"new"}


def test_a_mistake_in_what_is_to_be_applied_is_told_and_changes_nothing(opened, ada, tickets):
    page = opened(ada, tickets)
    page.locator(".pick").first.check()
    page.get_by_role("combobox", name="Command", exact=True).fill("state:nosuch")
    page.get_by_role("button", name="Apply").click()
    page.get_by_role("alert").get_by_text("Nothing was changed").wait_for()
    assert {ada.get(f"{tickets}/{number}").item["state"] for number in (1, 2, 3)} == {"new"}


def test_escape_stops_a_menu_that_is_still_on_its_way(opened, ada, tickets):
    page = opened(ada, tickets)
    held = []
    page.route("**/edit?*", lambda route: held.append(route))  # noqa: PLW0108 - no built-in is taken
    page.keyboard.press("j")
    page.keyboard.press("s")
    page.wait_for_timeout(50)
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{tickets}/*")
    assert {ada.get(f"{tickets}/{number}").item["state"] for number in (1, 2, 3)} == {"new"}
