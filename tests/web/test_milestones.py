"""Milestones over HTTP."""

import json
import re

import pytest
from sqlalchemy import bindparam, update

from skerry.store.statements import Statement
from skerry.store.tables import projects

FIELDS = {
    "completed_at": type(None),
    "created_at": str,
    "due_on": str,
    "goals": str,
    "goals_html": str,
    "id": int,
    "open_tickets_count": int,
    "permalink": str,
    "project_id": int,
    "tickets_count": int,
    "title": str,
    "updated_at": str,
    "url": str,
    "user_name": str,
}
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")

# What a project starts its tickets with has no interface of its own yet.
SET_DEFAULT = Statement(
    update(projects)
    .where(projects.c.account_id == bindparam("account_id"), projects.c.id == bindparam("project_id"))
    .values(default_milestone_id=bindparam("new_default"))
)


def add(voice, project, title="Keel", **fields):
    """Set a milestone and give it."""
    answer = voice.post(f"/projects/{project}/milestones", {"milestone": {"title": title, **fields}})
    assert answer.status == 201, answer.body
    return answer.item


def at(milestone):
    return f"/projects/{milestone['project_id']}/milestones/{milestone['id']}"


def statuses(voice, path):
    """Give how whatever can be done to a milestone is answered at an address."""
    answers = (
        voice.get(path),
        voice.put(path, {"milestone": {"title": "Mast"}}),
        voice.put(f"{path}/close"),
        voice.put(f"{path}/open"),
        voice.delete(path),
    )
    return {answer.status for answer in answers}


def counts(voice, milestone):
    found = voice.get(at(milestone)).item
    return found["tickets_count"], found["open_tickets_count"]


def open_ticket(voice, project, **fields):
    """Open a ticket and give its address."""
    answer = voice.post(f"/projects/{project}/tickets", {"ticket": {"title": "Leak", **fields}})
    assert answer.status == 201, answer.body
    return f"/projects/{project}/tickets/{answer.item['number']}"


def test_a_milestone_has_every_field_of_the_contract_with_its_kind(ada, roof):
    milestone = add(ada, roof, "Keel: 1.1!", goals="*Lay* it", due_on="2007-01-15T08:13:09Z")
    assert {name: type(value) for name, value in milestone.items()} == FIELDS
    assert (milestone["title"], milestone["permalink"]) == ("Keel: 1.1!", "keel-11")
    assert (milestone["goals"], milestone["goals_html"]) == ("*Lay* it", "<div><p><em>Lay</em> it</p></div>")
    assert (milestone["tickets_count"], milestone["open_tickets_count"]) == (0, 0)
    assert (milestone["project_id"], milestone["user_name"]) == (roof, "Ada")
    assert (milestone["due_on"], milestone["completed_at"]) == ("2007-01-15T08:13:09Z", None)
    assert milestone["url"] == f"http://{ada.host}{at(milestone)}"
    assert all(MOMENT.fullmatch(milestone[name]) for name in ("created_at", "updated_at"))


def test_the_fields_stand_in_alphabetical_order_before_the_computed_ones(ada, roof):
    path = at(add(ada, roof))
    (fields,) = json.loads(ada.get(f"{path}.json").body).values()
    assert list(fields) == list(FIELDS)
    xml = ada.get(f"{path}.xml").body.decode()
    assert re.findall(r"<([a-z-]+)[ />]", xml)[1:] == [name.replace("_", "-") for name in FIELDS]
    assert '<due-on type="datetime" nil="true"/>' in xml


def test_a_created_milestone_says_where_it_is_and_is_what_get_gives(ada, roof):
    answer = ada.post(f"/projects/{roof}/milestones", {"milestone": {"title": "Keel"}})
    assert answer.headers["location"] == f"http://{ada.host}{at(answer.item)}.{ada.format}"
    assert list(answer.data) == ["milestone"]
    assert ada.get(at(answer.item)).item == answer.item


def test_a_new_milestone_is_empty(ada, roof):
    empty = dict.fromkeys(FIELDS) | {"project_id": roof, "tickets_count": 0, "open_tickets_count": 0}
    new = ada.get(f"/projects/{roof}/milestones/new").item
    assert new == empty | {"title": "", "goals": "", "goals_html": ""}


@pytest.mark.parametrize("title", ["", "  ", None])
def test_a_milestone_needs_a_title(ada, roof, title):
    answer = ada.post(f"/projects/{roof}/milestones", {"milestone": {"title": title, "goals": "Lay it"}})
    assert (answer.status, answer.errors) == (422, ["Title can't be blank"])
    assert ada.put(at(add(ada, roof)), {"milestone": {"title": title}}).status == 422
    assert ada.post(f"/projects/{roof}/milestones", {"milestone": {"goals": "Lay it"}}).status == 422


