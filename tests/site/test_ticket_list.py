"""The lists of tickets: a project's, a bin's, and those of every project."""

import re
from urllib.parse import quote, unquote

import pytest

from skerry.tracker import tags
from tests.support.browser_client import query_of

pytestmark = pytest.mark.matrix("databases")


@pytest.fixture
def tickets(ada, ben, roof):
    """Tickets 1 to 4, which differ in everything; gives the address of their list."""
    for title, state, tag, importance in (
        ("Leak at the chimney", "new", "wet 'dry rot'", 1),
        ("Moss", "open", "wet", 5),
        ("Broken tile", "resolved", None, 3),
        ("<b>Ladder</b> & rope", "hold", None, 0),
    ):
        ticket = {"title": title, "state": state, "tag": tag, "importance": importance}
        if title == "Moss":
            ticket["assigned_user_id"] = ben.user_id
        assert ada.post(f"/projects/{roof}/tickets", {"ticket": ticket}).status == 201
    return f"/projects/{roof}/tickets"


def titles(page):
    """Return the titles of the tickets on a page, in order."""
    return re.findall(r"data-open><bdi>([^<]*)</bdi></a>", page.source)


def numbers(page):
    return [int(number) for number in re.findall(r'data-row="\d+/(\d+)/', page.source)]


def link(page, text):
    return next(href for href, said in page.reading.links if said.strip() == text)


def test_a_list_shows_what_is_known_of_each_ticket(surfing, ben, tickets):
    page = surfing(ben).get(tickets)
    assert (page.status, numbers(page)) == (200, [4, 3, 2, 1])
    assert "4 tickets" in page.text
    for text in ("Moss", "wet", "dry rot", "open", "Ben", "resolved"):
        assert text in page.text
    assert "&lt;b&gt;Ladder&lt;/b&gt; &amp; rope" in page.source


def test_a_query_is_kept_in_the_box_and_in_the_links_to_what_it_found(surfing, ada, tickets):
    query = "state:open tagged:wet"
    page = surfing(ada).submit(surfing(ada).get(tickets), tickets, "get", q=query)
    assert numbers(page) == [2, 1]
    assert dict(page.form(tickets, "get").fields)["q"] == query
    assert f"{tickets}/2?in=state%3Aopen+tagged%3Awet" in page.links
    assert f"{tickets}/2" in surfing(ada).get(tickets).links


@pytest.mark.parametrize("everywhere", [False, True])
def test_searching_for_a_number_leads_to_the_ticket(surfing, ada, tickets, everywhere):
    web = surfing(ada)
    place = "/tickets" if everywhere else tickets
    for query in ("#2", "2", " #2 "):
        assert web.get(f"{place}?q={quote(query)}").path == f"{tickets}/2"
    for query in ("#99", "#2 sort:title", "'2'", "-#2"):
        assert web.get(f"{place}?q={quote(query)}").path.startswith(f"{place}?")


def test_searching_for_a_number_of_two_projects_lists_both(surfing, ada, tickets, harbour):
    ada.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Rust"}})
    web = surfing(ada)
    assert {f"{tickets}/1", f"/projects/{harbour}/tickets/1"} <= {
        link.partition("?")[0] for link in web.get("/tickets?q=%231").links
    }


def test_an_error_in_a_query_marks_the_whole_term(surfing, ada, tickets):
    page = surfing(ada).get(f"{tickets}?q={quote('state:open <stat>:new')}")
    assert page.status == 200
    assert "Unknown keyword" in page.text
    assert "state:open <mark>&lt;stat&gt;:new</mark>" in page.source
    assert 'data-wrong="11 21" autofocus aria-invalid="true" aria-describedby="query-mistake"' in page.source
    page = surfing(ada).submit(page, tickets, "get", q="moss")
    assert titles(page) == ["Moss"]


@pytest.mark.parametrize("query", ['"moss', "x" * 2001, "sort:age", "OR"])
def test_no_query_breaks_the_page(surfing, ada, tickets, query):
    page = surfing(ada).get(f"{tickets}?q={quote(query)}")
    assert (page.status, 'role="alert"' in page.source) == (200, True)


