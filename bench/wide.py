"""Make very many of everything, and return how long each page and list takes then.

    python -m bench.wide                # on SQLite; 3,000 of everything, 3 minutes
    python -m bench.wide --postgres

One account with so many people and projects. Ada administers it; Ben is a member of all projects. In the
first project everybody is a member; it has as many milestones, tickets with tags of their own, commits and
messages, a tenth as many bins, and one ticket and one message to which as much was said. A thousand watch
that ticket. Ada has as many tokens, and has invited as many.
"""

import argparse
import http.client
import json
import tempfile
import time
from collections.abc import Iterable, Mapping
from contextlib import closing
from http import HTTPStatus
from pathlib import Path
from typing import Any

from bench import serving
from bench.sample import database_url
from skerry.database.database import Database
from skerry.database.transactions import DAY, Transaction
from skerry.store import accounts, schema
from skerry.store.auth import invitations, sessions, tokens
from skerry.store.people import people
from skerry.tracker.secrets import hash_token, new_token

MAX_WATCHERS, CHANGED_FILES_EACH = 1000, 3
COMMENT = "It *breaks* when the file `a.txt` is in a folder that is not there, see #1. " * 4
OF_PROJECT = (
    *("", "/memberships", "/tickets", "/tickets/{ticket}", "/tags", "/bins", "/milestones", "/messages"),
    *("/messages/{message}", "/changesets", "/changesets/large"),
)
LISTS = ("/projects", "/milestones", "/activity", "/tickets", *("{project}" + path for path in OF_PROJECT))
PAGES = (*LISTS, "/", "/administration", "/users/{ben}", "{project}/settings", "{project}/tickets/1")
IN_PERSON = ("/profile", "/profile/tokens", "/administration", "/invitations")
BEN_TOO = ("/", "/projects", "/tickets", "/milestones", "/activity")


class Client:
    """Somebody who calls the server, with a token or in a browser."""

    def __init__(self, port: int, **proof: str) -> None:
        """Describe nothing yet; ``proof`` is the header that says who it is."""
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=serving.PATIENCE_SECONDS)
        self._proof = proof

    def ask(self, method: str, path: str, body: Any = None, accept: str = "application/json") -> bytes:
        """Return the body of the answer; raises SystemExit if it is none of success."""
        headers = {**self._proof, "Accept": accept, "Content-Type": "application/json"}
        self._connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self._connection.getresponse()
        raw = answer.read()
        if answer.status >= HTTPStatus.BAD_REQUEST:
            raise SystemExit(f"{method} {path}: {answer.status} {raw[:200]!r}")
        return raw

    def make(self, path: str, kind: str, **fields: Any) -> Mapping[str, Any]:
        """Make something and return it."""
        (made,) = json.loads(self.ask("POST", path, {kind: fields})).values()
        return dict(made)

    def wait(self, path: str, accept: str) -> tuple[float, float, int]:
        """Return the seconds of the first and of the quickest of three answers, and the bytes of one."""
        waits = []
        for _ in range(3):
            began = time.perf_counter()
            raw = self.ask("GET", path, accept=accept)
            waits.append(time.perf_counter() - began)
        return waits[0], min(waits), len(raw)


def found(database: Database, many: int) -> tuple[list[str], list[int]]:
    """Make the account and its people, and let Ada sign in.

    Return the tokens of Ada and Ben and the secret of her browser, and everybody's ids, theirs first.
    """
    schema.migrate(database)
    with database.write() as transaction:
        transaction.account_id = accounts.add(transaction, "Wide", None).id
        users = [people.add(transaction, f"p{n}@example.org", f"Person {n}", "") for n in range(many)]
        for user_id in users:
            people.join_account(transaction, user_id, "administrator" if user_id == users[0] else "member")
        given = [new_token() for _ in range(2)]
        for user_id, token in zip(users, given, strict=False):
            tokens.add(transaction, user_id, hash_token(token), project_id=None, read_only=False, note="")
        given.append(new_token())
        sessions.add(transaction, users[0], hash_token(given[2]), agent="", address="")
    return given, users


def give_out(transaction: Transaction, user_id: int, project_ids: list[int]) -> None:
    """Make somebody a token for each project, and let them invite as many people."""
    for n, project_id in enumerate(project_ids):
        hashed = hash_token(new_token())
        tokens.add(transaction, user_id, hashed, project_id=project_id, read_only=False, note=f"Robot {n}")
        invitations.add(
            transaction,
            hashed,
            email=f"guest{n}@example.org",
            name="",
            role="member",
            project_id=None,
            user_id=None,
            creator_id=user_id,
            expires_at=transaction.now + DAY,
        )


