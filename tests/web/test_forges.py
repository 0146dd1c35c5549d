"""Forges: pushes of GitHub, GitLab, Forgejo and Gitea become changesets."""

import hmac
import json

import pytest

from tests.mail.mails import verify
from tests.support.pushes import FIRST, SECOND, hook, push, pushed, sample

pytestmark = pytest.mark.matrix("both")

KINDS = ("github", "gitlab", "forgejo", "gitea")


def changesets(ada, roof):
    return {each["revision"]: each for each in ada.get(f"/projects/{roof}/changesets").items}


@pytest.mark.parametrize("kind", KINDS)
def test_a_push_becomes_changesets_of_the_owner_of_the_hook(world, ada, ben, roof, tickets, kind):
    verify(world, ben)
    forge = hook(ben, roof, kind)
    number = ada.post(tickets, {"ticket": {"title": "Leak"}}).item["number"]
    answer = pushed(ada, forge, sample(kind, ben.email, number))
    assert (answer.status, answer.item["revisions"], answer.item["known"]) == (200, [FIRST, SECOND], 0)
    first, second = (changesets(ada, roof)[revision] for revision in (FIRST, SECOND))
    assert (first["user_id"], first["committer_id"], first["committer_name"]) == (
        ben.user_id,
        ben.user_id,
        "Ben",
    )
    assert (second["committer_id"], second["committer_name"]) == (None, "Dora Tiler")
    assert first["title"] == "Ben Slater: Seal the stairs"
    assert first["changed_at"] == "2026-03-14T08:26:53Z"
    changes = str(first["changes"])
    assert (
        changes.index("/roof/tiles.txt") < changes.index("/roof/stairs.txt") < changes.index("/roof/old.txt")
    )
    ticket = ada.get(f"{tickets}/{number}").item
    assert (ticket["state"], ticket["user_id"], ticket["version"]) == ("resolved", ben.user_id, 2)


@pytest.mark.parametrize("kind", KINDS)
def test_a_push_that_comes_twice_is_one(ada, roof, tickets, kind):
    forge, number = hook(ada, roof, kind), ada.post(tickets, {"ticket": {"title": "Leak"}}).item["number"]
    seal = push(message=f"Seal [#{number} tagged:dry]")
    assert pushed(ada, forge, seal).item["revisions"] == [FIRST]
    again = pushed(ada, forge, seal).item
    assert (again["revisions"], again["known"], again["left_out"]) == ([], 1, 0)
    assert ada.get(f"{tickets}/{number}").item["version"] == 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_push_without_the_right_secret_does_nothing(ada, roof, kind):
    forge = hook(ada, roof, kind)
    wrong = pushed(ada, {**forge, "secret": "0" * 40}, push())
    missing = ada.send("POST", f"/projects/{roof}/pushes/{kind}", raw=b"{}", kind="application/json")
    nowhere = ada.send("POST", f"/projects/987/pushes/{kind}", raw=b"{}", kind="application/json")
    assert {wrong.status, missing.status, nowhere.status} == {403}
    assert wrong.errors == missing.errors == nowhere.errors
    assert changesets(ada, roof) == {}


def test_a_signature_holds_for_its_body_alone(ada, roof):
    forge, raw = hook(ada, roof, "github"), json.dumps(push()).encode()
    signature = hmac.digest(forge["secret"].encode(), raw, "sha256").hex()
    answer = ada.send(
        "POST",
        f"/projects/{roof}/pushes/github",
        raw=raw + b" ",
        kind="application/json",
        X_GitHub_Event="push",
        X_Hub_Signature_256=f"sha256={signature}",
    )
    assert answer.status == 403


OTHERS = {
    "a tag": push(ref="refs/tags/v1"),
    "a removed branch": push(after="0" * 40, commits=[]),
    "a test of Gitea": push(before=FIRST),
}


@pytest.mark.parametrize("what", OTHERS)
def test_what_has_no_new_commits_is_answered_and_does_nothing(ada, roof, what):
    answer = pushed(ada, hook(ada, roof, "gitea"), OTHERS[what])
    assert answer.status == 200
    assert answer.item["reason"]
    assert answer.item["revisions"] == []
    assert changesets(ada, roof) == {}


