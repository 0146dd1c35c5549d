"""Pages that replace one another without a reload: history, places, focus, and what is fetched ahead."""

import pytest

from tests.browser.conftest import focused, in_sight
from tests.support.processes import until
from tests.support.readers import read_events


@pytest.fixture
def tickets(ada, tickets):
    """The address of a project's 30 tickets."""
    for number in range(1, 31):
        ada.post(
            tickets, {"ticket": {"title": f"Leak {number}", "tag": "wet", "assigned_user_id": ada.user_id}}
        )
    return tickets


@pytest.fixture
def staying(opened):
    """Return what opens a page that must not be loaded again."""
    pages = []

    def at(*who, **how):
        page = opened(*who, **how)
        page.evaluate("window.stays = true")
        pages.append(page)
        return page

    yield at
    assert all(page.evaluate("window.stays === true") for page in pages)


def focused_row(page):
    return page.evaluate(
        "document.activeElement.closest('[data-row]')?.querySelector('[data-open]').textContent"
    )


def test_back_and_forward_restore_the_place_and_the_row(staying, ada, tickets):
    page = staying(ada, f"{tickets}?q=sort:number")
    page.get_by_role("link", name="Leak 25").click()
    page.locator(".turn").wait_for()
    assert page.evaluate("scrollY") == 0
    page.go_back()
    until(lambda: focused_row(page) == "Leak 25", "the row")
    assert in_sight(page.get_by_role("link", name="Leak 25"))
    page.go_forward()
    page.locator(".turn").wait_for()
    assert page.evaluate("location.pathname") == f"{tickets}/25"


@pytest.mark.parametrize(
    "place",
    [
        "{}?q=sort:number&limit=10&page=3",
        "{}?q=tagged:wet+sort:number&limit=30",
        "/tickets?q=sort:number&limit=10&page=3",
    ],
)
def test_u_returns_to_the_row_in_the_list(staying, ada, tickets, place):
    place = place.format(tickets)
    page = staying(ada, place)
    page.get_by_role("link", name="Leak 24").click()
    page.locator(".turn").wait_for()
    for key in ("j", "j"):
        with page.expect_navigation():
            page.keyboard.press(key)
    page.keyboard.press("u")
    until(lambda: focused_row(page) == "Leak 26", "the row")
    assert page.url.endswith(place)
    assert in_sight(page.get_by_role("link", name="Leak 26"))


def test_a_ticket_from_the_inbox_leads_along_it_and_back_to_it(staying, world, ada, ben, tickets):
    for number in (3, 20, 7):
        ada.put(f"{tickets}/{number}", {"ticket": {"assigned_user_id": ben.user_id}})
    read_events(world)
    page = staying(ben, "/notifications")
    page.keyboard.type("joj")
    page.wait_for_url(f"**{tickets}/20*")
    page.keyboard.press("u")
    page.wait_for_url("**/notifications")
    until(lambda: focused_row(page) == "#20 Leak 20", "the row")


def test_a_new_page_is_announced_and_focused(staying, ada, tickets):
    page = staying(ada, tickets)
    page.get_by_role("link", name="Leak 30").click()
    page.locator("#shown", has_text="#30 Leak 30").wait_for()
    focused(page.locator("main"))
    assert page.title().startswith("#30 Leak 30")
    page.keyboard.type("gt")
    page.locator("#shown", has_text="Tickets ·").wait_for()


def test_a_search_is_shown_without_a_reload(staying, ada, tickets):
    page = staying(ada, tickets)
    page.keyboard.press("/")
    page.keyboard.type("sort:number")
    page.keyboard.press("Enter")
    page.keyboard.type("jo")
    page.wait_for_url(f"**{tickets}/1?*")
    page.go_back()
    page.wait_for_url("**q=sort*")


def test_a_number_in_a_search_leads_to_its_ticket(staying, ada, tickets):
    page = staying(ada, tickets)
    page.keyboard.press("/")
    page.keyboard.type("#17")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{tickets}/17")