def test_a_list_has_the_order_that_its_reader_set(surfing, ada, ben, tickets):
    own = tickets.replace("/projects/", "/profile/lists/").removesuffix("/tickets")
    ada.put(own, {"list_settings": {"sort": "title", "group": "state"}})
    assert numbers(surfing(ada).get(tickets)) == [1, 2, 3, 4]
    assert numbers(surfing(ben).get(tickets)) == [4, 3, 2, 1]
    assert numbers(surfing(ada).get(f"{tickets}?q=tagged:wet+sort:importance")) == [1, 2]


def test_a_saved_view_has_its_own_order(surfing, ada, tickets):
    layout = {"name": "Wet", "query": "tagged:wet", "sort": "number", "shared": True}
    made = ada.post(tickets.replace("/tickets", "/bins"), {"ticket_bin": layout}).item["id"]
    assert numbers(surfing(ada).get(tickets.replace("/tickets", f"/bins/{made}"))) == [1, 2]


def test_a_long_list_has_pages_that_keep_the_query(surfing, ada, tickets):
    web = surfing(ada)
    page = web.get(f"{tickets}?q=sort:number&limit=3")
    assert numbers(page) == [1, 2, 3]
    page = web.get(next(href for href in page.links if "page=2" in href))
    assert numbers(page) == [4]
    assert numbers(web.get(f"{tickets}?q=sort:number&limit=3&page=9")) == [4]


def test_a_total_that_is_not_exact_says_so(surfing, ada, tickets, monkeypatch):
    monkeypatch.setattr("skerry.store.search.COUNTED", 2)
    assert "more than 2 tickets" in surfing(ada).get(f"{tickets}?q=-moss&limit=1").text


def test_an_empty_list_says_what_to_do_next(surfing, ada, nobody, roof, harbour):
    page = surfing(ada).get(f"/projects/{roof}/tickets")
    assert "No tickets yet" in page.text
    assert f"/projects/{roof}/tickets/new" in page.links
    page = surfing(ada).get(f"/projects/{roof}/tickets?q=moss")
    assert "No matches" in page.text
    page = surfing().get(f"/projects/{harbour}/tickets")
    assert "No tickets yet" in page.text
    assert f"/projects/{harbour}/tickets/new" not in page.links


def test_all_tickets_are_those_of_the_projects_that_the_reader_sees(surfing, ada, cy, tickets, harbour):
    ada.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Buoy"}})
    page = surfing(ada).get("/tickets")
    assert titles(page)[0] == "Buoy"
    assert len(titles(page)) == 5
    assert ("Roof" in page.text, "Harbour" in page.text) == (True, True)
    assert titles(surfing(cy).get("/tickets")) == ["Buoy"]
    assert titles(surfing().get("/tickets?q=buoy")) == ["Buoy"]
    assert titles(surfing(ada).get("/tickets?q=project:roof+moss")) == ["Moss"]


def test_a_strangers_list_is_404_and_an_anonymous_caller_is_asked_to_sign_in(surfing, cy, tickets):
    assert surfing(cy).get(tickets).status == 404
    page = surfing().get(f"{tickets}?q=moss")
    assert unquote(page.path) == f"/sign-in?next={tickets}?q=moss"


def test_a_mistake_says_what_would_be_right(surfing, ada, roof):
    web = surfing(ada)
    page = web.get("/tickets?q=leak+due:31.1.2027")
    assert "Did you mean leak due:2027-01-31?" in page.text
    assert "/tickets?q=leak%20due%3A2027-01-31" in page.links
    assert "For example: due:today" in web.get("/tickets?q=due:soon").text
    german = web.send("GET", "/tickets?q=state:+open", **{"Accept-Language": "de"})
    assert "Meintest du state:open?" in german.text


def test_only_members_tick_tickets(surfing, ada, ben, harbour):
    ada.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Buoy"}})
    path = f"/projects/{harbour}/tickets"
    assert 'class="pick"' in surfing(ben).get(path).source
    assert 'class="pick"' not in surfing().get(path).source
    assert 'class="pick"' not in surfing().get("/tickets").source


def test_saved_views_are_in_the_side_bar_with_their_counts(surfing, ada, tickets, roof):
    page = surfing(ada).get(tickets)
    assert "Open tickets 2" in page.text
    page = surfing(ada).get(link(page, "Open tickets 2"))
    assert numbers(page) == [2, 1]
    assert "<h1><bdi>Open tickets</bdi></h1>" in page.source
    shown = ada.get(f"/projects/{roof}/bins").items[0]
    assert numbers(surfing(ada).get(f"/projects/{roof}/bins/{shown['id']}")) == [2, 1]


