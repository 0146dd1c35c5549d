"""Who changed something a moment ago is not looked up before the next body, and may no more than others."""

import pytest
from sqlalchemy import text

from skerry.store import tokens as token_store
from skerry.store.unsettled import Unsettled
from skerry.tracker import tokens
from skerry.web.slots import Slots
from tests import forms
from tests.speaking import TYPES, basic
from tests.web.test_metrics import figures

pytestmark = pytest.mark.matrix("databases")

TICKET = {"ticket": {"title": "Leak"}}
READS = 'skerry_database_transactions_total{kind="read"}'
# Each is refused for what it is, unless whoever sends it hears first that they may not.
BODIES = {"good": TICKET, "wrong": {"ticket": {"title": ""}}}
ALL = [*BODIES, "broken"]


@pytest.fixture
def key(world, ben):
    """A token of Ben's."""
    return world.token(ben.user_id)


@pytest.fixture
def writer(world, key, roof):
    """Ben with his token, who has just opened a ticket."""
    voice = world.voice(**{"X-ServiceToken": key})
    assert voice.post(f"/projects/{roof}/tickets", TICKET).status == 201
    return voice


def send(voice, roof, body):
    path = f"/projects/{roof}/tickets"
    if body in BODIES:
        return voice.post(path, BODIES[body])
    return voice.send("POST", path, raw=b"<ticket", kind=TYPES["xml"])


def count(ada, roof):
    return len(ada.get(f"/projects/{roof}/tickets").items)


@pytest.mark.parametrize("body", ALL)
def test_a_token_that_was_revoked_since_opens_nothing(world, ada, roof, key, writer, body):
    with world.write() as transaction:
        tokens.revoke(transaction, key)
    answers = [send(writer, roof, body) for _ in range(2)]
    assert [answer.status for answer in answers] == [401, 401]
    assert count(ada, roof) == 1


@pytest.mark.parametrize("body", ALL)
def test_who_left_the_project_since_does_not_find_it(ada, ben, roof, writer, body):
    path = f"/projects/{roof}/memberships"
    (his,) = [each["id"] for each in ada.get(path).items if each["user_id"] == ben.user_id]
    assert ada.delete(f"{path}/{his}").status == 200
    answers = [send(writer, roof, body) for _ in range(2)]
    assert [answer.status for answer in answers] == [404, 404]
    assert count(ada, roof) == 1


@pytest.mark.parametrize("body", ALL)
def test_a_project_that_was_archived_since_is_not_written_to(ada, roof, writer, body):
    ada.put(f"/projects/{roof}", {"project": {"archived": True}})
    assert send(writer, roof, body).errors == ["This project is archived"]
    ada.put(f"/projects/{roof}", {"project": {"archived": False}})
    assert send(writer, roof, "good").status == 201


def test_at_a_host_that_belongs_to_another_account_since_the_token_is_unknown(world, roof, writer):
    other = "UPDATE accounts SET host = 'away.' || host WHERE host = :host"
    with world.database.engine.begin() as connection:
        connection.execute(text(other), {"host": world.host})
    # Another account answers at every host that none has.
    answer = send(writer, roof, "good")
    assert answer.status in (401, 404)


def test_a_wrong_body_of_a_known_writer_is_told_as_ever(ada, roof, writer):
    strange = ada.speaking(**{"X-ServiceToken": ada.headers["X-ServiceToken"]})
    for body, status in (("wrong", 422), ("broken", 400)):
        send(writer, roof, "good")
        first, second = send(strange, roof, body), send(writer, roof, body)
        assert (first.status, first.errors) == (second.status, second.errors)
        assert second.status == status


@pytest.mark.parametrize("sent", ["header", "query", "basic"])
def test_a_known_writer_is_looked_for_once(world, roof, key, sent):
    headers = {"header": {"X-ServiceToken": key}, "query": {}, "basic": basic(key, "x")}[sent]
    voice = world.voice(**headers)
    path = f"/projects/{roof}/tickets" + (f"?_token={key}" if sent == "query" else "")
    reads = []
    for _ in range(3):
        before = figures(world.house)[READS]
        assert voice.post(path, TICKET).status == 201
        reads.append(figures(world.house)[READS] - before)
    assert reads == [1, 0, 0]


