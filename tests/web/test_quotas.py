"""Quotas of guests."""

import io
from dataclasses import replace

import pytest

from skerry import app
from skerry.database.transactions import DAY, HOUR
from skerry.web.log import Log
from tests.conftest import build_world, make_instance, untroubled
from tests.support import matrix, migrated_databases
from tests.support.forms import KIND, field, file, form

PERSON, PROJECT = 10_000, 15_000


@pytest.fixture(scope="module", params=matrix.BOTH, ids="-".join)
def limited(request, tmp_path_factory):
    """An instance with quotas, its log, and the format that is spoken to it."""
    (kind, spoken), folder = request.param, tmp_path_factory.mktemp("quotas")
    usual, log = make_instance(migrated_databases.at(kind, folder), folder)
    quotas = {"guest_daily_bytes": PERSON, "guest_project_daily_bytes": PROJECT}
    with usual, app.build(replace(usual.settings, **quotas), Log(stream=log)) as instance:
        yield instance, log, spoken


@pytest.fixture
def world(limited):
    instance, log, spoken = limited
    with untroubled(log):
        yield build_world(instance, log, spoken)


@pytest.fixture
def yard(ada):
    return ada.post("/projects", {"project": {"name": "Yard", "public": True}}).item["id"]


def comment(client, project_id, size, number=1):
    sent = {"version": {"body": "x" * size}}
    return client.post(f"/projects/{project_id}/tickets/{number}/versions", sent)


def attach(client, project_id, size):
    sent = form(field("ticket[title]", "Leak"), file(b"x" * size))
    return client.send("POST", f"/projects/{project_id}/tickets", raw=sent, kind=KIND)


def test_guests_have_a_daily_quota_and_members_have_none(world, ada, cy, yard, monkeypatch):
    assert attach(ada, yard, 2 * PROJECT).status == 201
    assert comment(cy, yard, PERSON - 1000).status == 201
    refused = comment(cy, yard, 1001)
    rule = f"People who are not members may send at most {PERSON // 1000} kB of text and files a day"
    assert (refused.status, refused.errors) == (429, [f"{rule}; try again after midnight UTC"])
    assert 0 < int(refused.headers["retry-after"]) <= 86_400
    assert comment(cy, yard, 1000).status == 201
    now = world.database.clock()
    monkeypatch.setattr(world.database, "clock", lambda: now + DAY)
    assert comment(cy, yard, 1001).status == 201


def test_a_guest_may_send_a_limited_number_of_things_an_hour_to_a_project(
    limited, world, ada, cy, yard, monkeypatch
):
    few = replace(limited[0].settings, guest_things=3)
    begin = world.database.clock() // HOUR * HOUR + HOUR // 2
    harbour = ada.post("/projects", {"project": {"name": "Harbour", "public": True}}).item["id"]
    with app.build(few, Log(stream=io.StringIO())) as instance:
        ada, cy = (replace(client, application=instance.application) for client in (ada, cy))
        monkeypatch.setattr(instance.database, "clock", lambda: begin)
        assert [attach(cy, yard, 1).status, comment(cy, yard, 1).status] == [201, 201]
        refused = comment(cy, yard, 1)
        rule = "People who are not members may send at most 3 comments and files an hour to a project"
        assert (refused.status, refused.errors) == (429, [f"{rule}; try again in 31 minutes"])
        assert refused.headers["retry-after"] == "1801"
        assert cy.post(f"/projects/{yard}/tickets", {"ticket": {"title": "Leak"}}).status == 429
        (ticket,) = ada.get(f"/projects/{yard}/tickets").items
        assert len(ada.get(f"/projects/{yard}/tickets/{ticket['number']}").item["versions"]) == 2
        # Nobody else, and no other project, is concerned.
        assert {comment(ada, yard, 1).status for _ in range(4)} == {201}
        assert attach(cy, harbour, 1).status == 201
        assert (
            cy.put(
                f"/projects/{yard}/notification_settings", {"notification_settings": {"level": "nothing"}}
            ).status
            != 429
        )
        monkeypatch.setattr(instance.database, "clock", lambda: begin + HOUR // 2)
        assert comment(cy, yard, 1).status == 201


def test_more_than_a_days_quota_is_too_large_and_leaves_nothing(world, cy, yard):
    refused = attach(cy, yard, PERSON)
    rule = f"People who are not members may send at most {PERSON // 1000} kB of text and files a day"
    assert (refused.status, refused.errors) == (413, [rule])
    assert cy.get(f"/projects/{yard}/tickets").items == []
    assert attach(cy, yard, PERSON - 1000).status == 201


def test_a_body_that_is_far_too_large_is_refused_unread(world, cy, yard):
    refused = cy.send(
        "POST", f"/projects/{yard}/tickets", raw=b"no form at all" * 10_000, kind="application/json"
    )
    assert refused.status == 413


def test_all_guests_share_the_quota_of_a_project(world, ada, cy, yard):
    dan = world.person("dan")
    harbour = ada.post("/projects", {"project": {"name": "Harbour", "public": True}}).item["id"]
    for project_id in (yard, harbour):
        ada.post(f"/projects/{project_id}/tickets", {"ticket": {"title": "Leak"}})
    assert comment(cy, yard, PERSON - 1000).status == 201
    refused = comment(dan, yard, 7000)
    assert (refused.status, "This project accepts at most 15 kB" in refused.errors[0]) == (429, True)
    assert comment(dan, harbour, 7000).status == 201
    assert comment(ada, yard, PROJECT).status == 201


def test_refused_requests_and_previews_do_not_count(world, ada, cy, yard):
    ada.post(f"/projects/{yard}/tickets", {"ticket": {"title": "Leak"}})
    preview = {"preview": {"body": "x" * 9000}}
    for _ in range(3):
        assert cy.post(f"/projects/{yard}/preview", preview).status == 200
        assert comment(cy, yard, 9000, number=7).status == 404
    assert comment(cy, yard, 9000).status == 201


def test_a_message_takes_comments_of_guests_within_the_quota(world, ada, cy, yard):
    message = ada.post(f"/projects/{yard}/messages", {"message": {"title": "Notice", "body": "Wet"}}).item
    sent = {"comment": {"body": "x" * 6000}}
    comments = [cy.post(f"/projects/{yard}/messages/{message['id']}/comments", sent) for _ in range(2)]
    assert [answer.status for answer in comments] == [201, 429]


def test_members_of_the_account_are_no_guests(world, ben, yard, ada):
    ada.post(f"/projects/{yard}/tickets", {"ticket": {"title": "Leak"}})
    assert comment(ben, yard, 2 * PROJECT).status == 201


def test_zero_means_no_limit_and_the_cleanup_removes_what_is_over(world, cy, yard, ada, monkeypatch):
    # On a day that no other test comes to, and with nothing left of those before.
    now = world.database.clock() + 10 * DAY
    monkeypatch.setattr(world.database, "clock", lambda: now)
    world.instance.clean_up()
    ada.post(f"/projects/{yard}/tickets", {"ticket": {"title": "Leak"}})
    free = replace(world.instance.settings, guest_daily_bytes=0, guest_project_daily_bytes=0, guest_things=0)
    with app.build(free, Log(stream=io.StringIO())) as instance:
        client = replace(cy, application=instance.application)
        assert comment(client, yard, 2 * PROJECT).status == 201
    assert comment(cy, yard, 9000).status == 201
    assert world.instance.clean_up() == 0
    monkeypatch.setattr(world.database, "clock", lambda: now + DAY)
    assert world.instance.clean_up() >= 2
