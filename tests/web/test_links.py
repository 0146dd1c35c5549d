"""Links between tickets."""

from urllib.parse import quote

import pytest

pytestmark = pytest.mark.matrix("both")


@pytest.fixture
def opened(ada, tickets):
    """Return a function that opens tickets by title, and returns their addresses."""

    def open_all(*titles, into=tickets):
        return [f"{into}/{ada.post(into, {'ticket': {'title': each}}).item['number']}" for each in titles]

    return open_all


@pytest.fixture
def shed(ada):
    """Return the address of the tickets of a private project of Ada's."""
    return f"/projects/{ada.post('/projects', {'project': {'name': 'Shed'}}).item['id']}/tickets"


def linked(client, ticket):
    return [(each["kind"], each["ticket"]) for each in client.get(f"{ticket}/links").items]


def link(client, ticket, kind, other):
    return client.post(f"{ticket}/links", {"link": {"kind": kind, "ticket": other}})


def test_a_link_is_seen_from_both_tickets(ada, opened):
    roof, wall = opened("Roof", "Wall")
    made = link(ada, roof, "blocks", 2)
    assert (made.status, made.item["kind"], made.item["title"], made.item["number"]) == (
        201,
        "blocks",
        "Wall",
        2,
    )
    assert made.headers["location"].rpartition(".")[0].endswith(f"{roof}/links/{made.item['id']}")
    assert (linked(ada, roof), linked(ada, wall)) == ([("blocks", "2")], [("blocked-by", "1")])
    assert ada.get(wall).item["links"] == ada.get(f"{wall}/links").items
    assert ada.get(f"{wall}/links/{made.item['id']}").item["kind"] == "blocked-by"
    assert (ada.delete(f"{wall}/links/{made.item['id']}").status, linked(ada, roof)) == (200, [])


@pytest.mark.parametrize(
    ("kind", "other"),
    [("duplicated-by", "duplicates"), ("relates-to", "relates-to"), ("parent", "child"), ("child", "parent")],
)
def test_each_kind_has_its_counterpart(ada, opened, kind, other):
    roof, wall = opened("Roof", "Wall")
    link(ada, roof, kind, "#2")
    assert (linked(ada, roof), linked(ada, wall)) == ([(kind, "2")], [(other, "1")])


def test_versions_of_both_tickets_record_a_link(ada, opened):
    roof, wall = opened("Roof", "Wall")
    made = link(ada, roof, "blocks", 2).item["id"]
    ada.delete(f"{roof}/links/{made}")
    for ticket, kind, number in ((roof, "blocks", 2), (wall, "blocked-by", 1)):
        _, added, removed = ada.get(f"{ticket}/versions").items
        said = [(each["added"], each["kind"], each["number"]) for each in added["link_changes"]]
        assert said == [(True, kind, number)]
        assert [each["added"] for each in removed["link_changes"]] == [False]
        assert ada.get(ticket).item["versions"] == [ada.get(f"{ticket}/versions/{n}").item for n in (1, 2, 3)]


def test_a_link_that_exists_is_not_made_again(ada, opened):
    roof, wall = opened("Roof", "Wall")
    first, again, from_there = (
        link(ada, roof, "blocks", 2),
        link(ada, roof, "blocks", "2"),
        link(ada, wall, "blocked-by", 1),
    )
    assert first.item["id"] == again.item["id"] == from_there.item["id"]
    assert ada.get(roof).item["version"] == 2


def test_a_link_names_what_exists(ada, opened):
    (roof,) = opened("Roof")
    refused = {
        ("blocks", 9): "There is no ticket #9",
        ("blocks", "nowhere#1"): "There is no ticket nowhere#1",
        ("blocks", "x y"): "Ticket must be the number of a ticket, such as 12 or roof#12",
        (
            "eats",
            1,
        ): "Kind is not one of blocks, blocked-by, duplicates, duplicated-by, relates-to, parent, child",
        ("blocks", 1): "A ticket cannot be linked to itself",
    }
    for (kind, ticket), sentence in refused.items():
        answer = link(ada, roof, kind, ticket)
        assert (answer.status, answer.errors) == (422, [sentence])
    assert (link(ada, f"{roof}9", "blocks", 1).status, ada.delete(f"{roof}/links/7").status) == (404, 404)
    assert ada.get(roof).item["version"] == 1


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("blocks", "Tickets cannot block each other in a circle"),
        ("parent", "A ticket cannot be its own ancestor"),
    ],
)
def test_there_are_no_circles(ada, opened, kind, sentence):
    roof, wall, door = opened("Roof", "Wall", "Door")
    link(ada, roof, kind, 2)
    link(ada, wall, kind, 3)
    assert link(ada, door, kind, 1).errors == [sentence]
    link(ada, roof, "relates-to", 3)
    assert link(ada, door, "relates-to", 2).status == 201


