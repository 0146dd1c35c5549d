"""Conditional requests over HTTP: 304 for unchanged resources, 412 for changed ones."""

import pytest

from skerry.store.auth import sessions
from skerry.tracker.secrets import hash_token
from tests.conftest import PASSWORD
from tests.support import forms
from tests.support.client import Upload, basic
from tests.support.resources import PICTURE

# Conditions of writes are compared under locks, which each database has its own way of taking.
BOTH, FORMATS = map(pytest.mark.matrix, ("both", "formats"))

DAY = 86_400_000_000
TICKET = {"ticket": {"title": "Leak"}}
PROJECT = {"project": {"name": "Gable"}}


@FORMATS
def test_every_get_carries_an_etag(ada, roof, leak):
    for path in (
        "/projects",
        "/tickets",
        f"/projects/{roof}",
        f"/projects/{roof}/tickets",
        leak,
        f"{leak}/versions",
    ):
        etag = ada.get(path).headers["etag"]
        assert etag.startswith('"')
        assert etag.endswith('"')


@FORMATS
def test_the_same_tag_again_is_304_without_a_body(ada, leak):
    etag = ada.get(leak).headers["etag"]
    for header in (etag, f"W/{etag}", f'"x", {etag}', "*"):
        answer = ada.get(leak, If_None_Match=header)
        assert (answer.status, answer.body, answer.headers["etag"]) == (304, b"", etag)
    assert ada.send("HEAD", leak, If_None_Match=etag).status == 304


def test_another_tag_gives_the_whole_answer(ada, leak):
    for header in ('"x"', "", "nonsense", '"'):
        assert ada.get(leak, If_None_Match=header).status == 200


@BOTH
def test_the_tag_changes_with_what_is_shown(ada, roof, leak):
    paths = (leak, f"{leak}/versions", f"/projects/{roof}/tickets", "/tickets")
    before = [ada.get(path).headers["etag"] for path in paths]
    ada.put(leak, {"ticket": {"body": "More"}})
    after = [ada.get(path).headers["etag"] for path in paths]
    assert all(old != new for old, new in zip(before, after, strict=True))
    assert ada.get(leak, If_None_Match=before[0]).status == 200


def test_the_tag_does_not_depend_on_who_asks(world, ada, ben, leak):
    clients = (ada, ben, world.client(**{"X-ServiceToken": world.token(ada.user_id, read_only=True)}))
    assert len({client.get(leak).headers["etag"] for client in clients}) == 1


@FORMATS
def test_the_tag_depends_on_the_page_and_the_format(ada, roof, leak):
    other = "json" if ada.format == "xml" else "xml"
    assert ada.get(leak).headers["etag"] != ada.get(f"{leak}.{other}").headers["etag"]
    tickets = f"/projects/{roof}/tickets"
    assert ada.get(tickets).headers["etag"] != ada.get(f"{tickets}?page=2").headers["etag"]


def test_a_304_is_sent_only_to_those_who_may_read(cy, nobody, ada, leak):
    etag = ada.get(leak).headers["etag"]
    assert cy.get(leak, If_None_Match=etag).status == 404
    assert nobody.get(leak, If_None_Match=etag).status == 401


def test_an_etag_is_valid_for_one_address_format_and_host(world, ada, roof, leak):
    etag = ada.get(leak).headers["etag"]
    assert ada.get(leak, If_None_Match=etag).status == 304
    other = "json" if ada.format == "xml" else "xml"
    for path in (f"{leak}/versions", f"{leak}.{other}", f"/projects/{roof}/tickets"):
        assert ada.get(path, If_None_Match=etag).status == 200
    assert ada.get(leak, If_None_Match=etag, Host=f"{world.host}:8080").status == 200


@BOTH
def test_a_304_counts_as_a_use_of_a_token_and_in_the_metrics(world, ada, leak):
    key = world.client(**{"X-ServiceToken": world.token(ada.user_id)})
    etag = key.get(leak).headers["etag"]
    key.get(leak, If_None_Match=etag)
    world.instance.last_used.write(world.database)
    key.get(leak, If_None_Match=etag)
    assert world.instance.last_used.write(world.database) == 1
    routes = {(row[1], row[2]) for row in world.instance.metrics.snapshot()["requests"]}
    assert ("/projects/{project_id}/tickets/{number}", "304") in routes


@BOTH
def test_a_304_is_not_sent_after_the_token_has_ended(world, ada, leak, monkeypatch):
    now = world.database.clock()
    key = world.client(**{"X-ServiceToken": world.token(ada.user_id, expires_at=now + DAY)})
    etag = key.get(leak).headers["etag"]
    assert [key.get(leak, If_None_Match=etag).status for _ in range(2)] == [304, 304]
    monkeypatch.setattr(world.database, "clock", lambda: now + DAY)
    assert key.get(leak, If_None_Match=etag).status == 401


