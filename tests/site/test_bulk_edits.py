"""Bulk edits on pages: selection, preview, change and undo."""

import pytest


@pytest.fixture
def tickets(ada, roof):
    """Tickets 1 to 4, of which 1 and 3 are tagged wet; gives their project's address."""
    for number in range(1, 5):
        tag = "wet" if number % 2 else None
        ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": f"Leak {number}", "tag": tag}})
    return f"/projects/{roof}"


def states(client, place):
    return [client.get(f"{place}/tickets/{number}").item["state"] for number in range(1, 5)]


def ticked(web, place, command, *numbers, **fields):
    """Tick tickets in the list and ask for a look at what a command would do to them."""
    page = web.get(f"{place}/tickets")
    return web.submit(
        page,
        f"{place}/bulk_edits/new",
        "get",
        numbers=list(numbers),
        command=command,
        of="selected",
        **fields,
    )


def test_the_preview_shows_who_would_see_tickets(surfing, ben, tickets):
    page = ticked(surfing(ben), tickets, "private:true", 2)
    assert "Visible to: everybody → members, its author and its assignee" in page.text


def test_ticked_tickets_are_looked_at_changed_and_changed_back(surfing, ben, tickets):
    web = surfing(ben)
    page = ticked(web, tickets, "state:resolved tagged:done", 2, 3)
    assert "2 tickets would be changed" in page.text
    assert "State: new → resolved" in page.text
    assert "Tags: +done" in page.text
    assert states(ben, tickets) == ["new"] * 4
    page = web.submit(page, f"{tickets}/bulk_edit")
    assert (page.status, page.path) == (200, f"{tickets}/tickets?q=&edited=1")
    assert states(ben, tickets) == ["new", "resolved", "resolved", "new"]
    page = web.get(f"{tickets}/bulk_edits/1")
    for text in ("state:resolved tagged:done", "number:(2,3)", "Ben", "Leak 2"):
        assert text in page.text
    page = web.submit(page, f"{tickets}/bulk_edits/1/undo")
    assert (page.status, page.path) == (200, f"{tickets}/bulk_edits/2")
    assert states(ben, tickets) == ["new"] * 4
    page = web.get(f"{tickets}/bulk_edits/1")
    assert "This was undone by" in page.text
    assert not [form for form in page.reading.forms if "undo" in form.action]


def test_everything_that_was_found_is_changed_at_once(surfing, ben, tickets):
    web = surfing(ben)
    page = web.get(f"{tickets}/tickets?q=tagged:wet")
    page = web.submit(page, f"{tickets}/bulk_edits/new", "get", of="found", command="importance:4")
    assert "2 tickets would be changed" in page.text
    assert page.text.count("0 → Urgent") == 2
    web.submit(page, f"{tickets}/bulk_edit")
    assert [found["number"] for found in ben.get(f"{tickets}/tickets?q=importance:4+sort:number").items] == [
        1,
        3,
    ]


def test_commands_are_explained_where_they_are_entered(surfing, ada, tickets):
    page = surfing(ada).get(f"{tickets}/bulk_edits/new")
    assert "adds a tag; not-tagged removes it" in page.text


def test_names_are_shown_where_people_and_milestones_change(surfing, ada, ben, tickets):
    ada.post(f"{tickets}/milestones", {"milestone": {"title": "Spring"}})
    page = ticked(surfing(ada), tickets, "responsible:ben milestone:spring", 1)
    assert "Assignee: none → Ben" in page.text
    assert "Milestone: none → Spring" in page.text


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("state:done", "There is no state 'done'"),
        ("stat:new", "Unknown keyword 'stat' at 1"),
        ("milestone:spring", "There is no milestone 'spring'"),
        ("project:nowhere", "There is no project 'nowhere'"),
    ],
)
def test_an_impossible_bulk_edit_is_explained_and_changes_nothing(surfing, ben, tickets, command, sentence):
    page = ticked(surfing(ben), tickets, command, 1)
    assert page.status == 200
    assert sentence in page.text
    assert not [form for form in page.reading.forms if form.action.endswith("bulk_edit")]


def test_a_mistake_in_a_command_is_told_in_the_language_of_the_reader(surfing, ben, tickets):
    web = surfing(ben)
    web.cookies["skerry-language"] = "de"
    assert "Befehl: An Stelle 1 steht kein Befehl" in ticked(web, tickets, "resolved", 1).text


def test_without_a_tick_nothing_can_be_changed(surfing, ben, tickets):
    page = ticked(surfing(ben), tickets, "state:resolved")
    assert "No ticket was selected" in page.text


def test_a_bulk_edit_is_refused_if_its_query_now_finds_other_tickets(surfing, ada, ben, tickets):
    web = surfing(ben)
    page = web.get(f"{tickets}/bulk_edits/new?query=tagged:wet&command=state:hold")
    ada.put(f"{tickets}/tickets/2", {"ticket": {"tag": "wet"}})
    page = web.submit(page, f"{tickets}/bulk_edit")
    assert page.status == 412
    assert "The query now finds different tickets" in page.text
    assert states(ben, tickets) == ["new"] * 4
    page = web.submit(page, f"{tickets}/bulk_edits/new", "get")
    assert "3 tickets would be changed" in page.text


def test_an_edit_that_was_undone_cannot_be_undone_again(surfing, ben, tickets):
    web = surfing(ben)
    page = web.submit(ticked(web, tickets, "state:hold", 1), f"{tickets}/bulk_edit")
    web.submit(page, f"{tickets}/bulk_edits/1/undo")
    page = web.submit(page, f"{tickets}/bulk_edits/1/undo", _key="another key of a form")
    assert (page.status, "already undone" in page.text) == (422, True)