def test_one_token_does_not_stand_for_another(world, ada, ben, cy, roof, writer):
    path = f"/projects/{roof}/tickets?_token="
    assert world.people["nobody"].post(f"{path}{world.token(ben.user_id)}", TICKET).status == 201
    assert world.people["nobody"].post(f"{path}{world.token(cy.user_id)}", TICKET).status == 404
    made = world.people["nobody"].post(f"{path}{world.token(ada.user_id)}", TICKET)
    assert made.item["user_id"] == ada.user_id


def test_a_commit_of_a_known_writer_is_looked_for_ahead_and_once_more(world, ada, roof, key, writer):
    reads = []
    for number in range(3):
        before = figures(world.house)[READS]
        commit = {"changeset": {"revision": f"1f{number}", "title": "Mend", "body": "[#1 tagged:wet]"}}
        assert writer.post(f"/projects/{roof}/changesets", commit).status == 201
        reads.append(figures(world.house)[READS] - before)
    assert reads == [2, 1, 1]
    with world.write() as transaction:
        tokens.revoke(transaction, key)
    assert writer.post(f"/projects/{roof}/changesets", {"changeset": {"revision": "1f0"}}).status == 401
    assert len(ada.get(f"/projects/{roof}/changesets").items) == 3


def test_a_preview_is_for_those_who_still_see_the_project(world, roof, key, writer):
    path, draft = f"/projects/{roof}/preview", {"preview": {"body": "*Wet*"}}
    assert [writer.post(path, draft).status for _ in range(2)] == [200, 200]
    with world.write() as transaction:
        tokens.revoke(transaction, key)
    assert writer.post(path, draft).status == 401


def test_a_token_that_was_revoked_since_was_not_used_after_that(world, roof, key, writer):
    with world.write() as transaction:
        tokens.revoke(transaction, key)
    assert send(writer, roof, "good").status == 401
    world.house.usage.write(world.database)
    with world.write() as transaction:
        (kept,) = [token for token in token_store.listed(transaction) if token.revoked_at]
    assert kept.used_at < kept.revoked_at


def test_no_file_is_brought_to_its_place_for_a_token_that_was_revoked_since(
    world, roof, key, writer, monkeypatch
):
    placed, place = [], Unsettled.place

    def noting(*arguments):
        placed.append(arguments)
        return place(*arguments)

    monkeypatch.setattr(Unsettled, "place", noting)
    form = forms.form(forms.field("ticket[title]", "Leak"), forms.file(b"Wet", "a.txt", "text/plain"))
    path = f"/projects/{roof}/tickets"
    assert writer.send("POST", path, raw=form, kind=forms.KIND).status == 201
    with world.write() as transaction:
        tokens.revoke(transaction, key)
    assert writer.send("POST", path, raw=form, kind=forms.KIND).status == 401
    assert len(placed) == 1


def test_a_body_has_the_seat_of_a_strangers_until_its_sender_is_found_out(
    world, ada, roof, key, writer, monkeypatch
):
    taken, take = [], Slots.take

    def noting(slots, holder=""):
        taken.append(slots)
        take(slots, holder)

    monkeypatch.setattr(Slots, "take", noting)
    assert send(writer, roof, "good").status == 201
    assert world.house.transfers._early in taken
    monkeypatch.setattr(world.house.transfers, "_early", Slots(0))
    # There is none left, so they are found out first.
    assert send(writer, roof, "good").status == 201
    with world.write() as transaction:
        tokens.revoke(transaction, key)
    taken.clear()
    assert send(writer, roof, "good").status == 401
    assert taken == [world.house.transfers._early]
    assert count(ada, roof) == 3
