"""Hidden people and resources cannot be named in tickets, commands or texts."""

import pytest

from tests.conftest import untroubled
from tests.support.isolation import NOBODY, ask, seen
from tests.support.route_matrix import STRANGER


# What is hidden is the same on both databases: test_leaks asks on both.
@pytest.fixture
def isolation(isolation_in):
    isolation, log = isolation_in("sqlite", "json")
    with untroubled(log):
        yield isolation


@pytest.fixture
def own(isolation):
    """A member of one project and of nothing else, and the address of that project, which has a ticket."""
    world = isolation.account.world
    client = world.people.get("flo") or world.person("flo")
    project = isolation.account.founder.post("/projects", {"project": {"name": "Own"}}).item["id"]
    world.join(project, client)
    client.post(f"/projects/{project}/tickets", {"ticket": {"title": "T"}})
    return client, f"/projects/{project}"


@pytest.mark.parametrize("field", ["milestone_id", "assigned_user_id", "multiple_watchers"])
def test_a_ticket_cannot_name_what_is_hidden(isolation, own, field):
    client, project = own
    people = [account.world.people["dee"].user_id for account in (isolation.account, isolation.pair.here)]
    hidden = [isolation.site.values["milestones"]] if field == "milestone_id" else people
    for method, path in (("POST", f"{project}/tickets"), ("PUT", f"{project}/tickets/1")):
        for number in hidden:
            words = (number, NOBODY)
            pair = [ask(client, method, path, {"ticket": {"title": "T", field: each}}) for each in words]
            assert pair[0].status == 422
            assert seen(pair[0], *words) == seen(pair[1], *words)


@pytest.mark.parametrize("command", ["milestone:", "responsible:"])
def test_a_command_cannot_name_what_is_hidden(own, command):
    client, project = own
    words = ("quartzprivate", "nothing")
    texts = [{"version": {"body": f"[{command}{word}]"}} for word in words]
    pair = [client.post(f"{project}/tickets/1/versions", text).item["body"] for text in texts]
    assert pair[0].replace(*words) == pair[1]


def test_the_revision_of_a_hidden_commit_becomes_no_link(isolation, own):
    client, project = own
    revision = isolation.site.values["changesets"]
    texts = [{"version": {"body": f"see [{each}] and #1"}} for each in (revision, "r0")]
    pair = [client.post(f"{project}/tickets/1/versions", text).item["body_html"] for text in texts]
    assert pair[0].replace(revision, "r0") == pair[1]
    assert "/changesets/" not in pair[0]


def test_tickets_that_were_moved_do_not_say_where_to(isolation):
    sites, founder = isolation.account.sites, isolation.account.founder
    public = f"/projects/{sites['public'].values['projects']}"
    number = founder.post(f"{public}/tickets", {"ticket": {"title": "T"}}).item["number"]
    command = f"project:{isolation.site.values['projects']}"
    moving = {"bulk_edit": {"query": f"number:{number}", "command": command}}
    moved = founder.post(f"{public}/bulk_edit", moving).item["id"]
    for path in (f"tickets/{number}", f"bulk_edits/{moved}"):
        words = (number, moved, NOBODY)
        nowhere = f"{path.partition('/')[0]}/{NOBODY}"
        pair = [ask(isolation.outsiders[STRANGER], "GET", f"{public}/{each}") for each in (path, nowhere)]
        assert seen(pair[0], *words) == seen(pair[1], *words)


def test_tickets_cannot_be_moved_where_one_cannot_look(isolation, own):
    client, project = own
    words = (isolation.site.values["projects"], isolation.site.text, NOBODY)
    moves = [{"bulk_edit": {"query": "number:1", "command": f"project:{word}"}} for word in words]
    answers = [ask(client, "POST", f"{project}/bulk_edit", move) for move in moves]
    assert answers[0].status == 422
    assert len({seen(answer, *words) for answer in answers}) == 1
