"""Several instances that are asked the same, and the tickets in them as plain Python searches them."""

import json
import re
from contextlib import ExitStack, contextmanager
from datetime import datetime

from skerry.text.tags import read_tags
from tests import conftest
from tests.support import instances, naive_search

SECOND = 1_000_000
BEGINNING = 1_773_480_413 * SECOND  # 2026-03-14T09:26:53Z
A_LIST = re.compile(r"\[[0-9, ]*\]")


SPOKEN = (("sqlite", "json"), ("sqlite", "xml"), ("postgres", "json"))
"""The instances: on what, and what is spoken in them."""


@contextmanager
def built(folder):
    """Build the instances, each in a folder; return them with their logs and what is spoken in them."""
    with ExitStack() as stack:
        found = []
        for kind, form in SPOKEN:
            endpoint = folder(f"{kind}-{form}")
            if url := instances.url_of(kind, endpoint):
                instance, log = conftest.make_instance(url, endpoint)
                stack.enter_context(instance)
                found.append((instance, log, form))
        yield found


class Servers:
    """Instances with the same people; clients that use XML send the ETag of what they have."""

    def __init__(self, built):
        self.worlds = [conftest.build_world(instance, log, form) for instance, log, form in built]
        self.now, self._had = BEGINNING, {}
        for world in self.worlds:
            world.database.clock = lambda: self.now
        self.ids = {name: client.user_id for name, client in self.worlds[0].people.items()}

    def ask(self, who, method, path, data=None):
        """Ask all instances for the same; return the record or the records that come, None where none do."""
        answers = [self._answer(world, who, method, path, data) for world in self.worlds]
        first, *others = map(plain, self.worlds, answers)
        for other in others:
            assert other == first, (who, method, path, data)
        assert first[0] < 500, (who, method, path, data)
        return answers[0].items if first[0] < 300 and answers[0].data else None

    def _answer(self, world, who, method, path, data):
        key = who, path
        known = self._had.get(key) if (world.format, method) == ("xml", "GET") else None
        sent = {"If_None_Match": known.headers["etag"]} if known else {}
        answer = world.people[who].send(method, path, data, **sent)
        if answer.status == 304:
            known.headers |= answer.headers
            return known
        if (world.format, method, answer.status) == ("xml", "GET", 200):
            self._had[key] = answer
        return answer

    def seen(self):
        """Return everything as Ada sees it, ticket by ticket, for whoever searches it in plain Python."""
        people = {id_: (name.capitalize(), "") for name, id_ in self.ids.items() if id_}
        world = naive_search.World({}, people, {}, now=self.now)
        for project in self.ask("ada", "GET", "/projects"):
            at, project_id = f"/projects/{project['id']}", project["id"]
            world.projects[project_id] = project["name"], project["permalink"]
            for one in self.ask("ada", "GET", f"{at}/milestones"):
                due, closed = timestamp(one["due_on"]), one["completed_at"] is not None
                world.milestones[one["id"]] = naive_search.Milestone(
                    one["id"], project_id, one["title"], due, closed
                )
            for listed in self.ask("ada", "GET", f"{at}/tickets?limit=100"):
                ticket = self.ask("ada", "GET", f"{at}/tickets/{listed['number']}")
                assert listed == {name: ticket[name] for name in listed}
                assert ticket["versions"][-1]["version"] <= ticket["version"]
                assert ticket["versions"][0]["body"] == ticket["body"]
                world.tickets[project_id, ticket["number"]] = as_searched(ticket)
        return world


def as_searched(ticket):
    """Return a ticket of an answer as the plain search knows it."""
    return naive_search.Ticket(
        ticket["project_id"],
        ticket["number"],
        ticket["title"],
        ticket["body"],
        ticket["state"],
        ticket["closed"],
        frozenset(read_tags(ticket["tag"] or "")),
        ticket["importance"],
        ticket["assigned_user_id"],
        ticket["milestone_id"],
        ticket["creator_id"],
        frozenset(ticket["watchers_ids"]),
        ticket["attachments_count"],
        timestamp(ticket["created_at"]),
        timestamp(ticket["updated_at"]),
        tuple((version["user_id"], version["body"]) for version in ticket["versions"][1:]),
    )


def timestamp(text):
    return text and int(datetime.fromisoformat(text).timestamp()) * SECOND


def plain(world, answer):
    """Return what an answer says, whatever the format and the address of the instance."""
    told = json.dumps(answer.items if answer.data else None).replace(world.host, "")
    return answer.status, answer.headers.get("x-total-count"), filled(json.loads(told))


def filled(value):
    """Leave out empty lists and records, as XML does, and read lists of numbers that are texts there."""
    if isinstance(value, dict):
        inside = {name: filled(each) for name, each in value.items() if name != "changes"}
        return {name: each for name, each in inside.items() if each not in ([], {})}
    if isinstance(value, list):
        return [filled(each) for each in value]
    return json.loads(value) if isinstance(value, str) and A_LIST.fullmatch(value) else value
