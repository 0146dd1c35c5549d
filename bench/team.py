"""Let a team work on the sample data that bench/data.py makes, with browsers, and return how long they wait.

    python -m bench.team --database sqlite:////tmp/sample.sqlite3 --people 100

Everybody is signed in, looks at a page, reads for some seconds, and goes on: to lists, tickets, searches
and the dashboard. One of ten visits to a ticket ends with a comment, and now and then somebody opens one.
"""

import argparse
import http.client
import re
import statistics
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Mapping
from contextlib import closing
from html import unescape
from http import HTTPStatus
from pathlib import Path
from random import Random
from urllib.parse import urlencode, urlsplit

from bench import sample, serving
from bench.data import PASSWORD, PEOPLE
from skerry.database.database import Database
from skerry.store import accounts, bins, projects

PROJECTS = (1, 1, 1, 1, 2, 2, 3, 4, 5)
"""Where people work: in the large projects more often."""

SEARCHES = (
    "common",
    "middle state:open",
    "responsible:me sort:importance",
    "state:open responsible:me",
    "tagged:tag3 state:open",
)
BINS = ("common state:open", "milestone:none state:open", "responsible:none state:open", *SEARCHES)
"""What is counted beside every list, some of it dear."""

RECENT = 200
"""Of how many tickets somebody reads one on the average, counted from the newest."""

COMMENT = "I have looked at it again, and it is *dry* by now. See #3."

_HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"')
_ACTION = re.compile(r'action="([^"]+)"')
_FORM = {"Content-Type": "application/x-www-form-urlencoded"}
_PAGE = {"Accept": "text/html"}


class Waits:
    """How long each kind of request took, in seconds, as everybody notes it."""

    def __init__(self) -> None:
        """Begin with none."""
        self.by_kind: defaultdict[str, list[float]] = defaultdict(list)
        self.refused: list[str] = []

    def forget(self) -> None:
        """Begin anew."""
        self.by_kind.clear()
        self.refused.clear()

    def table(self) -> str:
        """Return a line for each kind of request."""
        lines = [f"{'':10} {'requests':>8} {'p50 ms':>8} {'p95 ms':>8} {'p99 ms':>8} {'most ms':>8}"]
        for kind, waits in sorted(self.by_kind.items()):
            parts = statistics.quantiles(waits, n=100) if len(waits) > 1 else waits * 99
            figures = (parts[49], parts[94], parts[98], max(waits))
            lines.append(f"{kind:10} {len(waits):8} " + " ".join(f"{each * 1e3:8.1f}" for each in figures))
        return "\n".join(lines)


