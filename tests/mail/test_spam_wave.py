"""A wave of spam: many sign up from a few networks, and write as much as they may."""

import pytest

from skerry.store import accounts
from skerry.tracker import held_texts
from skerry.tracker.auth import sign_ups
from skerry.tracker.spam import spam_batches
from skerry.transfer import exports
from tests.cli.archives import exported
from tests.conftest import PASSWORD
from tests.mail.mails import verify
from tests.support.client import TYPES, basic, call, encode
from tests.support.mail_server import link_in
from tests.support.newcomers import newcomer
from tests.support.readers import read_events
from tests.web.test_spam import Lease

pytestmark = pytest.mark.matrix("both")

NETWORKS = [f"198.51.100.{number}" for number in range(5)]
SPAMMERS = 50
OWN = "a boat full of sails"


@pytest.fixture
def tickets(ada, ben, harbour):
    """Three tickets of Ben's and a message of Ada's, in a public project."""
    for number in range(3):
        ben.post(f"/projects/{harbour}/tickets", {"ticket": {"title": f"It leaks {number}", "body": "Here"}})
    ada.post(f"/projects/{harbour}/messages", {"message": {"title": "News", "body": "None"}})
    return f"/projects/{harbour}/tickets"


@pytest.fixture
def look(ben, cy, nobody, tickets):
    """Return all that people see of the project."""
    project = tickets.removesuffix("/tickets")
    paths = [f"{tickets}?q=tiles", tickets, project, "/projects", "/events", "/activity", "/tickets"]
    paths += [*(f"{tickets}/{number}" for number in (1, 2, 3)), f"{project}/messages/1"]
    return lambda: {
        (client.user_id, path): client.get(path).body for client in (ben, cy, nobody) for path in paths
    }


@pytest.fixture
def removals(world, ada):
    return Removals(world, world.client(**basic(ada.email, PASSWORD)))


class Removals:
    """What an administrator does about spammers, with the work of the background."""

    def __init__(self, world, in_person):
        self.world, self.in_person = world, in_person

    def _each(self, ids, answer):
        assert {answer(user_id).status for user_id in ids} == {200}
        spam_batches.send(self.world.database, Lease(self.world.account_id))

    def remove(self, ids):
        self._each(ids, lambda user_id: self.in_person.put(f"/spam-removals/{user_id}"))

    def undo(self, ids):
        self._each(ids, lambda user_id: self.in_person.post(f"/spam-removals/{user_id}/undo"))


def choose(world, newcomers):
    with world.write() as transaction:
        accounts.set_sign_up(transaction, "open", newcomers)


def ask(world, number, network):
    """Let somebody ask for a sign-up from a network."""
    said = {"sign_up": {"email": f"s{number}@spam.{world.host}", "name": f"Spammer {number}"}}
    headers = {"Host": world.host, "Content-Type": TYPES[world.format]}
    path, body = world.client().address("/sign-up"), encode(world.format, said)
    return call(world.instance.application, "POST", path, body=body, headers=headers, address=network)


def sign_up_all(world, post):
    """Let as many sign up as may from the networks, and one more from each; return those who did."""
    answers = [ask(world, number, NETWORKS[number % len(NETWORKS)]) for number in range(SPAMMERS)]
    assert {answer.status for answer in answers} == {200}
    late = [ask(world, SPAMMERS + number, network) for number, network in enumerate(NETWORKS)]
    assert [(each.status, int(each.headers["retry-after"]) > 0) for each in late] == [(429, True)] * 5
    links = [link_in(message) for _, message in post.deliver() if "/sign-up/" in message.as_string()]
    assert len(links) == SPAMMERS == sign_ups.LIMITS.network * len(NETWORKS)
    made = [world.client().post(link, {"new_person": {"password": OWN}}).item["id"] for link in links]
    return {user_id: world.client(**{"X-ServiceToken": world.token(user_id)}) for user_id in made}