def join(transaction: Transaction, users: Iterable[int], project_ids: Iterable[int]) -> None:
    """Make everybody a member of all projects."""
    pairs = [(project_id, user_id) for project_id in project_ids for user_id in users]
    for project_id, user_id in pairs:
        people.join_project(transaction, project_id, user_id)


def fill(ada: Client, project: str, users: list[int], many: int) -> dict[str, Any]:
    """Let there be very many of everything in a project; return what is large in it."""
    for n in range(many):
        ada.make(
            f"{project}/milestones", "milestone", title=f"Milestone {n}", due_on=f"20{n % 30 + 20}-01-01"
        )
        owner = users[n % len(users)]
        ada.make(
            f"{project}/tickets", "ticket", title=f"It {n} breaks", tag=f"tag{n}", assigned_user_id=owner
        )
        ada.make(f"{project}/changesets", "changeset", revision=f"r{n}", title=f"Commit {n}")
        ada.make(f"{project}/messages", "message", title=f"News {n}", body=COMMENT)
    for n in range(many // 10):
        ada.make(f"{project}/bins", "bin", name=f"Bin {n}", query=f"state:open tagged:tag{n}")
    files = [["M", f"/a/file{n}.c"] for n in range(CHANGED_FILES_EACH * many)]
    ada.make(f"{project}/changesets", "changeset", revision="large", title="All of it", changes=files)
    message = ada.make(f"{project}/messages", "message", title="Much is said", body=COMMENT)["id"]
    watchers = users[:MAX_WATCHERS]
    ticket = ada.make(f"{project}/tickets", "ticket", title="More is said", multiple_watchers=watchers)[
        "number"
    ]
    for n in range(many):
        ada.make(f"{project}/messages/{message}/comments", "comment", body=COMMENT)
        state = "open" if n % 2 else "new"
        ada.ask("PUT", f"{project}/tickets/{ticket}", {"ticket": {"body": COMMENT, "state": state}})
    return {"message": message, "ticket": ticket}


def measure(clients: Mapping[str, Client], places: Mapping[str, Any]) -> None:
    """Print how long each page and list takes.

    The last client is Ada's in her browser, in which she sees what no token opens.
    """
    *clients_with_tokens, (_, in_person) = clients.items()
    print(f"{'first ms':>9} {'best ms':>9} {'bytes':>11}")
    kinds = (
        ("page", "text/html", PAGES),
        ("JSON", "application/json", LISTS),
        ("XML", "application/xml", LISTS),
    )
    for kind, accept, paths in kinds:
        for path in paths:
            for name, client in clients_with_tokens:
                if name == "Ada" or path in BEN_TOO:
                    tell(client, f"{name} {kind}", path.format(**places), accept)
    for path in IN_PERSON:
        tell(in_person, "Ada page", path, "text/html")


def tell(client: Client, what: str, address: str, accept: str) -> None:
    """Print how long one page or list takes."""
    first, best, size = client.wait(address, accept)
    print(f"{first * 1e3:9.1f} {best * 1e3:9.1f} {size:11,}  {what} {address}")


def main() -> None:
    """Make as many as the command line asks for, and measure."""
    parser = argparse.ArgumentParser(description="Make very many of everything, and look at it.")
    parser.add_argument("--many", type=int, default=3000)
    parser.add_argument("--database", default="", metavar="URL", help="a PostgreSQL server")
    parser.add_argument("--postgres", action="store_true", help="start a throw-away PostgreSQL")
    asked = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        database_url(Path(folder), asked.database, throw_away=asked.postgres) as url,
        closing(Database(url)) as database,
    ):
        (*given, secret), users = found(database, asked.many)
        with serving.product(Path(folder), url, 2) as server:
            ada, ben = (Client(server.port, **{"X-ServiceToken": token}) for token in given)
            in_person = Client(server.port, Cookie=f"skerry={secret}")
            made = [ada.make("/projects", "project", name=f"Project {n}")["id"] for n in range(asked.many)]
            with database.read() as transaction:
                account_id = accounts.list_all(transaction)[0].id
            with database.write(account_id) as transaction:
                join(transaction, users[1:2], made[1:])
                join(transaction, users[1:], made[:1])
                give_out(transaction, users[0], made)
            project = f"/projects/{made[0]}"
            began = time.perf_counter()
            large = fill(ada, project, users, asked.many)
            print(
                f"{asked.many:,} of everything; filling the project took {time.perf_counter() - began:.0f} s"
            )
            measure(
                {"Ada": ada, "Ben": ben, "Ada in person": in_person},
                {"project": project, "ben": users[1], **large},
            )
            print(f"{server.memory():.0f} MiB")


if __name__ == "__main__":
    main()