def test_the_readers_default_bin_comes_first_and_everything_can_be_had(surfing, ada, ben, tickets, roof):
    ben.post(f"/projects/{roof}/bins", {"ticket_bin": {"name": "Mine", "query": "moss", "default": True}})
    web = surfing(ben)
    page = web.get(tickets)
    assert (titles(page), "Mine private 1" in page.text) == (["Moss"], True)
    assert len(numbers(web.get(link(page, "Show all")))) == 4
    assert len(numbers(surfing(ada).get(tickets))) == 4


def test_the_page_of_tags_says_when_there_may_be_more(surfing, ada, tickets, roof, monkeypatch):
    ada.post(tickets, {"ticket": {"title": "Leak", "tag": "rain wet cold"}})
    said = [surfing(ada).get(f"/projects/{roof}/tags").text]
    monkeypatch.setattr(tags, "MAX", 2)
    said.append(surfing(ada).get(f"/projects/{roof}/tags").text)
    assert ["These are the 2 most used tags." in text for text in said] == [False, True]


def test_all_tags_are_on_a_page_of_their_own(surfing, ada, tickets):
    web = surfing(ada)
    page = web.get(link(web.get(tickets), "All tags"))
    assert "wet 2 dry rot 1" in page.text
    assert numbers(web.get(link(page, "dry rot"))) == [1]


def test_the_language_of_queries_is_told(surfing):
    page = surfing().get("/query")
    assert page.status == 200
    for text in ("responsible", "sort:updated", "not-tagged"):
        assert text in page.text


def test_a_page_that_cannot_be_is_told_in_the_language_of_its_reader(surfing, ada, tickets):
    web = surfing(ada)
    web.cookies["skerry-language"] = "de"
    page = web.get(f"{tickets}?page=0")
    assert (page.status, "Seite muss eine positive ganze Zahl sein." in page.text) == (422, True)


def test_a_list_is_grouped_and_ordered_as_its_reader_keeps_it(surfing, ada, ben, tickets, roof):
    web = surfing(ada)
    page = web.get(f"{tickets}?q=not-state:hold")
    kept = {"list_settings[group]": "state", "list_settings[sort]": "title"}
    page = web.submit(page, f"/profile/lists/{roof}", **kept)
    assert query_of(page.path)["q"] == "not-state:hold"
    groups = re.findall(r'<h2 class="group">.*?<bdi>([^<]*)</bdi>', page.source, re.DOTALL)
    assert groups == ["new", "open", "resolved"]
    assert numbers(page) == [1, 2, 3]
    assert numbers(surfing(ben).get(tickets)) == [4, 3, 2, 1]
    assert 'class="group"' not in surfing(ben).get(tickets).source


@pytest.mark.parametrize(
    ("group", "said"),
    [
        ("responsible", {"Ben", "nobody"}),
        ("importance", {"Urgent", "5", "3", "1", "High", "Low", "No priority"}),
        ("milestone", {"No milestone"}),
        ("project", {"Roof"}),
    ],
)
def test_each_group_has_a_name(surfing, ada, tickets, roof, group, said):
    ada.put(f"/profile/lists/{roof}", {"list_settings": {"group": group}})
    page = surfing(ada).get(tickets)
    headings = re.findall(r'<h2 class="group">(.*?)</h2>', page.source, re.DOTALL)
    names = [
        re.sub(r"<text.*?</text>|<span class=.count.*|<[^>]+>", "", each, flags=re.DOTALL).strip()
        for each in headings
    ]
    assert names
    assert set(names) <= said


def test_a_saved_view_is_grouped_for_everybody_who_sees_it(surfing, ada, ben, tickets, roof):
    ticket_bin = {"name": "All", "query": "sort:number", "shared": True}
    view = ada.post(f"/projects/{roof}/bins", {"ticket_bin": ticket_bin}).item["id"]
    web = surfing(ada)
    address = f"/projects/{roof}/bins/{view}"
    page = web.submit(web.get(address), address, **{"ticket_bin[group]": "importance"})
    assert page.source.count('class="group"') == 4
    assert surfing(ben).get(address).source.count('class="group"') == 4
    assert ada.get(address).item["name"] == "All"


def test_columns_of_a_layout_are_shown_and_no_others(surfing, ada, tickets, roof):
    ada.put(f"/profile/lists/{roof}", {"list_settings": {"columns": "number,created"}})
    source = surfing(ada).get(tickets).source
    assert 'class="number"' in source
    assert all(name not in source for name in ("state-value", "row-tags", "importance-value", "face"))


