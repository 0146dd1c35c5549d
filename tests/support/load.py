"""Many clients that open and change tickets at once, and keep what each was answered.

What they were told is compared with what is there in the end: everything that was answered with
success, once; everything else, whole or not at all; and the numbers without a gap.
"""

import http.client
import json
import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, count
from threading import Event, Thread

PATIENCE_SECONDS = 30
PAGE = 100

# Changes go to one of the newest tickets of a project, so that many clients meet at the same one.
NEWEST = 20


@dataclass(frozen=True)
class Said:
    """One request and its answer; ``status`` is None if none came."""

    kind: str
    project: int
    text: str
    status: int | None
    number: int = 0


class Load:
    """So many clients of one server; in each project of several, some of them meet."""

    def __init__(self, port, token, projects, clients):
        self.port = port
        self.said = []
        self._headers = {"X-ServiceToken": token, "Content-Type": "application/json"}
        self._projects = projects
        self._clients = clients
        self._newest = dict.fromkeys(projects, 0)
        self._texts = map(str, count(1))

    @contextmanager
    def at_work(self):
        """Let all clients write until the end."""
        over = Event()
        threads = [Thread(target=self._work, args=(n, over)) for n in range(self._clients)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            over.set()
            for thread in threads:
                thread.join(2 * PATIENCE_SECONDS)

    def _work(self, client, over):
        chance = random.Random(client)
        project = self._projects[client % len(self._projects)]
        connection = None
        while not over.is_set():
            connection = connection or self._connected()
            said = self._once(connection, project, next(self._texts), chance)
            self.said.append(said)
            if said.status is None:
                connection = None
                over.wait(0.02)  # it may not be there yet again
        if connection:
            connection.close()

    def _connected(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)

    def _once(self, connection, project, text, chance):
        newest = self._newest[project]
        if not newest or chance.random() < 0.5:
            path, data = (
                f"/projects/{project}/tickets.json",
                {"title": text, "body": "*Water*", "tag": "rain"},
            )
            status, answer = self._sent(connection, "POST", path, data)
            number = answer["ticket"]["number"] if status == 201 else 0
            self._newest[project] = max(self._newest[project], number)
            return Said("opened", project, text, status, number)
        number = chance.randint(max(1, newest - NEWEST), newest)
        state = chance.choice(["open", "resolved"])
        path, data = f"/projects/{project}/tickets/{number}.json", {"body": text, "state": state}
        return Said("changed", project, text, self._sent(connection, "PUT", path, data)[0], number)

    def _sent(self, connection, method, path, ticket):
        try:
            connection.request(method, path, json.dumps({"ticket": ticket}), self._headers)
            answer = connection.getresponse()
            body = answer.read()
        except (OSError, http.client.HTTPException):
            connection.close()
            return None, None
        return answer.status, json.loads(body) if answer.status == 201 else None

    def statuses(self):
        """Return how often each status was answered."""
        return Counter(said.status for said in self.said)

    def successes(self):
        """Return how many requests were answered with success."""
        return sum(said.status in (200, 201) for said in list(self.said))

    def check(self):
        """Compare what was answered with what is there."""
        connection = self._connected()
        for project in self._projects:
            self._check_project(connection, project, [said for said in self.said if said.project == project])
        connection.close()

    def _check_project(self, connection, project, told):
        there = self._tickets(connection, project)
        assert sorted(there) == list(range(1, len(there) + 1)), f"the numbers of project {project}"
        titles = Counter(there.values())
        assert set(titles.values()) <= {1}, "a ticket that is there twice"
        opened = [said for said in told if said.kind == "opened"]
        for said in opened:
            assert said.status != 201 or there.get(said.number) == said.text, said
        assert set(titles) <= {said.text for said in opened}
        changed = [said for said in told if said.kind == "changed"]
        self._check_versions(connection, project, changed)

    def _tickets(self, connection, project):
        found, page = {}, 1
        while records := self._shown(
            connection, f"/projects/{project}/tickets.json?limit={PAGE}&page={page}"
        ):
            found |= {record["ticket"]["number"]: record["ticket"]["title"] for record in records}
            page += 1
        return found

    def _check_versions(self, connection, project, changed):
        bodies = Counter()
        for number in {said.number for said in changed}:
            ticket = self._shown(connection, f"/projects/{project}/tickets/{number}.json")
            versions = ticket["versions"]
            assert [version["version"] for version in versions] == list(range(1, len(versions) + 1))
            assert ticket["state"] == versions[-1]["state"]
            bodies.update((number, version["body"]) for version in versions[1:])
        assert set(bodies.values()) <= {1}, "a change that is there twice"
        assert {(said.number, said.text) for said in changed if said.status == 200} <= set(bodies)
        assert set(bodies) <= {(said.number, said.text) for said in changed}

    def _shown(self, connection, path):
        connection.request("GET", path, headers=self._headers)
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status == 200, (path, body)
        (record,) = json.loads(body).values()
        return record


def reading_times(port, token, project, seconds, beside, readers=2):
    """Let some readers look at lists and tickets, and at a bystander's constant answer, in turn.

    Return the seconds that each request took, in order, and those of the bystander, at the port ``beside``.
    """
    paths = (f"/projects/{project}/tickets.json", f"/projects/{project}/tickets/1.json", "/projects.json")
    until = time.monotonic() + seconds

    def took(connection, path):
        began = time.perf_counter()
        connection.request("GET", path, headers={"X-ServiceToken": token})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200
        return time.perf_counter() - began

    def read(_reader):
        ours, other = (
            http.client.HTTPConnection("127.0.0.1", at, timeout=PATIENCE_SECONDS) for at in (port, beside)
        )
        times, others = [], []
        while time.monotonic() < until:
            times += [took(ours, path) for path in paths]
            others.append(took(other, "/"))
        ours.close()
        other.close()
        return times, others

    with ThreadPoolExecutor(readers) as pool:
        times, others = zip(*pool.map(read, range(readers)), strict=True)
    return sorted(chain.from_iterable(times)), sorted(chain.from_iterable(others))