def test_a_ticket_has_one_parent(ada, opened):
    roof, wall, door = opened("Roof", "Wall", "Door")
    link(ada, roof, "parent", 2)
    assert link(ada, roof, "parent", 3).errors == ["Ticket #1 has a parent already; remove that link first"]
    assert link(ada, door, "child", 1).status == 422
    assert link(ada, wall, "child", 3).status == 201


def test_a_ticket_has_no_more_than_a_hundred_links(ada, opened, monkeypatch):
    monkeypatch.setattr("skerry.tracker.changes.link_edits.MAX_LINKS", 2)
    roof, wall, *_ = opened("Roof", "Wall", "Door", "Stairs")
    assert [link(ada, roof, "blocks", number).status for number in (2, 3, 4)] == [201, 201, 422]
    assert link(ada, wall, "blocks", 4).status == 201
    assert link(ada, wall, "blocks", 3).errors == ["Ticket #2 has 2 links already, and no room for more"]


def test_only_members_of_both_projects_link_tickets(ada, ben, cy, opened, shed, hull):
    (roof,), (inside,) = opened("Roof"), opened("Inside", into=shed)
    opened("Boat", into=f"/projects/{hull}/tickets")
    assert link(ben, roof, "blocks", "shed#1").errors == ["There is no ticket shed#1"]
    assert link(cy, roof, "blocks", 1).status == 404
    shed_id = shed.split("/")[2]
    ada.put(f"/projects/{shed_id}", {"project": {"public": True}})
    refused = link(ben, roof, "blocks", "shed#1")
    assert (refused.status, refused.errors) == (403, ["Only members of both projects may link their tickets"])
    made = link(ada, roof, "blocks", "Shed#1").item
    assert (made["ticket"], made["project_id"]) == ("shed#1", int(shed_id))
    assert ben.delete(f"{roof}/links/{made['id']}").status == 403
    ada.put(f"/projects/{shed_id}", {"project": {"archived": True}})
    assert ada.delete(f"{roof}/links/{made['id']}").errors == ["The project of the other ticket is archived"]
    assert linked(ada, inside) == [("blocked-by", "roof#1")]


def test_people_who_cannot_see_the_other_ticket_see_no_link(ada, ben, opened, shed):
    (roof,), (inside,) = opened("Roof"), opened("Quartzprivate", into=shed)
    made = link(ada, roof, "parent", "shed#1").item
    assert ben.get(f"{roof}/links").items == []
    assert (
        ben.get(f"{roof}/links/{made['id']}").status == ben.delete(f"{roof}/links/{made['id']}").status == 404
    )
    seen = ben.get(roof)
    assert (seen.item.get("links", []), len(seen.item["versions"])) == ([], 2)
    for path in (roof, f"{roof}/versions", f"{roof}/versions/2", "/events", "/activity", "/tickets"):
        body = ben.get(path).body.lower()
        assert not any(word in body for word in (b"quartzprivate", b"shed", b"link_change", b"link-change"))
    assert linked(ada, inside) == [("child", "roof#1")]


def test_a_link_follows_a_ticket_that_moves(ada, opened, shed, roof):
    here, there = opened("Here", "There")
    link(ada, here, "blocks", 2)
    ada.post(f"/projects/{roof}/bulk_edit", {"bulk_edit": {"query": "number:2", "command": "project:shed"}})
    assert (linked(ada, here), linked(ada, f"{shed}/1")) == (
        [("blocks", "shed#1")],
        [("blocked-by", "roof#1")],
    )
    changes = ada.get(f"{shed}/1/versions").items[1]["link_changes"]
    assert [(each["kind"], each["number"]) for each in changes] == [("blocked-by", 1)]
    assert ada.get(there).status == 301


def test_the_links_of_a_ticket_go_with_it(ada, opened):
    roof, wall = opened("Roof", "Wall")
    link(ada, roof, "blocks", 2)
    ada.delete(wall)
    assert linked(ada, roof) == []
    assert "link_changes" not in ada.get(f"{roof}/versions/2").item


