"""The palette (Ctrl-K): it goes to pages and tickets, and changes the ticket or the selected tickets."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import focused
from tests.support.accessibility import violations


@pytest.fixture
def places(tickets, ada):
    """Three tickets of a project."""
    for title in ("Leak under the stairs", "Loose slates", "Fog signal"):
        ada.post(tickets, {"ticket": {"title": title}})
    return tickets


def begun(page, text=""):
    """Open the palette, enter a text, and return the palette."""
    page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Command palette")
    focused(palette.get_by_role("combobox")).fill(text)
    return palette


def chosen(page, option):
    """Take an option, and wait for the page that follows."""
    with page.expect_navigation():
        option.click()


@pytest.mark.parametrize("where", ["/", "/profile", "tickets", "settings"])
def test_it_opens_on_every_page_and_goes_to_what_the_side_bar_leads_to(opened, ada, roof, where):
    page = opened(ada, where if where[0] == "/" else f"/projects/{roof}/{where}")
    palette = begun(page, "inbox")
    palette.get_by_role("option", name="Inbox", selected=True).wait_for()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.url.endswith("/notifications")


def test_each_section_of_each_project_is_found(opened, ada, roof, harbour):
    page = opened(ada, f"/projects/{roof}")
    chosen(page, begun(page, "harbour mile").get_by_role("option", name="Harbour · Milestones"))
    assert page.url.endswith(f"/projects/{harbour}/milestones")


def test_what_begins_with_the_words_comes_before_what_contains_them(opened, ada, roof):
    page = opened(ada, "/")
    page.goto(f"/projects/{roof}/settings")
    found = begun(page, "board").get_by_role("option")
    found.filter(has_text="Keyboard shortcuts").wait_for()
    assert found.first.inner_text().splitlines()[0] == "Board"


def test_projects_that_the_side_bar_has_no_room_for_are_found(opened, ada, roof):
    last = [ada.post("/projects", {"project": {"name": f"Pier {number:02}"}}) for number in range(13)][-1]
    page = opened(ada, f"/projects/{roof}")
    assert page.locator("#side").get_by_role("link", name="Pier 12").count() == 0
    chosen(page, begun(page, "pier 12").get_by_role("option", name="Pier 12", exact=True))
    assert last.headers["location"].endswith(f"{urlsplit(page.url).path}.json")


@pytest.mark.parametrize("where", ["/", "tickets"])
def test_people_and_their_tickets_are_found(opened, ada, ben, places, where):
    ada.put(f"{places}/2", {"ticket": {"assigned_user_id": ben.user_id}})
    page = opened(ada, where if where == "/" else places)
    people = begun(page, "ben").get_by_role("group", name="People")
    chosen(page, people.get_by_role("option", name="Ben · Tickets"))
    assert page.locator("[data-row] .title").all_text_contents() == ["Loose slates"]
    chosen(page, begun(page, "ben").get_by_role("option", name="Ben", exact=True))
    assert page.url.endswith(f"/users/{ben.user_id}")


def test_the_theme_and_the_language_are_switched(opened, ada, places):
    page = opened(ada, places)
    begun(page, "dark").get_by_role("option", name="Theme: dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    begun(page, "deut").get_by_role("option", name="Language: Deutsch").click()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    assert page.url.endswith(places)


def test_a_number_leads_to_the_ticket_and_words_find_it(opened, ada, places):
    page = opened(ada, places)
    begun(page, "#2")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.url.endswith("/tickets/2")
    chosen(page, begun(page, "leak sta").get_by_role("group", name="Tickets").get_by_role("option"))
    assert page.url.endswith("/tickets/1")


def test_a_command_is_completed_and_applied_to_the_ticket(opened, ada, places):
    page = opened(ada, f"{places}/1")
    palette = begun(page, "resp")
    palette.get_by_role("option", name="responsible: assigns").wait_for()
    page.keyboard.press("Enter")
    page.keyboard.type("B")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert ada.get(f"{places}/1").item["assigned_user_name"] == "Ben"
    begun(page, "+wet state:resolved")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    item = ada.get(f"{places}/1").item
    assert (item["tag"], item["state"]) == ("wet", "resolved")
    page.get_by_text("#1 saved:").wait_for()
    page.keyboard.press("z")
    page.get_by_text("#1 saved:").wait_for(state="detached")
    item = ada.get(f"{places}/1").item
    assert (item["tag"], item["state"], item["assigned_user_name"]) == (None, "new", "Ben")


def test_a_command_is_applied_to_the_selected_tickets(opened, ada, places):
    page = opened(ada, places)
    for number in (1, 3):
        page.get_by_label(f"Select ticket {number}").check()
    palette = begun(page, "state:reso")
    palette.get_by_text("2 selected").wait_for()
    page.keyboard.press("Enter")
    page.get_by_role("link", name="2 tickets changed").wait_for()
    states = {each["number"]: each["state"] for each in ada.get(places).items}
    assert states == {1: "resolved", 2: "new", 3: "resolved"}


def test_what_the_page_offers_is_offered_with_its_key(opened, ada, places):
    page = opened(ada, f"{places}/1")
    begun(page, "state").get_by_role("option", name="State new s", exact=True).wait_for()
    page.get_by_role("dialog").get_by_role("combobox").fill("to me")
    chosen(page, page.get_by_role("option", name="Assign to me i"))
    assert ada.get(f"{places}/1").item["assigned_user_id"] == ada.user_id


def test_recent_pages_come_first_and_are_forgotten_at_the_end(opened, ada, places):
    page = opened(ada, f"{places}/2")
    page.goto(f"{places}/1")
    option = begun(page).get_by_role("option", selected=True)
    assert option.text_content() == "#2 Loose slates · Roof"
    page.keyboard.press("Escape")
    begun(page, "sign out").get_by_role("option", name="Sign out", exact=True).click()
    page.get_by_role("link", name="Sign in").first.wait_for()
    assert page.evaluate("Object.keys(localStorage).filter((each) => each.startsWith('recent'))") == []


def test_a_stranger_finds_only_what_they_may_see(opened, cy, ada, places, harbour):
    ada.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Leak in the quay"}})
    page = opened(cy, "/")
    palette = begun(page, "leak")
    found = palette.get_by_role("group", name="Tickets").get_by_role("option")
    found.wait_for()
    assert found.all_text_contents() == ["#1 Leak in the quayHarbour"]
    begun(page, "roof")
    assert not palette.get_by_role("group", name="Go to").count()


def test_focus_returns_and_arrows_choose(opened, ada, places):
    page = opened(ada, places)
    page.get_by_role("link", name="Fog signal").focus()
    palette = begun(page, "t")
    options = palette.get_by_role("option")
    assert palette.get_by_role("option", selected=True).get_attribute("id") == "found-0"
    page.keyboard.press("ArrowUp")
    last = palette.get_by_role("option", selected=True).get_attribute("id")
    assert last == options.last.get_attribute("id")
    assert palette.get_by_role("combobox").get_attribute("aria-activedescendant") == last
    page.keyboard.press("Escape")
    focused(page.get_by_role("link", name="Fog signal"))


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_it_is_for_all_readers(opened, ada, places, size):
    page = opened(ada, f"{places}/1", size=size)
    page.get_by_role("button", name="Command palette").locator("visible=true").click()
    palette = page.get_by_role("dialog", name="Command palette")
    focused(palette.get_by_role("combobox"))
    assert violations(page) == []
    palette.get_by_role("combobox").fill("state:")
    palette.get_by_role("option", name="state:resolved").wait_for()
    assert violations(page) == []
    if size == "phone":
        palette.get_by_role("button", name="Close").click()
        palette.wait_for(state="hidden")


def test_what_is_told_beside_a_command_has_no_letters_of_a_picture(opened, ada, places):
    ada.put(f"{places}/1", {"ticket": {"assigned_user_id": ada.user_id}})
    page = opened(ada, f"{places}/1")
    begun(page, "assignee").get_by_role("option", name="Assignee Ada a", exact=True).wait_for()