def test_check_boxes_choose_the_columns_of_a_list_and_of_a_view(surfing, ada, tickets, roof):
    view = ada.post(f"/projects/{roof}/bins", {"ticket_bin": {"name": "Wet", "query": "tagged:wet"}}).item[
        "id"
    ]
    web = surfing(ada)
    for place, kept, name in (
        (tickets, f"/profile/lists/{roof}", "list_settings"),
        (f"/projects/{roof}/bins/{view}", f"/projects/{roof}/bins/{view}", "ticket_bin"),
    ):
        page = web.submit(web.get(place), kept, **{f"{name}[columns][]": ["", "number", "created"]})
        assert ada.get(kept).item["columns"] == "number,created"
        assert ('class="number"' in page.source, "state-value" in page.source) == (True, False)
        page = web.submit(page, kept, **{f"{name}[columns][]": ""})
        assert (ada.get(kept).item["columns"], "state-value" in page.source) == ("", True)


def test_rows_are_as_high_as_the_browser_keeps_it(surfing, ada, tickets):
    web = surfing(ada)
    page = web.submit(web.get(f"{tickets}?q=moss"), "/preferences", rows="compact")
    assert (query_of(page.path)["q"], 'data-rows="compact"' in page.source) == ("moss", True)
    page = web.submit(page, "/preferences", rows="9rem")
    assert "data-rows" not in page.source


@pytest.mark.parametrize("group", ["responsible", "project"])
def test_each_group_is_in_one_piece(surfing, ada, ben, tickets, harbour, group):
    for place in (tickets, f"/projects/{harbour}/tickets", tickets):
        ada.post(place, {"ticket": {"title": "Gutter", "assigned_user_id": ben.user_id}})
        ada.post(place, {"ticket": {"title": "Slate"}})
    ada.put("/profile/lists/all", {"list_settings": {"group": group}})
    assert surfing(ada).get("/tickets").source.count('<h2 class="group">') == 2


def test_a_list_says_how_it_is_grouped_and_ordered(surfing, ada, tickets, roof):
    ada.put(f"/profile/lists/{roof}", {"list_settings": {"group": "state", "sort": "priority"}})
    web = surfing(ada)
    assert "Group: State · Sort: Priority · 4 tickets" in web.get(tickets).text
    assert "Sort: Number ↑ · 4 tickets" in web.get(f"{tickets}?q=sort:number-").text


def test_a_value_in_a_row_leads_to_its_choices_and_back_to_the_list_with_an_undo(surfing, ben, tickets):
    web = surfing(ben)
    page = web.get(f"{tickets}?q=moss")
    address = next(
        each for each in page.links if each.startswith(f"{tickets}/2/edit?") and "field=state" in each
    )
    page = web.submit(web.get(address), f"{tickets}/2", **{"ticket[state]": "hold"})
    assert (query_of(page.path)["q"], titles(page)) == ("moss", ["Moss"])
    assert "#2 saved: State" in page.text
    page = web.submit(page, f"{tickets}/2")
    assert (query_of(page.path)["q"], ben.get(f"{tickets}/2").item["state"]) == ("moss", "open")


def test_rows_have_nothing_to_change_for_those_who_may_not(surfing, ada, cy, harbour):
    tag = {"title": "Buoy", "tag": "sea"}
    ada.post(f"/projects/{harbour}/tickets", {"ticket": tag})
    page = surfing(cy).get(f"/projects/{harbour}/tickets")
    assert "/edit?" not in page.source
    assert numbers(surfing(cy).get(link(page, "sea"))) == [1]


def changing(page):
    """Return the links of a list that change a state."""
    return [each for each in page.links if "/edit?" in each and "field=state" in each]


def test_in_the_list_of_all_projects_members_change_rows(surfing, ada, ben, cy, roof, harbour):
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Moss"}})
    cy.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Buoy"}})
    web = surfing(ada)
    places = {each.rpartition("/edit")[0] for each in changing(web.get("/tickets"))}
    assert places == {f"/projects/{roof}/tickets/1", f"/projects/{harbour}/tickets/1"}
    assert not [*changing(surfing(cy).get("/tickets")), *changing(surfing().get("/tickets"))]
    change = next(each for each in changing(web.get("/tickets")) if each.startswith(f"/projects/{roof}/"))
    page = web.submit(web.get(change), f"/projects/{roof}/tickets/1", **{"ticket[state]": "resolved"})
    assert (page.path.split("?")[0], "#1 saved" in page.text) == ("/tickets", True)
    web.press(page, "Undo")
    assert ada.get(f"/projects/{roof}/tickets/1").item["state"] == "new"