def command(client, ticket, text):
    """Comment with a command, and return the new version."""
    answer = client.put(ticket, {"ticket": {"body": text}})
    assert answer.status == 200, answer.body
    return client.get(f"{ticket}/versions/{answer.item['version']}").item


def test_commands_in_texts_link_tickets(ada, opened):
    roof, wall, door = opened("Roof", "Wall", "Door")
    said = command(ada, roof, "Wait [blocks:#2 blocked-by:#3 parent:3]")
    assert linked(ada, roof) == [("blocks", "2"), ("blocked-by", "3"), ("parent", "3")]
    assert (said["body"], len(said["link_changes"])) == ("Wait [blocks:#2 blocked-by:#3 parent:3]", 3)
    assert ada.get(wall).item["version"] == ada.get(door).item["version"] == 2
    said = command(ada, roof, "[not-blocks:#2 parent:none not-blocked-by:#3 relates:2]")
    assert (linked(ada, roof), len(said["link_changes"])) == ([("relates-to", "2")], 4)
    assert command(ada, roof, "[not-parent:#3 not-relates-to:#2 relates-to:#2]").get("link_changes") is None


def test_a_new_ticket_may_be_linked_by_its_text(ada, tickets, opened):
    (roof,) = opened("Roof")
    made = ada.post(tickets, {"ticket": {"title": "Wall", "body": "[parent:#1]"}})
    assert (made.status, linked(ada, roof)) == (201, [("child", "2")])
    assert ada.get(f"{tickets}/2/versions/1").item["link_changes"][0]["kind"] == "parent"
    both = {"ticket": {"title": "Door", "body": "[blocks:#1 blocked-by:#1]"}}
    body = ada.post(tickets, both).item["body"]
    assert body.endswith("(skipped: tickets cannot block each other in a circle)")


def test_a_duplicate_is_closed(ada, opened):
    _, wall = opened("Roof", "Wall")
    assert command(ada, wall, "[duplicates:#1]")["state"] == "resolved"
    ada.put(wall, {"ticket": {"state": "invalid"}})
    command(ada, wall, "[not-duplicates:#1]")
    assert command(ada, wall, "[duplicates:#1]")["state"] == "invalid"


def test_what_cannot_be_linked_is_skipped_with_the_reason(ada, ben, cy, opened, shed, roof):
    ticket, *_ = opened("Roof", "Wall")
    opened("Inside", into=shed)
    for text, reason in {
        "[blocks:#9]": "there is no ticket #9",
        "[blocks:shed#1]": "there is no ticket shed#1",
        "[blocks:#1 tagged:wet]": "a ticket cannot be linked to itself",
    }.items():
        assert command(ben, ticket, text)["body"] == f"{text}\n\n(skipped: {reason})"
    ada.put(f"/projects/{roof}", {"project": {"public": True}})
    assert command(cy, ticket, "[blocks:#2]")["body"].endswith(
        "(skipped: only members of the project may set links)"
    )
    assert linked(ada, ticket) == []


def test_a_commit_links_the_first_ticket_of_its_brackets(ada, roof, opened, shed):
    first, second, third = opened("First", "Second", "Third")
    opened("Inside", into=shed)
    message = "Done [#1 #2 blocks:#3 state:resolved] [shed#1 blocks:#3] [#3 blocks:#2]"
    ada.post(f"/projects/{roof}/changesets", {"changeset": {"revision": "1", "body": message}})
    assert (linked(ada, first), linked(ada, second)) == ([("blocks", "3")], [("blocked-by", "3")])
    assert ("blocked-by", "shed#1") in linked(ada, third)
    assert [ada.get(each).item["state"] for each in (first, second)] == ["resolved", "resolved"]


def test_a_bulk_edit_links_all_tickets_or_none(ada, roof, opened):
    opened("Roof", "Wall", "Door")
    edits, edit = f"/projects/{roof}/bulk_edit", {"query": "number:(2,3)", "command": "parent:#1 blocks:#1"}
    assert ada.post(edits, {"bulk_edit": {**edit, "dry_run": True}}).item["count"] == 2
    assert linked(ada, f"/projects/{roof}/tickets/1") == []
    assert ada.post(edits, {"bulk_edit": edit}).item["count"] == 2
    there = ada.get(f"/projects/{roof}/tickets/1").item
    assert (there["version"], len(there["versions"][1]["link_changes"]), len(there["links"])) == (2, 4, 4)
    for tried in (True, False):
        again = {"query": "number:2", "command": "parent:3", "dry_run": tried}
        sentence = "Ticket 2: ticket #2 has a parent already; remove that link first"
        assert ada.post(edits, {"bulk_edit": again}).errors == [sentence]
    both = ada.post(edits, {"bulk_edit": {"query": "number:2", "command": "blocks:3 project:roof"}})
    assert both.status == 422


