"""Milestones over HTTP."""

import json
import re

import pytest

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
    "start_on": type(None),
    "tickets_count": int,
    "title": str,
    "updated_at": str,
    "url": str,
    "user_name": str,
}
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")

# What a project starts its tickets with has no interface of its own yet.


def add(client, project, title="Keel", **fields):
    """Set a milestone and return it."""
    answer = client.post(f"/projects/{project}/milestones", {"milestone": {"title": title, **fields}})
    assert answer.status == 201, answer.body
    return answer.item


def at(milestone):
    return f"/projects/{milestone['project_id']}/milestones/{milestone['id']}"


def statuses(client, path):
    """Return how whatever can be done to a milestone is answered at an address."""
    answers = (
        client.get(path),
        client.put(path, {"milestone": {"title": "Mast"}}),
        client.put(f"{path}/close"),
        client.put(f"{path}/open"),
        client.delete(path),
    )
    return {answer.status for answer in answers}


def counts(client, milestone):
    found = client.get(at(milestone)).item
    return found["tickets_count"], found["open_tickets_count"]


@pytest.mark.matrix("both")
def test_a_milestone_has_every_field_of_the_contract_with_its_kind(ada, roof):
    milestone = add(ada, roof, "Keel: 1.1!", goals="*Lay* it", due_on="2007-01-15T08:13:09Z")
    assert {name: type(value) for name, value in milestone.items()} == FIELDS
    assert (milestone["title"], milestone["permalink"]) == ("Keel: 1.1!", "keel-11")
    assert (milestone["goals"], milestone["goals_html"]) == ("*Lay* it", "<div><p><em>Lay</em> it</p></div>")
    assert (milestone["tickets_count"], milestone["open_tickets_count"]) == (0, 0)
    assert (milestone["project_id"], milestone["user_name"]) == (roof, "Ada")
    assert (milestone["due_on"], milestone["completed_at"]) == ("2007-01-15T08:13:09Z", None)
    assert milestone["url"] == f"http://{ada.host}{at(milestone)}"
    assert all(TIMESTAMP.fullmatch(milestone[name]) for name in ("created_at", "updated_at"))


@pytest.mark.matrix("both")
def test_the_fields_stand_in_alphabetical_order_before_the_computed_ones(ada, roof):
    path = at(add(ada, roof))
    (fields,) = json.loads(ada.get(f"{path}.json").body).values()
    assert list(fields) == list(FIELDS)
    xml = ada.get(f"{path}.xml").body.decode()
    assert re.findall(r"<([a-z-]+)[ />]", xml)[1:] == [name.replace("_", "-") for name in FIELDS]
    assert '<due-on type="datetime" nil="true"/>' in xml


def test_the_response_to_a_new_milestone_has_its_location_and_equals_get(ada, roof):
    answer = ada.post(f"/projects/{roof}/milestones", {"milestone": {"title": "Keel"}})
    assert answer.headers["location"] == f"http://{ada.host}{at(answer.item)}.{ada.format}"
    assert list(answer.data) == ["milestone"]
    assert ada.get(at(answer.item)).item == answer.item


@pytest.mark.matrix("both")
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
        ("2010-03-04T00:00:00+02:00", "2010-03-04T00:00:00Z"),
        ("2010-03-04T23:30:00-11:00", "2010-03-04T00:00:00Z"),
        ("0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59-12:00", "9999-12-31T00:00:00Z"),
        ("2010-03-04T05:06:07.890", "2010-03-04T05:06:07Z"),
        ("2010/03/04 05:06:07 +0100", "2010-03-04T00:00:00Z"),
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


@pytest.mark.matrix("both")
@pytest.mark.parametrize("sent", ["2010-03-04T06:06:07+01:00", "2010-03-03T23:06:07.5-06:00"])
def test_the_same_moment_in_another_offset_changes_no_due_date(ada, roof, sent):
    milestone = add(ada, roof, due_on="2010-03-04T05:06:07Z")
    assert ada.put(at(milestone), {"milestone": {"due_on": sent}}).item["due_on"] == "2010-03-04T05:06:07Z"


@pytest.mark.parametrize("sent", ["soon", "2010-02-30", "15/01/2010"])
def test_an_invalid_due_date_is_refused(ada, roof, sent):
    answer = ada.post(f"/projects/{roof}/milestones", {"milestone": {"title": "Keel", "due_on": sent}})
    assert answer.status == 422
    assert answer.errors[0].startswith("Due on must be a date")


@pytest.mark.matrix("both")
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
def test_closing_and_opening_are_idempotent(ada, roof, noun):
    milestone = add(ada, roof)
    path = f"/projects/{roof}/{noun}/{milestone['id']}"
    closed = ada.put(f"{path}/close")
    assert (closed.status, list(closed.data)) == (200, ["milestone"])
    assert TIMESTAMP.fullmatch(closed.item["completed_at"])
    assert ada.put(f"{path}/close").item == closed.item == ada.get(path).item
    opened = ada.put(f"{path}/open")
    assert opened.status == 200
    assert opened.item == milestone | {"updated_at": opened.item["updated_at"]}
    assert ada.put(f"{path}/open").item == opened.item


@pytest.mark.matrix("both")
def test_closing_twice_keeps_the_first_time(ada, roof):
    milestone = add(ada, roof)
    ada.put(f"{at(milestone)}/close")
    tag = ada.get(at(milestone)).headers["etag"]
    ada.put(f"{at(milestone)}/close", {"milestone": {"title": "Ignored"}})
    assert ada.get(at(milestone)).headers["etag"] == tag


def test_a_milestone_that_does_not_exist_is_missing_everywhere(ada, roof):
    assert statuses(ada, f"/projects/{roof}/milestones/99") == {404}


def test_a_milestone_is_only_found_in_its_own_project(ada, roof, harbour, leak):
    milestone = add(ada, roof)
    ada.put(leak, {"ticket": {"milestone_id": milestone["id"]}})
    elsewhere = f"/projects/{harbour}/milestones/{milestone['id']}"
    assert statuses(ada, elsewhere) == {404}
    assert ada.get(at(milestone)).item["completed_at"] is None
    assert ada.get(leak).item["milestone_id"] == milestone["id"]


def writes(client, project, milestone):
    """Return the status of everything that changes milestones."""
    path = f"/projects/{project}/milestones"
    one = f"{path}/{milestone['id']}"
    return {
        client.post(path, {"milestone": {"title": "Mine"}}).status,
        client.put(one, {"milestone": {"title": "Mine"}}).status,
        client.post(one, {"milestone": {"title": "Mine"}}).status,
        client.put(f"{one}/close").status,
        client.put(f"{one}/open").status,
        client.delete(one).status,
        client.get(f"{path}/new").status,
    }


def reads(client, project, milestone):
    path = f"/projects/{project}/milestones"
    singular = f"/projects/{project}/milestone/{milestone['id']}"
    return {client.get(each).status for each in (path, f"{path}/{milestone['id']}", singular)}


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


@pytest.mark.matrix("both")
def test_deleting_a_project_deletes_its_milestones(ada, roof):
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


@pytest.mark.matrix("both")
@pytest.mark.parametrize("form", ["xml", "json"])
def test_a_whole_milestone_echoed_back_changes_nothing(ada, roof, leak, form):
    milestone = add(ada, roof, due_on="2010-03-04T05:06:07Z", goals="Lay it")
    ada.put(leak, {"ticket": {"milestone_id": milestone["id"]}})
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


@pytest.mark.matrix("both")
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
