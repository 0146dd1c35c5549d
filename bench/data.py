"""Sample data for measuring, the same for the same numbers: tickets with three versions each.

    python bench/data.py --database sqlite:////tmp/sample.sqlite3 --tickets 100000

One account, five projects of uneven sizes, twenty people, ten milestones in each project, thirty
tags, and texts whose words are as unevenly common as those of real ones. Some words are set in on
purpose: ``common`` is in a third of the tickets, ``middle`` in one of a hundred, ``rare`` in one of
fifty thousand. Everybody's password is the same.
"""

import argparse
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import bindparam, insert

from skerry.database.database import Database
from skerry.database.rows import written
from skerry.database.statements import Statement
from skerry.database.transactions import Transaction
from skerry.store import accounts, projects, schema, states, tags
from skerry.store import milestones as milestone_store
from skerry.store.counts import counters
from skerry.store.people import people
from skerry.store.search import index as search_index
from skerry.store.tables import milestones, project_counters, taggings, tickets, versions, watchers
from skerry.text.states import CLOSED_DEFAULT, OPEN_DEFAULT, States
from skerry.text.tags import write_tags
from skerry.tracker.secrets import hash_password

PASSWORD = "correct horse battery"  # noqa: S105 - of people who do not exist
SHARES = (0.70, 0.15, 0.08, 0.05, 0.02)
PEOPLE, MILESTONES, TAGS, WORDS = 20, 10, 30, 20_000
VERSIONS = 3
BATCH = 2_000
BEGAN = 1_262_304_000_000_000  # 2010, in microseconds
MINUTE = 60_000_000
ASSIGNED = 0.8
STATES = (("new", 25), ("open", 25), ("resolved", 35), ("hold", 5), ("invalid", 10))
OPEN = ("new", "open")


TABLES = {table.name: table for table in (tickets, versions, watchers, taggings, milestones)}
COUNTED = Statement(
    project_counters.update()
    .where(
        project_counters.c.account_id == bindparam("account_id"),
        project_counters.c.project_id == bindparam("project_id"),
    )
    .values(
        last_number=bindparam("tickets"),
        tickets_count=bindparam("tickets"),
        open_tickets_count=bindparam("open_tickets"),
    )
)


def _add(transaction: Transaction, name: str, rows: list[dict[str, Any]]) -> None:
    """Add rows of one table; columns that they do not name keep their default."""
    values = {each.name: bindparam(each.name) for each in TABLES[name].c if each.name in rows[0]}
    values["account_id"] = bindparam("account_id")
    transaction.run_many(Statement(insert(TABLES[name]).values(values)), rows)