def test_events_say_that_links_changed_only_to_those_who_see_one(ada, ben, opened, shed, roof):
    ticket, _ = opened("Roof", "Wall")
    link(ada, ticket, "blocks", "shed#1" if opened("Inside", into=shed) else "")
    hidden = [each["changes"] for each in ben.get(f"/projects/{roof}/events").items][-1]
    shown = [each["changes"] for each in ada.get(f"/projects/{roof}/events").items][-1]
    assert ("links" in (hidden or {}), "links" in shown) == (False, True)
    link(ada, ticket, "blocks", 2)
    assert all("links" in each["changes"] for each in ben.get(f"/projects/{roof}/events").items[-2:])


def found(client, tickets, query):
    answer = client.get(f"{tickets}?q={quote(query)}&limit=50")
    assert answer.status == 200, answer.body
    return sorted(each["title"] for each in answer.items)


def test_queries_find_linked_tickets(ada, ben, tickets, opened, shed):
    roof, _, door = opened("Roof", "Wall", "Door")
    opened("Inside", into=shed)
    link(ada, roof, "blocks", 2)
    link(ada, roof, "child", 2)
    link(ada, door, "blocked-by", "shed#1")
    link(ada, door, "parent", "shed#1")
    seen = {
        "is:blocked": ["Door", "Wall"],
        "-is:blocked": ["Roof"],
        "has:children": ["Roof"],
        "blocked-by:#1": ["Wall"],
        "blocked-by:shed#1": ["Door"],
        "parent:1 OR parent:shed#1": ["Door", "Wall"],
        "parent:nowhere#1": [],
    }
    assert {query: found(ada, tickets, query) for query in seen} == seen
    hidden = {"is:blocked": ["Wall"], "blocked-by:shed#1": [], "parent:shed#1": [], "has:children": ["Roof"]}
    assert {query: found(ben, tickets, query) for query in hidden} == hidden
    assert found(ada, "/tickets", "has:children") == ["Inside", "Roof"]
    ada.put(roof, {"ticket": {"state": "resolved"}})
    assert found(ada, tickets, "is:blocked") == ["Door"]


def test_a_query_for_no_ticket_is_refused(ada, tickets):
    for query in ("blocked-by:x", "parent:none"):
        (sentence,) = ada.get(f"{tickets}?q={query}").errors
        assert sentence.endswith("as a ticket; write #12 or roof#12")
    (sentence,) = ada.get(f"{tickets}?q=is:done").errors
    assert sentence == "Cannot read 'done' at 4; is: takes one of blocked, claimed, private, ready"


def test_undoing_a_bulk_edit_restores_the_links_from_before(ada, roof, tickets, opened):
    one, two, three = opened("Roof", "Wall", "Door")
    link(ada, two, "blocks", 1)
    edit = {"query": "number:(2,3)", "command": "relates:1 not-blocks:1"}
    made = ada.post(f"/projects/{roof}/bulk_edit", {"bulk_edit": edit}).item["id"]
    assert linked(ada, one) == [("relates-to", "2"), ("relates-to", "3")]
    ada.delete(f"{three}/links/{ada.get(f'{three}/links').items[0]['id']}")
    undone = ada.post(f"/projects/{roof}/bulk_edits/{made}/undo").item
    assert (undone["count"], linked(ada, one)) == (1, [("blocked-by", "2")])
    last = ada.get(f"{two}/versions").items[-1]["link_changes"]
    assert sorted((each["kind"], each["added"]) for each in last) == [("blocks", True), ("relates-to", False)]


def test_an_undo_says_which_links_cannot_be_restored(ada, roof, opened):
    one, two, _ = opened("Roof", "Wall", "Door")
    link(ada, two, "parent", 1)
    edit = {"query": "number:2", "command": "parent:none"}
    made = ada.post(f"/projects/{roof}/bulk_edit", {"bulk_edit": edit}).item["id"]
    link(ada, two, "parent", 3)
    ada.post(f"/projects/{roof}/bulk_edits/{made}/undo")
    body = ada.get(f"{two}/versions").items[-1]["body"]
    assert body.endswith("(kept: a link, as ticket #2 has a parent already; remove that link first)")
    assert linked(ada, one) == []
