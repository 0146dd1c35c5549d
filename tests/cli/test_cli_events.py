"""Events of changes on the command line."""

import pytest

from tests.cli.archives import account_named, place_of
from tests.conftest import PASSWORD

pytestmark = pytest.mark.matrix("databases")


def test_people_and_members_that_come_and_go_by_the_command_line_are_told(source, run):
    ada = source.people["ada"]
    project = ada.post("/projects", {"project": {"name": "Roof"}}).item["id"]
    after = ada.get("/events?after=now").headers["x-last-event-id"]
    where, who = ("--account", account_named(source)), ("--email", "eve@example.org")
    run(place_of(source), "user", "add", *who, "--name", "Eve", "--password", PASSWORD, *where)
    for change in ("add", "add", "remove"):
        run(place_of(source), "member", change, "--project", project, *who, *where)
    found = ada.get(f"/events?after={after}").items
    assert [event["type"] for event in found] == ["person.added", "member.added", "member.removed"]
    assert {(event["via"], event["user_id"]) for event in found} == {("cli", None)}
    assert [event["project_id"] for event in found] == [None, project, project]