def test_a_304_is_not_sent_after_the_session_has_ended(world, ada, leak, monkeypatch):
    with world.write() as transaction:
        sessions.add(transaction, ada.user_id, hash_token("d" * 40), agent="", address="")
    browser, now = ada.speaking(Cookie="skerry=" + "d" * 40), world.database.clock()
    etag = browser.get(leak).headers["etag"]
    assert [browser.get(leak, If_None_Match=etag).status for _ in range(2)] == [304, 304]
    monkeypatch.setattr(world.database, "clock", lambda: now + 30 * DAY)
    assert browser.get(leak, If_None_Match=etag).status == 401


@BOTH
def test_a_search_that_depends_on_the_time_is_never_cached(world, ada, roof, leak, monkeypatch):
    paths = [f"/projects/{roof}/tickets?q={query}" for query in ("state:open", "created:today")]
    tags = {path: ada.get(path).headers["etag"] for path in paths}
    assert {ada.get(path, If_None_Match=tag).status for path, tag in tags.items()} == {304}
    later = world.database.clock() + 2 * DAY
    monkeypatch.setattr(world.database, "clock", lambda: later)
    still_open, today = (ada.get(path, If_None_Match=tag) for path, tag in tags.items())
    assert still_open.status == 304
    assert (today.status, today.items) == (200, [])


@BOTH
def test_put_and_delete_with_the_present_tag_work(ada, roof, leak):
    for path, data in (
        (leak, TICKET),
        (f"{leak}/versions/1", {"version": {"body": "x"}}),
        (f"/projects/{roof}", {"project": {}}),
    ):
        assert ada.put(path, data, If_Match=ada.get(path).headers["etag"]).status == 200
    assert ada.delete(leak, If_Match=ada.get(leak).headers["etag"]).status == 200


@BOTH
def test_put_and_delete_with_a_stale_tag_are_412_and_change_nothing(ada, roof, leak):
    stale = ada.get(leak).headers["etag"]
    ada.put(leak, {"ticket": {"state": "open"}})
    before = ada.get(leak).item
    for answer in (
        ada.put(leak, {"ticket": {"title": "X"}}, If_Match=stale),
        ada.delete(leak, If_Match=stale),
        ada.delete(leak, If_Match='"x", "y"'),
        ada.delete(leak, If_Match=""),
        ada.put(f"{leak}/versions/1", {"version": {"body": "X"}}, If_Match=stale),
        ada.put(f"/projects/{roof}", {"project": {"name": "X"}}, If_Match=stale),
        ada.delete(f"/projects/{roof}", If_Match=stale),
    ):
        assert (answer.status, answer.errors) == (412, ["This has changed since you read it"])
    assert ada.get(leak).item == before
    assert ada.get(f"/projects/{roof}").item["name"] == "Roof"


@BOTH
def test_if_unmodified_since_refuses_a_later_change(world, ada, leak, monkeypatch):
    seen = ada.get(leak).headers["last-modified"]
    assert ada.put(leak, TICKET, If_Unmodified_Since=seen).status == 200
    later = world.database.clock() + DAY
    monkeypatch.setattr(world.database, "clock", lambda: later)
    ada.put(leak, {"ticket": {"title": "Roof"}})
    for answer in (
        ada.put(leak, TICKET, If_Unmodified_Since=seen),
        ada.delete(leak, If_Unmodified_Since=seen),
    ):
        assert (answer.status, answer.errors) == (412, ["This has changed since you read it"])
    assert ada.get(leak).item["title"] == "Roof"
    assert ada.put(leak, TICKET, If_Unmodified_Since="yesterday").status == 200
    assert ada.put(leak, TICKET, If_Unmodified_Since=seen, If_Match="*").status == 200


@BOTH
def test_a_text_that_was_edited_in_place_is_not_as_it_was_seen(world, ada, leak, monkeypatch):
    seen = ada.get(leak).headers["last-modified"]
    later = world.database.clock() + DAY
    monkeypatch.setattr(world.database, "clock", lambda: later)
    ada.put(f"{leak}/versions/1", {"version": {"body": "Tar"}})
    assert ada.delete(leak, If_Unmodified_Since=seen).status == 412
    assert ada.delete(leak, If_Unmodified_Since=ada.get(leak).headers["last-modified"]).status == 200


@BOTH
def test_if_none_match_does_not_change_an_existing_resource(ada, leak):
    before = ada.get(leak)
    for tag in ("*", before.headers["etag"], f'"x", W/{before.headers["etag"]}'):
        answer = ada.put(leak, TICKET, If_None_Match=tag)
        assert (answer.status, answer.errors) == (412, ["Something already exists here"])
    assert ada.get(leak).item == before.item
    assert ada.put(leak, TICKET, If_None_Match='"x"').status == 200


@BOTH
def test_a_role_is_not_changed_if_somebody_else_changed_it_meanwhile(ada, ben):
    admin, path = ada.speaking(**basic(ada.email, PASSWORD)), f"/people/{ben.user_id}"
    seen, draft = {"If-Match": admin.get(path).headers["etag"]}, {"person": {"role": "administrator"}}
    assert admin.put(path, {"person": {"role": "member"}}, If_Match='"x"').status == 412
    assert [admin.put(path, draft, **seen).status for _ in range(2)] == [200, 412]
    assert admin.delete(path, **seen).status == 412
    assert admin.get(path).item["role"] == "administrator"