def test_a_title_has_at_most_255_characters(ada, roof):
    assert add(ada, roof, "é" * 255)["title"] == "é" * 255
    answer = ada.post(f"/projects/{roof}/milestones", {"milestone": {"title": "é" * 256}})
    assert (answer.status, answer.errors) == (422, ["Title is too long (at most 255 characters)"])


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("2010-03-04", "2010-03-04T00:00:00Z"),
        ("2010-03-04T23:30:00+01:00", "2010-03-04T22:30:00Z"),
        ("2010-03-04T05:06:07.890", "2010-03-04T05:06:07Z"),
        ("1899-12-31", "1899-12-31T00:00:00Z"),
        ("", None),
        (None, None),
        ("nil", None),
    ],
)
def test_a_due_date_may_be_a_day_a_moment_or_nothing(ada, roof, sent, shown):
    assert add(ada, roof, due_on=sent)["due_on"] == shown
    milestone = add(ada, roof, due_on="2001-01-01")
    assert ada.put(at(milestone), {"milestone": {"due_on": sent}}).item["due_on"] == shown


@pytest.mark.parametrize("sent", ["soon", "2010-02-30", "15/01/2010"])
def test_a_due_date_that_is_none_is_refused(ada, roof, sent):
    answer = ada.post(f"/projects/{roof}/milestones", {"milestone": {"title": "Keel", "due_on": sent}})
    assert answer.status == 422
    assert answer.errors[0].startswith("Due on must be a date")


@pytest.mark.parametrize("method", ["PUT", "POST"])
@pytest.mark.parametrize("noun", ["milestones", "milestone"])
def test_an_update_changes_what_is_sent_and_answers_with_the_milestone(ada, ben, roof, method, noun):
    milestone = add(ada, roof, due_on="2010-03-04", goals="Lay it")
    path = f"/projects/{roof}/{noun}/{milestone['id']}"
    answer = ben.send(method, path, {"milestone": {"title": "Mast", "tickets_count": 7}})
    assert answer.status == 200
    assert "location" not in answer.headers
    expected = milestone | {"title": "Mast", "updated_at": answer.item["updated_at"]}
    assert answer.item == ada.get(at(milestone)).item == expected
    assert (
        ada.put(path, {"milestone": {"goals": "`x`"}}).item["goals_html"]
        == "<div><p><code>x</code></p></div>"
    )


@pytest.mark.parametrize("noun", ["milestones", "milestone"])
def test_closing_and_opening_are_the_same_however_often(ada, roof, noun):
    milestone = add(ada, roof)
    path = f"/projects/{roof}/{noun}/{milestone['id']}"
    closed = ada.put(f"{path}/close")
    assert (closed.status, list(closed.data)) == (200, ["milestone"])
    assert MOMENT.fullmatch(closed.item["completed_at"])
    assert ada.put(f"{path}/close").item == closed.item == ada.get(path).item
    opened = ada.put(f"{path}/open")
    assert opened.status == 200
    assert opened.item == milestone | {"updated_at": opened.item["updated_at"]}
    assert ada.put(f"{path}/open").item == opened.item


def test_closing_twice_keeps_the_first_time(world, ada, roof):
    milestone = add(ada, roof)
    ada.put(f"{at(milestone)}/close")
    tag = ada.get(at(milestone)).headers["etag"]
    ada.put(f"{at(milestone)}/close", {"milestone": {"title": "Ignored"}})
    assert ada.get(at(milestone)).headers["etag"] == tag


def test_a_milestone_that_does_not_exist_is_missing_everywhere(ada, roof):
    assert statuses(ada, f"/projects/{roof}/milestones/99") == {404}


def test_milestones_are_listed_by_due_date_undated_last_then_title_closed_ones_too(ada, roof):
    for title, due_on in (
        ("b", None),
        ("Later", "2010-05-01"),
        ("A", None),
        ("é", None),
        ("z", None),
        ("Same day b", "2010-04-01"),
        ("same day A", "2010-04-01"),
        ("2.3.10", None),
        ("2.x", None),
        ("Long ago", "1950-01-01"),
    ):
        closed = add(ada, roof, title, due_on=due_on)
    ada.put(f"{at(closed)}/close")
    found = [milestone["title"] for milestone in ada.get(f"/projects/{roof}/milestones").items]
    assert found == [
        "Long ago",
        "same day A",
        "Same day b",
        "Later",
        "2.3.10",
        "2.x",
        "A",
        "b",
        "z",
        "é",
    ]