def test_tickets_that_were_moved_are_found_in_their_new_project(surfing, ada, tickets, harbour):
    web = surfing(ada)
    page = ticked(web, tickets, f"project:{harbour}", 2, 4)
    assert "2 tickets would be changed" in page.text
    assert page.text.count("Project: Roof → Harbour") == 2
    assert "stays as it is" not in page.text
    assert "This can be undone; the tickets then get new numbers." in page.text
    page = web.submit(page, f"{tickets}/bulk_edit")
    assert f"/projects/{harbour}/tickets/2" in page.links
    page = web.submit(page, f"{tickets}/bulk_edits/1/undo")
    assert {each["number"] for each in ada.get(f"{tickets}/tickets").items} == {1, 3, 5, 6}


def test_the_page_of_an_undo_names_the_tickets_that_it_did_not_reach(surfing, ada, tickets, harbour):
    web = surfing(ada)
    page = web.submit(ticked(web, tickets, f"project:{harbour}", 2, 4), f"{tickets}/bulk_edit")
    ada.delete(f"/projects/{harbour}/tickets/1")
    page = web.submit(page, f"{tickets}/bulk_edits/1/undo")
    assert "This ticket stayed as it was, because it was deleted or moved since: 2" in page.text


def test_only_members_change_several_tickets(surfing, ada, cy, harbour):
    place = f"/projects/{harbour}"
    ada.post(f"{place}/tickets", {"ticket": {"title": "Buoy"}})
    ada.post(f"{place}/bulk_edit", {"bulk_edit": {"query": "all", "command": "state:hold"}})
    assert surfing(cy).get(f"{place}/bulk_edits/new?query=all&command=state:new").status == 403
    page = surfing(cy).get(f"{place}/bulk_edits/1")
    assert (page.status, "Buoy" in page.text) == (200, True)
    assert not [form for form in page.reading.forms if "undo" in form.action]


def test_a_bulk_edit_leads_back_to_its_list_which_offers_the_undo(surfing, ben, ada, tickets):
    web = surfing(ben)
    list_page = web.get(f"{tickets}/tickets?q=tagged:wet")
    fields = {"numbers": [1, 3], "command": "state:hold", "of": "selected"}
    page = web.submit(list_page, f"{tickets}/bulk_edits/new", "get", **fields)
    page = web.submit(page, f"{tickets}/bulk_edit")
    assert page.path == f"{tickets}/tickets?q=tagged%3Awet&edited=1"
    assert "2 tickets changed" in page.text
    assert "2 tickets changed" not in surfing(ada).get(page.path).text
    again = web.submit(page, f"{tickets}/bulk_edits/1/undo")
    assert again.path.startswith(f"{tickets}/tickets?q=tagged")
    assert states(ben, tickets) == ["new"] * 4
    for wrong in ("1", "99", "x", "9" * 30):
        assert "2 tickets changed" not in web.get(f"{tickets}/tickets?edited={wrong}").text


@pytest.fixture
def harbours(ada, ben, tickets, harbour):
    """Two projects with wet tickets, and a public one of which Ben is no member; gives both addresses."""
    ada.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Leak in the boat", "tag": "wet"}})
    moored = ada.post("/projects", {"project": {"name": "Moored", "public": True}}).item["id"]
    ada.post(f"/projects/{moored}/tickets", {"ticket": {"title": "Wet rope"}})
    return tickets, f"/projects/{harbour}"


def picked_in_all(web, command, *places):
    page = web.get("/tickets")
    fields = {"numbers": [place.removeprefix("/projects/") for place in places], "of": "selected"}
    return web.submit(page, "/bulk_edits/new", "get", command=command, **fields)


def test_tickets_of_several_projects_are_changed_and_changed_back(surfing, ben, harbours):
    roof, harbour = harbours
    web = surfing(ben)
    page = picked_in_all(web, "state:resolved", f"{roof}/1", f"{roof}/3", f"{harbour}/1")
    assert "3 tickets would be changed" in page.text
    assert "Leak in the boat" in page.text
    page = web.submit(page, "/bulk_edit")
    assert (page.status, "3 tickets changed" in page.text) == (200, True)
    assert states(ben, roof) == ["resolved", "new", "resolved", "new"]
    made = page.path.rpartition("=")[2]
    page = web.submit(page, f"/bulk_edits/{made}/undo")
    assert (page.status, states(ben, roof)) == (200, ["new"] * 4)
    page = web.get(f"/bulk_edits/{made}")
    assert "This was undone by" in page.text
    assert not [form for form in page.reading.forms if "undo" in form.action]
    assert "Part of" in web.get(f"{roof}/bulk_edits/{int(made) + 1}").text


def test_rows_of_projects_that_the_reader_cannot_change_have_no_box(surfing, ben, cy, harbours):
    assert surfing(ben).get("/tickets").source.count("Select ticket") == 5
    page = surfing(cy).get("/tickets")
    assert "Wet rope" in page.text
    assert "Select ticket" not in page.source


def test_everything_found_is_refused_with_the_project_that_cannot_be_changed(surfing, ben, harbours):
    page = surfing(ben).get("/bulk_edits/new?query=wet&command=state:resolved")
    assert "You may not change tickets of Moored" in page.text
    page = surfing(ben).get("/bulk_edits/new?query=tagged:wet&command=state:nosuch")
    assert "Project Roof: There is no state" in page.text