class Person(threading.Thread):
    """Somebody with a browser, who works until ``until`` (of ``time.monotonic``)."""

    def __init__(self, number: int, port: int, think: float, sizes: Mapping[int, int], waits: Waits) -> None:
        """Do nothing yet; ``think`` is the mean of the seconds between two requests."""
        super().__init__(daemon=True)
        self.until = 0.0
        self._email = f"person{number % PEOPLE}@example.org"
        self._chance = Random(number)
        self._port, self._think, self._sizes, self._waits = port, think, sizes, waits
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._cookies: dict[str, str] = {}

    def sign_in(self) -> None:
        """Sign in by the page for it."""
        page = self._get("", "/sign-in")
        fields = {**dict(_HIDDEN.findall(page)), "email": self._email, "password": PASSWORD}
        self._ask("", "POST", "/sign-in", fields)

    def run(self) -> None:
        """Work."""
        while self._rests():
            project = self._chance.choice(PROJECTS)
            (work,) = self._chance.choices(
                (self._look_around, self._list, self._search, self._read, self._comment, self._open),
                (8, 32, 8, 37, 10, 5),
            )
            work(project)

    def _rests(self) -> bool:
        left = self.until - time.monotonic()
        time.sleep(max(0.0, min(left, self._chance.expovariate(1 / self._think))))
        return time.monotonic() < self.until

    def _look_around(self, _project: int) -> None:
        self._get("dashboard", "/")

    def _list(self, project: int) -> None:
        self._get("list", f"/projects/{project}/tickets")

    def _search(self, project: int) -> None:
        query = urlencode({"q": self._chance.choice(SEARCHES)})
        self._get("search", f"/projects/{project}/tickets?{query}")

    def _read(self, project: int) -> str:
        ago = int(self._chance.expovariate(1 / RECENT))
        return self._get("ticket", f"/projects/{project}/tickets/{max(1, self._sizes[project] - ago)}")

    def _comment(self, project: int) -> None:
        self._send("comment", self._read(project), {"ticket[body]": COMMENT})

    def _open(self, project: int) -> None:
        page = self._get("form", f"/projects/{project}/tickets/new")
        title = f"Rain at gable {self._chance.randrange(1000)}"
        self._send("open", page, {"ticket[title]": title, "ticket[body]": COMMENT})

    def _send(self, kind: str, page: str, fields: Mapping[str, str]) -> None:
        """Fill in the form of a page that has a text to write, and see where it leads."""
        text = page.find("<textarea")
        form = page[page.rfind("<form", 0, text) : page.find("</form>", text)]
        action = _ACTION.search(form)
        if action and self._rests():
            hidden = {name: unescape(value) for name, value in _HIDDEN.findall(form)}
            address = self._ask(kind, "POST", unescape(action[1]), {**hidden, **fields})
            if address:
                self._get("ticket", urlsplit(address).path)

    def _get(self, kind: str, path: str) -> str:
        return self._ask(kind, "GET", path)

    def _ask(self, kind: str, method: str, path: str, fields: Mapping[str, str] | None = None) -> str:
        """Return the page that comes, or of a form that was taken the address to which it leads."""
        cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        headers = {**_PAGE, "Cookie": cookies, **(_FORM if fields else {})}
        # After fifteen seconds of reading the server has closed the connection.
        self._connection.close()
        began = time.perf_counter()
        self._connection.request(method, path, urlencode(fields) if fields else None, headers)
        answer = self._connection.getresponse()
        page = answer.read().decode()
        if kind:
            self._waits.by_kind[kind].append(time.perf_counter() - began)
        for cookie in answer.headers.get_all("Set-Cookie") or ():
            name, _, value = cookie.partition("=")
            self._cookies[name] = value.partition(";")[0]
        if answer.status >= HTTPStatus.BAD_REQUEST:
            # Who comments on what somebody else has just changed is shown that first.
            self._waits.refused.append(f"{method} {path} {answer.status}")
            return ""
        return answer.headers["Location"] or page


def prepared(url: str) -> dict[int, int]:
    """Keep the bins in every project, unless they are there; return how many tickets each project has."""
    with closing(Database(url)) as database:
        with database.read() as transaction:
            account_id = accounts.list_all(transaction)[0].id
        with database.write(account_id) as transaction:
            for project_id in sorted({*PROJECTS}):
                if not bins.count_own(transaction, project_id, 1):
                    for place, query in enumerate(BINS, 1):
                        row = {"name": query, "query": query, "shared": 1, "position": place, "user_id": 1}
                        layout = {"columns": "", "group": "", "sort": ""}
                        bins.add(transaction, project_id=project_id, **row, **layout)
            return projects.tickets_counts(transaction, sorted({*PROJECTS}))


def main() -> None:
    """Let as many people work as the command line asks for."""
    parser = argparse.ArgumentParser(description="Let a team work on the sample data.")
    parser.add_argument("--database", required=True, metavar="URL", help="it is written to")
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--think", type=float, default=3.0, help="seconds between two requests of somebody")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--warm-up", type=float, default=15.0, help="seconds before it is measured")
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    url = sample.kept(asked.database).url
    sizes = prepared(url)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving.product(Path(folder), url, asked.workers) as server,
    ):
        waits = Waits()
        people = [Person(each, server.port, asked.think, sizes, waits) for each in range(asked.people)]
        for person in people:
            person.sign_in()
        until = time.monotonic() + asked.warm_up + asked.seconds
        for person in people:
            person.until = until
            person.start()
        time.sleep(asked.warm_up)
        waits.forget()
        used = server.cpu()
        for person in people:
            person.join()
        used = (server.cpu() - used) / asked.seconds
        memory = server.memory()
    done = sum(map(len, waits.by_kind.values()))
    print(f"{asked.people} people: {done / asked.seconds:.0f} requests a second")
    print(waits.table())
    print(f"{used:.2f} processors, without the database's; {memory:.0f} MiB; refused: {len(waits.refused)}")
    for each in waits.refused[:5]:
        print(f"  {each}")


if __name__ == "__main__":
    main()