def test_the_list_is_paged_and_says_so_in_its_body_and_headers(ada, roof):
    for number in range(31):
        add(ada, roof, f"Milestone {number:02}")
    first = ada.get(f"/projects/{roof}/milestones")
    assert [item["title"] for item in first.items] == [f"Milestone {number:02}" for number in range(30)]
    assert first.headers["x-total-count"] == "31"
    assert 'rel="next"' in first.headers["link"]
    second = ada.get(f"/projects/{roof}/milestones?page=2")
    assert [item["title"] for item in second.items] == ["Milestone 30"]
    assert pages(second) == (2, 2)
    assert pages(ada.get(f"/projects/{roof}/milestones?limit=4&page=3")) == (8, 3)
    assert ada.get(f"/projects/{roof}/milestones?page=0").status == 422


def pages(answer):
    """Give total_pages and current_page, which must stand after the items."""
    if answer.body.startswith(b"<"):
        end = rb"</milestone><total_pages>(\d+)</total_pages><current_page>(\d+)</current_page></milestones>"
        return tuple(map(int, re.search(end + rb"\Z", answer.body).groups()))
    data = json.loads(answer.body)
    assert list(data) == ["milestones", "total_pages", "current_page"]
    return data["total_pages"], data["current_page"]


def test_an_empty_list_is_an_empty_list_of_its_own_name(ada, roof):
    add(ada, roof)
    path = f"/projects/{roof}/milestones"
    assert ada.get(f"{path}.xml?page=5").body.endswith(b'<milestones type="array"/>')
    empty = b'{"milestones":[],"total_pages":1,"current_page":5}'
    assert ada.get(f"{path}.json?page=5").body == empty


def test_the_list_of_the_account_holds_the_milestones_of_every_project_that_is_seen(
    ada, ben, cy, nobody, roof, harbour
):
    hidden = ada.post("/projects", {"project": {"name": "Hidden"}}).item["id"]
    add(ada, roof, "Second", due_on="2010-03-05")
    add(ada, harbour, "First", due_on="2010-03-04")
    add(ada, hidden, "Third")
    titles = [[item["title"] for item in voice.get("/milestones").items] for voice in (ada, ben, cy, nobody)]
    assert titles == [["First", "Second", "Third"], ["First", "Second"], ["First"], ["First"]]
    assert pages(ada.get("/milestones?limit=2&page=2")) == (2, 2)
    assert ada.get("/milestones?limit=2&page=2").headers["x-total-count"] == "3"


def test_the_list_of_an_account_without_anything_public_asks_who_is_there(nobody, roof):
    assert nobody.get("/milestones").status == 401


def test_tickets_that_come_close_move_and_go_are_counted(ada, roof):
    keel, mast = add(ada, roof), add(ada, roof, "Mast")
    first = open_ticket(ada, roof, milestone_id=keel["id"])
    second = open_ticket(ada, roof, milestone_id=keel["id"])
    assert counts(ada, keel) == (2, 2)
    ada.put(first, {"ticket": {"state": "resolved"}})
    assert counts(ada, keel) == (2, 1)
    ada.put(first, {"ticket": {"milestone_id": mast["id"]}})
    assert (counts(ada, keel), counts(ada, mast)) == ((1, 1), (1, 0))
    ada.put(first, {"ticket": {"state": "open"}})
    ada.delete(second)
    assert (counts(ada, keel), counts(ada, mast)) == ((0, 0), (1, 1))
    ada.put(first, {"ticket": {"milestone_id": None}})
    assert counts(ada, mast) == (0, 0)


def test_a_ticket_shows_the_present_title_of_its_milestone(ada, roof):
    milestone = add(ada, roof)
    ticket = open_ticket(ada, roof, milestone_id=milestone["id"])
    ada.put(at(milestone), {"milestone": {"title": "Mast"}})
    assert ada.get(ticket).item["milestone_title"] == "Mast"


def test_a_ticket_takes_no_milestone_of_another_project(ada, roof, harbour):
    milestone = add(ada, harbour)
    fields = {"title": "Leak", "milestone_id": milestone["id"]}
    answer = ada.post(f"/projects/{roof}/tickets", {"ticket": fields})
    assert (answer.status, answer.errors) == (422, ["Milestone is not one of this project"])