def test_a_ping_and_other_events_are_answered(ada, roof):
    forge = hook(ada, roof, "github")
    assert pushed(ada, forge, {"zen": "Keep it dry"}, event="ping").item["reason"] == "ping"
    assert pushed(ada, forge, {"action": "opened"}, event="issues").item["reason"] == "Only pushes are read"
    assert ada.get(f"/projects/{roof}/forges/{forge['id']}").item["pushed_at"]


def test_the_form_of_github_is_read_too(ada, roof):
    forge = hook(ada, roof, "github")
    assert pushed(ada, forge, push(), as_form=True).item["revisions"] == [FIRST]


@pytest.mark.parametrize("body", [b"{", b"[]", b"payload=", b"payload=%ff", b"\xff", b"[" * 100_000, b"null"])
def test_a_body_that_is_no_push_is_refused(ada, roof, body):
    assert pushed(ada, hook(ada, roof, "github"), body).status == 400


ODD = (
    {"commits": None},
    {"commits": "many"},
    {"commits": [None, 3, {}, {"id": 7}, {"id": "not a commit"}]},
    {
        "commits": [
            {"id": FIRST, "message": 7, "timestamp": "soon", "author": [], "added": "x", "removed": [3]}
        ]
    },
    {"commits": [{"id": FIRST, "message": "a\0\ud800", "author": {"name": "\0", "email": "\0@x"}}]},
)


@pytest.mark.parametrize("odd", ODD)
def test_odd_values_in_a_push_are_left_out(ada, roof, odd):
    assert pushed(ada, hook(ada, roof, "github"), push(**odd)).status == 200
    assert ada.get(f"/projects/{roof}/changesets").status == 200


def test_only_the_newest_commits_of_a_long_push_are_read(ada, roof):
    commits = [{"id": f"{number:040x}", "message": f"Tile {number}"} for number in range(1, 300)]
    answer = pushed(ada, hook(ada, roof, "github"), push(after=commits[-1]["id"], commits=commits)).item
    assert (len(answer["revisions"]), answer["left_out"]) == (250, 49)
    assert answer["revisions"][-1] == commits[-1]["id"]
    assert "250" in answer["reason"]


def test_a_forge_whose_owner_left_is_refused_until_somebody_else_adds_it(world, ada, ben, roof):
    forge = hook(ben, roof, "gitlab")
    membership = next(
        each["id"]
        for each in ada.get(f"/projects/{roof}/memberships").items
        if each["user_id"] == ben.user_id
    )
    assert ada.delete(f"/projects/{roof}/memberships/{membership}").status == 200
    refused = pushed(ada, forge, push())
    assert refused.status == 403
    assert "does not work in the project" in refused.errors[0]
    assert pushed(ada, hook(ada, roof, "gitlab"), push()).status == 200


def test_a_new_secret_replaces_the_old_one_and_a_removed_forge_has_none(ada, roof):
    forge = hook(ada, roof, "forgejo")
    place = f"/projects/{roof}/forges/{forge['id']}"
    assert "secret" not in ada.get(place).item
    renewed = ada.post(f"{place}/secret").item
    assert pushed(ada, forge, push()).status == 403
    assert pushed(ada, renewed, push()).status == 200
    assert ada.delete(place).status == 200
    assert pushed(ada, renewed, push()).status == 403


def test_members_manage_forges_and_nobody_else(ada, cy, roof):
    hook(ada, roof, "github")
    assert cy.get(f"/projects/{roof}/forges").status == 404
    assert ada.post(f"/projects/{roof}/forges", {"forge": {"kind": "cvs"}}).errors == [
        "Kind must be one of github, gitlab, forgejo, gitea"
    ]


def test_an_archived_project_takes_no_push(ada, roof):
    forge = hook(ada, roof, "github")
    ada.put(f"/projects/{roof}", {"project": {"archived": True}})
    assert pushed(ada, forge, push()).status == 403