class Maker:
    """Makes one account's data; ``chance`` is the only source of what differs."""

    def __init__(self, database: Database, count: int, seed: int, shares: Sequence[float] = SHARES) -> None:
        """Make nothing yet; each project has its share of the tickets."""
        self.database = database
        self.count = count
        self.shares = shares
        self.chance = random.Random(seed)
        self.sentences = self._sentences()
        self.tags = [f"tag{number}" for number in range(TAGS)]
        self.account_id = 0
        self.users: list[int] = []
        self.milestones: dict[int, list[int]] = {}

    def _sentences(self) -> list[str]:
        syllables = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
        made: dict[str, None] = {}
        while len(made) < WORDS:
            made["".join(self.chance.choices(syllables, k=self.chance.randint(2, 4)))] = None
        weights = [1 / (rank + 3) for rank in range(WORDS)]
        drawn = self.chance.choices(list(made), weights, k=10 * 60_000)
        return [" ".join(drawn[start : start + 10]).capitalize() + "." for start in range(0, len(drawn), 10)]

    def make(self) -> None:
        """Make everything."""
        schema.migrate(self.database)
        with self.database.write() as transaction:
            self.account_id = accounts.add(transaction, "Sample", None).id
            transaction.account_id = self.account_id
            self._people(transaction)
            ids = [self._project(transaction, name) for name in "ABCDE"[: len(self.shares)]]
        for project_id, share in zip(ids, self.shares, strict=True):
            self._tickets(project_id, round(self.count * share))

    def _people(self, transaction: Transaction) -> None:
        password = hash_password(PASSWORD)
        for number in range(PEOPLE):
            user_id = people.add(
                transaction, f"person{number}@example.org", f"Person{number} Sample", password
            )
            people.join_account(transaction, user_id, "member" if number else "administrator")
            self.users.append(user_id)

    def _project(self, transaction: Transaction, name: str) -> int:
        states = States(OPEN_DEFAULT, CLOSED_DEFAULT)
        project_id = projects.add(
            transaction,
            name=f"Project {name}",
            permalink=f"project-{name.lower()}",
            archived=0,
            public=0,
            open_states=OPEN_DEFAULT,
            closed_states=CLOSED_DEFAULT,
            open_states_list=states.open_list,
            closed_states_list=states.closed_list,
        )
        for user_id in self.users:
            people.join_project(transaction, project_id, user_id)
        self.milestones[project_id] = []
        for number in range(MILESTONES):
            self._milestone(transaction, project_id, number)
        return project_id

    def _milestone(self, transaction: Transaction, project_id: int, number: int) -> None:
        milestone_id = counters.next_id(transaction, "milestones")
        self.milestones[project_id].append(milestone_id)
        row = {
            "id": milestone_id,
            "project_id": project_id,
            "title": f"{number}.0",
            "permalink": f"{number}-0",
            "due_on": BEGAN + number * 10_000 * MINUTE,
            "completed_at": None,
            "user_id": self.users[0],
            "created_at": BEGAN,
            "updated_at": BEGAN,
            **dict.fromkeys(("goals", "goals_html"), ""),
            **dict.fromkeys(("tickets_count", "open_tickets_count"), 0),
        }
        _add(transaction, "milestones", [row])

    def _tickets(self, project_id: int, count: int) -> None:
        # How many tickets each milestone has, open ones and closed ones.
        tally: Counter[tuple[int | None, int]] = Counter()
        for start in range(1, count + 1, BATCH):
            rows: dict[str, list[dict[str, Any]]] = {
                name: [] for name in ("tickets", "versions", "watchers", "taggings")
            }
            for number in range(start, min(start + BATCH, count + 1)):
                for name, row in self._ticket(project_id, number):
                    rows[name].append(row)
            tally.update((row["milestone_id"], row["closed"]) for row in rows["tickets"])
            with self.database.write(self.account_id) as transaction:
                for name, made in rows.items():
                    _add(transaction, name, made)
                if start == 1 and self.database.engine.dialect.name == "postgresql":
                    # It looks up the ticket of each row, by the wrong index while it knows of none.
                    transaction.adjust("ANALYZE tickets")
        with self.database.write(self.account_id) as transaction:
            open_tickets = sum(many for (_, closed), many in tally.items() if not closed)
            transaction.run(COUNTED, project_id=project_id, tickets=count, open_tickets=open_tickets)
            states.COUNTS.recount(transaction, project_id)
            tags.COUNTS.recount(transaction, project_id)
            for milestone_id in self.milestones[project_id]:
                still_open, closed = tally[milestone_id, 0], tally[milestone_id, 1]
                counts = {"tickets": still_open + closed, "open_tickets": still_open}
                milestone_store.count(transaction, project_id, milestone_id, **counts)

    def _ticket(self, project_id: int, number: int) -> Iterator[tuple[str, dict[str, Any]]]:
        chance = self.chance
        state = chance.choices([name for name, _ in STATES], [weight for _, weight in STATES])[0]
        assignee = chance.choice(self.users) if chance.random() < ASSIGNED else None
        creator, author = chance.choice(self.users), chance.choice(self.users)
        created = BEGAN + number * MINUTE + chance.randrange(MINUTE)
        # Most tickets are changed soon after they were opened, some much later.
        updated = created + round(chance.expovariate(1 / 2000) * MINUTE)
        tags = set(
            chance.choices(self.tags, [1 / (rank + 1) for rank in range(TAGS)], k=chance.randint(0, 3))
        )
        title, *texts = self._texts()
        common = {
            "project_id": project_id,
            "number": number,
            "title": title,
            "state": state,
            "closed": int(state not in OPEN),
            "tag": write_tags(tags),
            "importance": chance.choice((0, 0, 0, 1, 2, 3)),
            "assigned_user_id": assignee,
            "milestone_id": chance.choice([None, *self.milestones[project_id]]),
            "attachments_count": 0,
        }
        first = {creator, assignee} - {None}
        watching = sorted(first | {author})
        yield (
            "tickets",
            {
                **common,
                "permalink": f"ticket-{number}",
                "creator_id": creator,
                "user_id": author,
                "version": VERSIONS,
                "last_version": VERSIONS,
                "watchers_ids": written(watching),
                "created_at": created,
                "updated_at": updated,
                "body": texts[0],
                "body_html": f"<p>{texts[0]}</p>",
                "original_body": None,
            },
        )
        for place, text in enumerate(texts):
            yield (
                "versions",
                {
                    **common,
                    "version": place + 1,
                    "user_id": author if place else creator,
                    "watchers_ids": written(watching if place else sorted(first)),
                    "diffable_attributes": '{"state": "new"}' if place else "{}",
                    "created_at": created + (updated - created) * place // (VERSIONS - 1),
                    "updated_at": created + (updated - created) * place // (VERSIONS - 1),
                    "body": text,
                    "body_html": f"<p>{text}</p>",
                },
            )
        for tag in tags:
            beside = {"closed": common["closed"], "assigned_user_id": assignee or 0}
            yield "taggings", {"project_id": project_id, "number": number, "tag": tag, **beside}
        for user_id in watching:
            yield "watchers", {"project_id": project_id, "number": number, "user_id": user_id}

    def _texts(self) -> list[str]:
        """Return a title, an opening text of some 600 characters, and a shorter comment for each version."""
        sentences = self.chance.choices(self.sentences, k=8 + 3 * (VERSIONS - 1))
        title = sentences[0][: self.chance.randint(20, 60)].strip()
        found = [
            word
            for word, often in (("common", 1 / 3), ("middle", 0.01), ("rare", 0.00002))
            if self.chance.random() < often
        ]
        body = " ".join([*sentences[:8], *found])
        comments = [" ".join(sentences[place : place + 3]) for place in range(8, len(sentences), 3)]
        return [title, body, *comments]


def fill_index(database: Database, account_id: int) -> None:
    """Make every ticket findable by its words."""
    keys = [search_index.FIRST]
    while keys:
        with database.write(account_id) as transaction:
            keys = search_index.index_after(transaction, keys[-1], limit=BATCH)


def main() -> None:
    """Make the data that the command line asks for, and return how long it took."""
    parser = argparse.ArgumentParser(description="Make sample data for measuring.")
    parser.add_argument("--database", required=True, metavar="URL")
    parser.add_argument("--tickets", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    database = Database(asked.database)
    maker = Maker(database, asked.tickets, asked.seed)
    for what, work in (
        ("tickets", maker.make),
        ("words", lambda: fill_index(database, maker.account_id)),
    ):
        began = time.perf_counter()
        work()
        print(f"{what}: {time.perf_counter() - began:.0f} s")
    database.close()


if __name__ == "__main__":
    main()