def test_in_the_list_of_all_projects_rows_of_archived_ones_are_not_changed(surfing, ada, tickets, roof):
    assert len(changing(surfing(ada).get("/tickets"))) == 4
    ada.put(f"/projects/{roof}", {"project": {"archived": True}})
    assert not changing(surfing(ada).get("/tickets"))


@pytest.mark.parametrize(
    ("query", "better"),
    [
        ("state:opne tile", "state:open tile"),
        ("state:ope open", "state:open open"),
        ("title:newt state:'newt'", "title:newt state:'new'"),
        ("state:xyz", None),
    ],
)
def test_a_state_that_nobody_has_is_named_with_the_one_that_was_meant(surfing, ben, tickets, query, better):
    page = surfing(ben).get(f"{tickets}?q={quote(query)}")
    name = query.partition("state:")[2].split()[0].strip("'")
    assert f"There is no state called {name}." in page.text
    assert ("Did you mean" in page.text) == bool(better)
    assert not better or f"{tickets}?q={quote(better)}" in page.links
    assert "There is no state" not in surfing(ben).get(f"{tickets}?q=state:closed+nothing").text


@pytest.mark.parametrize(
    ("query", "said", "near"),
    [
        ("responsible:bne", "Nobody here is called bne.", "responsible:Ben"),
        ("reported_by:'Adda'", "Nobody here is called Adda.", "reported_by:'Ada'"),
        ("milestone:lunch", "There is no milestone called lunch.", "milestone:Launch"),
        ("tagged:wett", "There is no tag called wett.", "tagged:wet"),
        ("-importance:>=hihg state:x", "There is no priority called hihg.", "-importance:>=High state:x"),
        ("milestone:launch-2 leak", "There is no milestone called launch-2.", 'milestone:"Launch 2" leak'),
    ],
)
def test_a_name_that_nothing_has_is_told_with_those_that_are_similar(
    surfing, ada, tickets, query, said, near
):
    project, web = tickets.removesuffix("/tickets"), surfing(ada)
    for title in ("Launch", "Launch 2"):
        ada.post(f"{project}/milestones", {"milestone": {"title": title}})
    for address in (tickets, f"{project}/board"):
        page = web.get(f"{address}?q={quote(query)}")
        assert said in page.text
        assert f"{address}?q={quote(near, safe='')}" in page.links
        assert 'aria-invalid="true" aria-describedby="query-mistake"' in page.source


@pytest.mark.parametrize(
    "query",
    ["responsible:me", "milestone:L*", "milestone:id#9", "responsible:99", "tagged:wet,x", "milestone:next"],
)
def test_a_value_that_may_name_something_is_no_mistake(surfing, ada, tickets, roof, query):
    ada.post(f"/projects/{roof}/milestones", {"milestone": {"title": "Launch"}})
    ada.put(f"{tickets}/1", {"ticket": {"tag": "wet"}})
    assert 'id="query-mistake"' not in surfing(ada).get(f"{tickets}?q=nosuchword+{quote(query)}").source


def test_a_stranger_learns_no_names_from_a_query(surfing, cy, harbour, ada):
    page = surfing(cy).get(f"/projects/{harbour}/tickets?q=responsible:Adda")
    assert "Adda" not in page.text


def test_a_group_in_a_query_leads_to_the_menu_for_it(surfing, ada, tickets):
    page = surfing(ada).get(f"{tickets}?q=leak+group:state")
    assert f"{tickets}/filter?key=group&q=leak" in page.links


def test_a_state_that_tickets_still_have_is_known(surfing, ada, ben, tickets, roof):
    ada.put(f"{tickets}/1", {"ticket": {"state": "hold"}})
    ada.put(f"/projects/{roof}/settings", {"settings": {"closed_states": "resolved/6a0"}})
    for query, is_unknown in (("state:hold nothing", False), ("state:invalid", True)):
        page = surfing(ben).get(f"{tickets}?q={quote(query)}")
        assert ("There is no state called" in page.text) == is_unknown