def test_if_match_is_refused_on_a_resource_that_cannot_be_read(ben):
    password, new = ben.speaking(**basic(ben.email, PASSWORD)), "a shed full of rope"
    draft = {"password": {"present": PASSWORD, "new": new}}
    for tag in ("*", '"x"', ""):
        answer = password.put("/profile/password", draft, If_Match=tag)
        assert answer.status == 412
        assert "If-Match" in answer.errors[0]
    assert password.put("/profile/password", draft, If_None_Match="*").status == 200
    assert ben.speaking(**basic(ben.email, new)).get("/profile").status == 200


def test_a_star_matches_any_value_but_not_a_missing_one(ada, leak):
    assert ada.put(leak, TICKET, If_Match="*").status == 200
    missing = leak.removesuffix("1") + "2"
    assert ada.put(missing, TICKET, If_Match="*").status == 404


@FORMATS
def test_the_tag_of_either_format_may_be_sent(ada, leak):
    for form in ("xml", "json"):
        etag = ada.get(f"{leak}.{form}").headers["etag"]
        assert ada.put(leak, TICKET, If_Match=etag).status == 200


def test_without_if_match_a_put_works_as_ever(ada, leak):
    assert ada.put(leak, TICKET).status == 200


def test_a_stale_tag_is_not_said_to_those_who_may_not_see(cy, nobody, leak):
    assert cy.put(leak, TICKET, If_Match='"x"').status == 404
    assert nobody.put(leak, TICKET, If_Match='"x"').status == 401


def test_answers_may_be_kept_only_by_who_asked(ada, leak):
    sheet = forms.form(forms.field("ticket[title]", "Rain"), forms.file())
    assert ada.send("PUT", leak, raw=sheet, kind=forms.KIND).status == 200
    answer = ada.get(leak)
    again = ada.get(leak, If_None_Match=answer.headers["etag"])
    file = answer.item["attachments"][0]["url"]
    sent = [
        answer,
        again,
        ada.get("/projects"),
        ada.get("/nowhere"),
        ada.delete(f"{leak}9"),
        ada.get(f"{leak}!", Accept="text/html"),
        ada.get(f"{leak}!", Accept="application/json"),
        ada.get(file.removeprefix(f"http://{ada.host}") + "!"),
    ]
    assert again.status == 304
    names = {"Accept", "Accept-Encoding", "Authorization", "Cookie", "X-ServiceToken", "X-LighthouseToken"}
    for one in sent:
        assert names <= set(one.headers["vary"].split(", "))
        assert one.status >= 400 or "private" in one.headers["cache-control"]


@BOTH
def test_a_repeated_conditional_request_gets_the_first_response(ada, roof):
    bins = f"/projects/{roof}/bins"
    for path, draft, status in (
        (f"{bins}/1", {"name": "Wet"}, 200),
        (bins, {"name": "Dry", "query": "a"}, 201),
    ):
        once = {"If-Match": ada.get(path).headers["etag"], "Idempotency-Key": path}
        first, again = (ada.post(path, {"bin": draft}, **once) for _ in range(2))
        assert (first.status, again.status, again.body) == (status, status, first.body)
        assert ada.post(path, {"bin": draft}, **{**once, "Idempotency-Key": "another"}).status == 412


@BOTH
def test_an_addition_may_depend_on_the_tag_of_the_list(ada, roof):
    ada.post(f"/projects/{roof}/tickets", TICKET)
    for path, draft in ((f"/projects/{roof}/tickets", TICKET), ("/projects", PROJECT)):
        seen = {"If-Match": ada.get(path).headers["etag"]}
        assert [ada.post(path, draft, **seen).status for _ in range(2)] == [201, 412]


@BOTH
def test_an_action_may_depend_on_the_tag_of_its_resource(ada, roof):
    ada.post(f"/projects/{roof}/milestones", {"milestone": {"title": "Spring"}})
    ada.post(f"/projects/{roof}/messages", {"message": {"title": "Notice"}})
    ada.post(f"/projects/{roof}/tickets", TICKET)
    edit = {"bulk_edit": {"query": "all", "command": "tagged:wet"}}
    edited = ada.post(f"/projects/{roof}/bulk_edit", edit).item["id"]
    for item, verb, done, draft in (
        (f"/projects/{roof}/milestones/1", "PUT", "close", None),
        (f"/projects/{roof}/milestones/1", "PUT", "open", None),
        (f"/projects/{roof}/messages/1", "POST", "comments", {"comment": {"body": "Rain"}}),
        (f"/projects/{roof}/bulk_edits/{edited}", "POST", "undo", None),
        ("/profile", "PUT", "avatar", Upload("avatar", PICTURE)),
        ("/profile", "DELETE", "avatar", None),
    ):
        etag = ada.get(item).headers["etag"]
        assert ada.send(verb, f"{item}/{done}", draft, If_Match='"x"').status == 412
        assert ada.send(verb, f"{item}/{done}", draft, If_Match=etag).status in (200, 201)