def test_a_refused_form_is_shown_in_place_and_can_be_sent_again(staying, ada, tickets):
    page = staying(ada, f"{tickets}/new")
    page.get_by_label("Description").fill("Under the stairs")
    page.get_by_label("Title", exact=True).evaluate("(field) => (field.required = false)")
    page.get_by_role("button", name="Create ticket").click()
    focused(page.get_by_role("alert").filter(has_text="Title can't be blank"))
    assert page.get_by_label("Description").input_value() == "Under the stairs"
    page.get_by_label("Title", exact=True).fill("Leak 31")
    page.get_by_label("Title", exact=True).press("Control+Enter")
    page.wait_for_url(f"**{tickets}/31")


def test_the_next_ticket_is_fetched_ahead_once_and_not_marked_as_read(staying, world, ada, ben, tickets):
    ada.put(f"{tickets}/2", {"ticket": {"assigned_user_id": ben.user_id}})
    read_events(world)
    page, asked = staying(ben, "/projects"), []
    page.on("request", lambda request: asked.append(request.url))
    with page.expect_response(f"**{tickets}/2?*") as found:
        page.evaluate(f"skerry.go('{tickets}/1?in=sort:number')")
    assert found.value.request.headers["purpose"] == "prefetch"
    found.value.finished()
    assert [each["read"] for each in ben.get("/notifications").items] == [False]
    page.keyboard.press("j")
    page.get_by_role("heading", name="Leak 2").first.wait_for()
    assert [url for url in asked if f"{tickets}/2?" in url] == [found.value.url]
    until(lambda: ben.get("/notifications").items[0]["read"], "the mark")


def test_a_ticket_that_changed_since_it_was_fetched_ahead_is_fetched_again(staying, ada, ben, tickets):
    page = staying(ada, "/projects")
    with page.expect_response(f"**{tickets}/2?*"):
        page.evaluate(f"skerry.go('{tickets}/1?in=sort:number')")
    page.evaluate("document.addEventListener('happened', () => (document.title = 'heard'))")
    ben.put(f"{tickets}/2", {"ticket": {"body": "It grows"}})
    until(lambda: page.title() == "heard", "the event")
    page.keyboard.press("j")
    page.get_by_text("It grows").wait_for()


def test_a_new_version_of_the_site_is_loaded_whole(opened, ada, tickets):
    page, url = opened(ada, tickets), f"{tickets}/30"
    page.evaluate("window.stays = true")
    old = page.locator("script").get_attribute("src")
    text = page.evaluate(
        "(url) => fetch(url, { headers: { Accept: 'text/html' } }).then((it) => it.text())", url
    )
    renewed = text.replace(old, f"{old}0")
    page.route(f"**{url}", lambda route: route.fulfill(body=renewed, content_type="text/html"), times=1)
    with page.expect_event("load"):
        page.get_by_role("link", name="Leak 30").click()
    page.locator(".turn").wait_for()
    assert page.evaluate("window.stays") is None


def test_a_file_and_another_format_are_left_to_the_browser(staying, ada, tickets):
    page = staying(ada, tickets)
    page.evaluate(f"""() => {{
      const link = Object.assign(document.createElement("a"), {{ href: "{tickets}.json", text: "JSON" }});
      link.download = "";
      document.querySelector("main").append(link);
    }}""")
    with page.expect_download():
        page.get_by_role("link", name="JSON", exact=True).click()
    assert page.evaluate("skerry.busy()") is False


@pytest.mark.parametrize(
    ("place", "name", "label", "query"),
    [
        ("/activity", "Kind", "Messages", "kind=message"),
        ("/notifications", "Reason", "watched", "reason=watched"),
        ("/administration/audit", "What happened", "Signed in", "kind=session.created"),
    ],
)
def test_a_filter_applies_when_something_is_chosen_and_keeps_the_focus(
    staying, ada, tickets, place, name, label, query
):
    page = staying(ada, place)
    assert not page.get_by_role("button", name="Filter", exact=True).is_visible()
    page.get_by_label(name).focus()
    page.get_by_label(name).select_option(label)
    page.wait_for_url(f"**{query}**")
    focused(page.get_by_label(name))


def test_without_scripts_a_filter_has_a_button(opened, ada, tickets):
    page = opened(ada, "/activity", script=False)
    page.get_by_label("Kind").select_option("Messages")
    page.get_by_role("button", name="Filter", exact=True).click()
    assert "kind=message" in page.url