@pytest.mark.parametrize("noun", ["milestones", "milestone"])
def test_a_deleted_milestone_leaves_its_tickets_and_what_their_versions_say_about_the_past(ada, roof, noun):
    keel, mast = add(ada, roof), add(ada, roof, "Mast")
    ticket = open_ticket(ada, roof, milestone_id=keel["id"])
    other = open_ticket(ada, roof, milestone_id=mast["id"])
    ada.put(ticket, {"ticket": {"milestone_id": mast["id"]}})
    ada.put(ticket, {"ticket": {"milestone_id": keel["id"]}})
    updated = ada.get(ticket).item["updated_at"]
    answer = ada.delete(f"/projects/{roof}/{noun}/{keel['id']}")
    assert (answer.status, answer.body) == (200, b"")
    assert [ada.get(at(keel)).status, ada.delete(at(keel)).status] == [404, 404]
    left = ada.get(ticket).item
    assert (left["milestone_id"], left["updated_at"], left["version"]) == (None, updated, 3)
    assert [version["milestone_id"] for version in left["versions"]] == [None, mast["id"], None]
    diffs = [version["diffable_attributes"] for version in left["versions"]]
    assert diffs == [{}, {"milestone": keel["id"]}, {"milestone": mast["id"]}]
    assert ada.get(other).item["milestone_id"] == mast["id"]


def test_a_deleted_milestone_is_no_longer_the_default_of_its_project(world, ada, roof):
    keel, mast = add(ada, roof), add(ada, roof, "Mast")
    with world.write() as transaction:
        transaction.run(SET_DEFAULT, project_id=roof, new_default=keel["id"])
    assert ada.get(open_ticket(ada, roof)).item["milestone_id"] == keel["id"]
    ada.delete(at(mast))
    assert ada.get(f"/projects/{roof}").item["default_milestone_id"] == keel["id"]
    ada.delete(at(keel))
    assert ada.get(f"/projects/{roof}").item["default_milestone_id"] is None
    assert ada.get(open_ticket(ada, roof)).item["milestone_id"] is None


def test_a_milestone_is_only_found_in_its_own_project(ada, roof, harbour):
    milestone = add(ada, roof)
    ticket = open_ticket(ada, roof, milestone_id=milestone["id"])
    elsewhere = f"/projects/{harbour}/milestones/{milestone['id']}"
    assert statuses(ada, elsewhere) == {404}
    assert ada.get(at(milestone)).item["completed_at"] is None
    assert ada.get(ticket).item["milestone_id"] == milestone["id"]


def writes(voice, project, milestone):
    """Give the status of everything that changes milestones."""
    path = f"/projects/{project}/milestones"
    one = f"{path}/{milestone['id']}"
    return {
        voice.post(path, {"milestone": {"title": "Mine"}}).status,
        voice.put(one, {"milestone": {"title": "Mine"}}).status,
        voice.post(one, {"milestone": {"title": "Mine"}}).status,
        voice.put(f"{one}/close").status,
        voice.put(f"{one}/open").status,
        voice.delete(one).status,
        voice.get(f"{path}/new").status,
    }


def reads(voice, project, milestone):
    path = f"/projects/{project}/milestones"
    singular = f"/projects/{project}/milestone/{milestone['id']}"
    return {voice.get(each).status for each in (path, f"{path}/{milestone['id']}", singular)}


def test_on_a_public_project_anybody_reads_and_only_members_write(ada, ben, cy, nobody, harbour):
    milestone = add(ben, harbour)
    assert reads(cy, harbour, milestone) == reads(nobody, harbour, milestone) == {200}
    assert writes(cy, harbour, milestone) == {403}
    assert writes(nobody, harbour, milestone) == {401}
    assert ada.get(at(milestone)).item == milestone


def test_a_private_project_is_hidden_from_strangers(ben, cy, nobody, roof):
    milestone = add(ben, roof)
    assert reads(cy, roof, milestone) == writes(cy, roof, milestone) == {404}
    assert reads(nobody, roof, milestone) == writes(nobody, roof, milestone) == {401}


def test_a_read_only_token_reads_and_changes_nothing(world, ada, roof):
    milestone = add(ada, roof)
    reader = ada.speaking(**{"X-ServiceToken": world.token(ada.user_id, read_only=True)})
    assert reads(reader, roof, milestone) == {200}
    answer = reader.put(f"{at(milestone)}/close")
    assert (answer.status, answer.errors) == (403, ["This token is read-only"])