def write(spammers, tickets):
    """Let each write a ticket, and comments on a ticket and a message; return the statuses."""
    message, statuses = f"{tickets.removesuffix('tickets')}messages/1", set()
    for number, spammer in enumerate(spammers):
        ticket = {"title": f"Cheap tiles {number}", "body": "Buy tiles", "tag": "tiles"}
        on = f"{tickets}/{number % 3 + 1}/versions"
        answers = [
            spammer.post(tickets, {"ticket": ticket}),
            spammer.post(on, {"version": {"body": "Buy tiles here"}}),
            spammer.post(on, {"version": {"body": "Buy more tiles"}}),
            spammer.post(f"{message}/comments", {"comment": {"body": "Buy"}}),
        ]
        statuses |= {answer.status for answer in answers}
    return statuses


def held(client, tickets):
    """Return all texts that wait."""
    path = f"{tickets.removesuffix('tickets')}held-texts?limit=100&page="
    return [each for page in range(1, 5) for each in client.get(f"{path}{page}").items]


def export(world, folder):
    """Return the files of an export of the account, but for when it was made."""
    to, base = folder / "export.tar.gz", f"http://{world.host}"
    exports.export(world.database, world.instance.blobs, world.account_id, to, base=base, overwrite=True)
    return {path: content for path, content in exported(to).items() if path != "export.json"}


def test_a_wave_of_sign_ups_is_limited_and_held(world, ben, post, look, removals, tickets):
    choose(world, "hold")
    verify(world, ben)
    level = {"notification_settings": {"level": "everything"}}
    ben.put(f"{tickets.removesuffix('tickets')}notification_settings", level)
    before, spammers = look(), sign_up_all(world, post)
    assert write(spammers.values(), tickets) == {202}
    first = next(iter(spammers.values()))
    more = [first.post(tickets, {"ticket": {"title": "Cheap"}}) for _ in range(held_texts.MOST - 3)]
    assert [each.status for each in more] == [202] * (held_texts.MOST - 4) + [429]
    assert int(more[-1].headers["retry-after"]) > 0
    read_events(world)
    assert (look(), ben.get("/notifications").items, post.deliver()) == (before, [], [])
    waiting = held(ben, tickets)
    assert len(waiting) == 4 * SPAMMERS + held_texts.MOST - 4
    removals.remove(spammers)
    assert (held(ben, tickets), look()) == ([], before)
    assert {spammer.get("/profile").status for spammer in spammers.values()} == {401}
    removals.undo(spammers)
    assert held(ben, tickets) == waiting
    assert {spammer.get("/profile").status for spammer in spammers.values()} == {200}


@pytest.mark.parametrize("newcomers", ["show", "mark"])
def test_a_wave_that_everybody_saw_goes_and_comes_back_as_it_was(
    world, ben, look, removals, tickets, tmp_path, newcomers
):
    choose(world, newcomers)
    clean = look()
    spammers = [newcomer(world, f"s{number}") for number in range(12)]
    assert write(spammers, tickets) == {201}
    ben.post(f"{tickets}/4/versions", {"version": {"body": "No"}})
    before, marked = export(world, tmp_path), held(ben, tickets)
    assert len(marked) == (4 * len(spammers) if newcomers == "mark" else 0)
    removals.remove(spammer.user_id for spammer in spammers)
    assert {each["count"] for each in removals.in_person.get("/spam-removals").items} == {4}
    found = {key: body for key, body in look().items() if "?q=" in key[1]}
    assert found.items() <= clean.items()
    after = export(world, tmp_path)
    spam = [path for path in after if "Buy" in str(after[path]) or "Cheap" in str(after[path])]
    assert [path for path in spam if "tickets/" in path or "messages/" in path] == []
    assert held(ben, tickets) == []
    removals.undo(spammer.user_id for spammer in spammers)
    assert (export(world, tmp_path), held(ben, tickets)) == (before, marked)
