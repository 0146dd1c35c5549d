"""Measure whether time tells what words do not: 'is not there' against 'you may not see it'.

    python bench/leaks.py --rounds 3000

Both kinds of request go to an instance of its own, by turns, in one process without a network, so that
microseconds show. It prints the median of each and how far they are apart: of the thread's own time,
which other programs do not disturb. With SKERRY_DATABASE_URL set, that database is used, which must
be an empty one, and the time is that of the clock, because the database works elsewhere.
"""

import argparse
import io
import os
import random
import statistics
import tempfile
import time
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skerry import app, settings
from skerry.store import accounts, attachments, milestones, projects
from skerry.store.auth import tokens
from skerry.store.engine import schema
from skerry.store.engine.transactions import Transaction
from skerry.store.people import people
from skerry.tracker.auth.secrets import hash_password, hash_token, new_token
from skerry.web.log import Log
from skerry.web.middleware import Application

PASSWORD = "correct horse battery"  # noqa: S105 - of an account that lives for a minute
HOST = "leaks.example"

# More failures of one login in a minute are refused at once.
MAX_FAILURES = 90

Call = Callable[[], tuple[int, bytes]]
Clock = Callable[[], float]


@dataclass
class Pair:
    """Two requests that must look the same; ``slow`` ones are sent less often."""

    what: str
    missing: Call
    hidden: Call
    slow: bool = False


def call(
    application: Application, path: str, address: str = "127.0.0.1", **headers: str
) -> tuple[int, bytes]:
    """Call the application as a server does; return the status and the body."""
    environment: dict[str, Any] = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": path,
        "QUERY_STRING": "",
        "SERVER_NAME": HOST,
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": address,
        "HTTP_HOST": HOST,
        "HTTP_ACCEPT": "application/json",
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": io.StringIO(),
        **{f"HTTP_{name}": value for name, value in headers.items()},
    }
    statuses: list[int] = []
    pieces = application(environment, lambda status, _headers, *_: statuses.append(int(status[:3])))
    return statuses[0], b"".join(pieces)


def fill(transaction: Transaction) -> dict[str, Any]:
    """Make a private project with a ticket's file in it; return the ids and two tokens."""
    transaction.account_id = accounts.add(transaction, "Leaks", HOST).id
    ada = people.add(transaction, "ada@leaks.example", "Ada", hash_password(PASSWORD))
    cy = people.add(transaction, "cy@leaks.example", "Cy", hash_password(PASSWORD))
    people.join_account(transaction, ada, "administrator")
    found: dict[str, Any] = {"ada": ada, "token": new_token(), "stranger": new_token()}
    for user_id, name in ((ada, "token"), (cy, "stranger")):
        tokens.add(transaction, user_id, hash_token(found[name]), project_id=None, read_only=False, note="")
    found["project"] = add_project(transaction)
    values = {"project_id": found["project"], "user_id": ada, "permalink": "m", "goals": "", "goals_html": ""}
    found["milestone"] = milestones.add(transaction, title="M", due_on=None, **values)
    attachments.add(
        transaction,
        project_id=found["project"],
        number=1,
        version=1,
        uploader_id=ada,
        code="c" * 40,
        filename="a.txt",
        content_type="text/plain",
        size=1,
        width=None,
        height=None,
    )
    return found


def add_project(transaction: Transaction) -> int:
    """Make a private project."""
    states = {"open_states": "new/f17", "closed_states": "done/6A0"}
    lists = {"open_states_list": "new", "closed_states_list": "done"}
    return projects.add(
        transaction, name="Hidden", permalink="hidden", archived=0, public=0, **states, **lists
    )


def pairs(application: Application, ids: dict[str, Any]) -> list[Pair]:
    """Return what is compared."""
    # Types know nothing of a lambda's defaults, which keep the values of this very turn.
    found = [
        Pair(
            f"{what}, {who}",
            lambda path=missing, sent=sent: call(application, path, **sent),  # type: ignore[misc]
            lambda path=hidden, sent=sent: call(application, path, **sent),  # type: ignore[misc]
        )
        for what, missing, hidden in addresses(ids)
        for who, sent in (("nobody", {}), ("a stranger", {"X_SERVICETOKEN": ids["stranger"]}))
    ]
    return [*found, passwords(application)]


def addresses(ids: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return for each kind of thing an address of nothing and one of something hidden."""
    project, nowhere = f"/projects/{ids['project']}", "/projects/987654"
    return [
        ("a project", f"{nowhere}.json", f"{project}.json"),
        ("a ticket", f"{nowhere}/tickets/1.json", f"{project}/tickets/1.json"),
        ("a milestone", f"{nowhere}/milestones/1.json", f"{project}/milestones/{ids['milestone']}.json"),
        ("an attachment", "/attachments/987654/a.txt", "/attachments/1/a.txt"),
        ("a token by address", f"/tokens/{'0' * 40}.json", f"/tokens/{ids['token']}.json"),
        ("a user", "/users/987654.json", f"/users/{ids['ada']}.json"),
    ]


def passwords(application: Application) -> Pair:
    """Compare a login that is none with a wrong password, each from an address of its own."""

    def sign_in(email: str) -> tuple[int, bytes]:
        said = b64encode(f"{email}:wrong password".encode()).decode()
        address = f"10.{random.randrange(256)}.{random.randrange(256)}.{random.randrange(256)}"
        return call(application, "/profile.json", address, AUTHORIZATION=f"Basic {said}")

    return Pair(
        "a login (unknown, wrong password)",
        lambda: sign_in("nobody@leaks.example"),
        lambda: sign_in("ada@leaks.example"),
        slow=True,
    )


def measure(pair: Pair, rounds: int, clock: Clock) -> tuple[float, float]:
    """Return the medians of both sides in microseconds; stops if they do not say the same."""
    assert pair.missing() == pair.hidden(), pair.what
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        # In a new order each time: whoever comes second finds the caches warm.
        for side in random.sample((0, 1), 2):
            act = (pair.missing, pair.hidden)[side]
            began = clock()
            act()
            times[side].append((clock() - began) * 1e6)
    return statistics.median(times[0]), statistics.median(times[1])


def main() -> None:
    """Measure everything and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3000)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        url = settings.load(os.environ).database_url
        instance = app.build(
            settings.Settings(data=Path(folder), database_url=url), Log(stream=io.StringIO())
        )
        with instance:
            schema.migrate(instance.database)
            with instance.database.write() as transaction:
                ids = fill(transaction)
            print(f"{'median in microseconds':40} {'is not':>9} {'hidden':>9} {'apart':>8}")
            for pair in pairs(instance.application, ids):
                report(pair, rounds, time.perf_counter if url else time.thread_time)


def report(pair: Pair, rounds: int, clock: Clock) -> None:
    """Measure a pair and print its line."""
    missing, hidden = measure(pair, min(rounds, MAX_FAILURES) if pair.slow else rounds, clock)
    print(f"{pair.what:40} {missing:9.1f} {hidden:9.1f} {hidden - missing:+8.1f}")


if __name__ == "__main__":
    main()