def test_an_archived_project_shows_its_milestones_and_takes_no_more(ada, roof):
    milestone = add(ada, roof)
    ada.put(f"/projects/{roof}", {"project": {"archived": True}})
    assert reads(ada, roof, milestone) == {200}
    assert writes(ada, roof, milestone) - {200} == {403}
    assert ada.get(at(milestone)).item == milestone


def test_a_project_takes_its_milestones_along_when_it_goes(ada, roof):
    milestone = add(ada, roof)
    assert ada.delete(f"/projects/{roof}").status == 200
    assert ada.get(at(milestone)).status == 404
    assert ada.get("/milestones").items == []


@pytest.mark.parametrize(
    ("kind", "raw"),
    [
        (
            "application/xml",
            b"<milestone><title>Keel</title><goals>Lay it</goals><due-on>2010-03-04</due-on></milestone>",
        ),
        (
            "text/xml",
            b"<milestone><title>Keel</title><goals>Lay it</goals><due_on>20100304</due_on></milestone>",
        ),
        (
            "application/json",
            b'{"milestone":{"title":"Keel","goals":"Lay it","due-on":"2010-03-04","tickets-count":"9"}}',
        ),
        ("application/json", b'{"milestone":{"title":"Keel","goals":"Lay it","due_on":"20100304"}}'),
        (
            "application/x-www-form-urlencoded",
            b"milestone[title]=Keel&milestone[goals]=Lay+it&milestone[due_on]=2010-03-04",
        ),
    ],
)
def test_old_clients_set_milestones_in_their_own_ways(ada, roof, kind, raw):
    answer = ada.send("POST", f"/projects/{roof}/milestones", raw=raw, kind=kind)
    assert answer.status == 201
    made = answer.item
    assert (made["title"], made["goals"], made["tickets_count"]) == ("Keel", "Lay it", 0)
    assert made["due_on"] == "2010-03-04T00:00:00Z"


@pytest.mark.parametrize("form", ["xml", "json"])
def test_a_whole_milestone_echoed_back_changes_nothing(ada, roof, form):
    milestone = add(ada, roof, due_on="2010-03-04T05:06:07Z", goals="Lay it")
    open_ticket(ada, roof, milestone_id=milestone["id"])
    ada.put(f"{at(milestone)}/close")
    before = ada.get(at(milestone)).item
    whole = ada.get(f"{at(milestone)}.{form}").body
    answer = ada.send("PUT", at(milestone), raw=whole, kind=f"application/{form}")
    assert answer.status == 200
    assert answer.item | {"updated_at": before["updated_at"]} == before


def test_a_request_without_a_milestone_cannot_be_read(ada, roof):
    wrong = {"ticket": {"title": "Keel"}}
    assert ada.post(f"/projects/{roof}/milestones", wrong).status == 400
    assert ada.put(at(add(ada, roof)), wrong).status == 400


def test_a_stale_milestone_is_not_overwritten(ada, ben, roof):
    milestone = add(ada, roof)
    tag = ada.get(at(milestone)).headers["etag"]
    assert ada.get(at(milestone), If_None_Match=tag).status == 304
    ben.put(at(milestone), {"milestone": {"goals": "Mine"}})
    assert ada.put(at(milestone), {"milestone": {"goals": "Ours"}}, If_Match=tag).status == 412
    assert ada.delete(at(milestone), If_Match=tag).status == 412


def test_a_path_may_carry_a_slug(ada, roof):
    milestone = add(ada, roof)
    assert ada.get(f"/projects/{roof}-roof/milestones/{milestone['id']}-keel").item == milestone


def test_the_open_and_the_closed_ones_can_be_asked_for_alone(ben, roof):
    late, soon, done, last = (
        add(ben, roof, title, due_on=due)
        for title, due in (
            ("Late", "2030-02-01"),
            ("Soon", "2030-01-01"),
            ("Done", "2029-01-01"),
            ("Last", None),
        )
    )
    for milestone in (last, done):
        ben.put(f"{at(milestone)}/close")
    for address in (f"/projects/{roof}/milestones", "/milestones"):
        titles = {
            state: [item["title"] for item in ben.get(f"{address}?state={state}").items]
            for state in ("open", "closed", "")
        }
        assert titles["open"] == ["Soon", "Late"]
        assert titles["closed"] == ["Done", "Last"]
        assert len(titles[""]) == len([late, soon, done, last])


def test_milestones_are_in_no_other_state(ben, roof):
    answer = ben.get(f"/projects/{roof}/milestones?state=lost")
    assert (answer.status, answer.errors) == (422, ["State must be open or closed"])
