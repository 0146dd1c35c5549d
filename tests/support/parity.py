"""The same made-up world on both databases and in plain Python, for the tests of searching."""

import random
from contextlib import contextmanager
from datetime import date, timedelta
from itertools import count

from sqlalchemy import bindparam, insert, update

from skerry.database.rows import written
from skerry.database.statements import Statement
from skerry.resources import tickets as resource
from skerry.store import accounts, associations, projects, states
from skerry.store import tickets as ticket_store
from skerry.store import versions as version_store
from skerry.store.search import index as search_index
from skerry.store.tables import milestones, project_counters, tickets, users, versions
from skerry.text.states import CLOSED_DEFAULT, OPEN_DEFAULT
from skerry.text.tags import write_tags
from tests.support import naive_search
from tests.support.naive_search import Milestone, Ticket, World

NOW = 1_700_000_000_000_000
HOUR = 3_600_000_000
PIECES = [
    *("crash", "Crash", "crashes", "café", "CAFE", "e\u0301tat", "etat", "snake_case", "snake", "case"),
    *("Foo::Bar", "foo", "bar", "Straße", "STRASSE", "東京", "京都", "京", "タワー", "서울에서", "नमस्ते"),
    *(
        "ada@example.org",
        "a-b",
        "a",
        "b",
        "x2",
        "x²",
        "v1.2",
        "naïve",
        "שָׁלוֹם",
        "שלום",
        "don't",
        "don",
    ),
]
TAGS = ("patch", "two words", "no patch yet", "words", "docs", "c++", "été")
PEOPLE = ("Ada Byron", "ada", "Ben", "Élise Müller", "Me")
STATES = (
    ("new", False),
    ("open", False),
    ("resolved", True),
    ("hold", True),
    ("gone", True),
    ("OPEN2", False),
)
TITLES = ("1.0", "1.1", "Next release", "next release", "2_0", "Fern*")

# Fields that have no attribute of their own in the naive search.
OTHERS = [field for field in resource.PLAIN if field.name != "importance"]

# Numbers of people are the server's, so each world has its own, the same on both databases.
_people = count(900_000_000, 1_000)
_insert_user = Statement(
    insert(users).values({c.name: bindparam(c.name) for c in users.c if not c.nullable}),
    across_accounts=True,
)
_count_numbers = Statement(
    update(project_counters)
    .where(project_counters.c.account_id == bindparam("account_id"))
    .values(last_number=70 // project_counters.c.project_id),
    across_projects="upkeep",
)
_insert_milestone = Statement(insert(milestones).values({c.name: bindparam(c.name) for c in milestones.c}))
_change = Statement(
    update(tickets)
    .where(
        tickets.c.account_id == bindparam("account_id"),
        tickets.c.project_id == bindparam("project_id"),
        tickets.c.number == bindparam("which"),
    )
    .values(title=bindparam("title"), body=bindparam("body"), updated_at=bindparam("updated_at"))
)
_comment = Statement(
    update(versions)
    .where(
        versions.c.account_id == bindparam("account_id"),
        versions.c.project_id == bindparam("project_id"),
        versions.c.number == bindparam("which"),
        versions.c.version == bindparam("at"),
    )
    .values(body=bindparam("body"))
)


class TwoDatabases:
    """The same world on both databases, and in plain Python."""

    def __init__(self, world):
        self.world = world
        self.sides = []  # databases, each with the account's id

    def each(self):
        for database, account_id in self.sides:
            with self.in_their_time(database), database.read(account_id) as transaction:
                yield transaction

    def write(self, work):
        for database, account_id in self.sides:
            with self.in_their_time(database), database.write(account_id) as transaction:
                work(transaction)

    @contextmanager
    def in_their_time(self, database):
        """Let the clock stand still for a while; others use the database too."""
        clock, database.clock = database.clock, lambda: self.world.now
        yield
        database.clock = clock


def text(chance, most):
    return chance.choice((" ", "\n", " !!! ")).join(chance.choices(PIECES, k=chance.randint(0, most)))


def any_value(chance, field):
    """Make up a value of a recorded field."""
    if field.day:
        some = str(date(2023, 11, 14) + timedelta(days=chance.randint(-40, 40)))
    elif field.kind is str:
        some = chance.choice(("", *PIECES))[: field.longest]
    else:
        first, last = (field.within.first, field.within.last) if field.within else (0, 7)
        some = chance.choice((first, first, first + 1, first + 2, last))
    return chance.choice((None, some)) if field.optional else some


def made(chance, project_id, number, world):
    """Make up a ticket."""
    state, closed = chance.choice(STATES)
    created = NOW - chance.randint(0, 60 * 24) * HOUR
    people = list(world.people)
    own = [one.id for one in world.milestones.values() if one.project_id == project_id]
    return Ticket(
        project_id=project_id,
        number=number,
        title=text(chance, 4) or "-",
        body=text(chance, 8),
        state=state,
        closed=closed,
        tags=frozenset(chance.sample(TAGS, chance.randint(0, 3))),
        importance=chance.choice((0, 0, 1, 2, 7)),
        assignee=chance.choice([None, *people]),
        milestone=chance.choice([None, *own]),
        creator=chance.choice(people),
        watchers=frozenset(chance.sample(people, chance.randint(0, 3))),
        files=chance.choice((0, 0, 1)),
        others={field.name: any_value(chance, field) for field in OTHERS},
        created_at=created,
        # Few moments, so that many tickets were changed at the same one; none before it was opened.
        updated_at=max(created, NOW - chance.choice((0, 1, 2, 24, 24 * 8, 24 * 40)) * HOUR),
        comments=tuple((chance.choice(people), text(chance, 6)) for _ in range(chance.randint(0, 3))),
        private=chance.random() < 0.2,
    )


def build(databases, seed):
    """Make a world from a seed: the same on every database."""
    chance = random.Random(seed)
    first = next(_people)
    world = World(
        projects={},
        people={first + place: (name, f"p{first + place}@example.org") for place, name in enumerate(PEOPLE)},
        milestones={},
        now=NOW,
    )
    for place, title in enumerate(TITLES * 2):
        due = chance.choice((None, NOW + place * HOUR, NOW))
        world.milestones[place + 1] = Milestone(place + 1, place % 3 + 1, title, due, chance.random() < 0.3)
    world.levels = {1: {"high": 2, "low": 1}, 2: {"high": 7}}
    world.projects = {1: ("Roof", "roof"), 2: ("Harbour", "harbour"), 3: ("Dach Ö", "dach")}
    both = TwoDatabases(world)
    for database in databases:
        with database.write() as transaction:
            account = accounts.add(transaction, f"Search {seed}", f"search{first}.example")
        with database.write(account.id) as transaction:
            people_and_projects(transaction, world)
        both.sides.append((database, account.id))
    numbers = [(project_id, number) for project_id in (1, 2, 3) for number in range(1, 70 // project_id)]
    for project_id, number in chance.sample(numbers, len(numbers)):
        put(both, made(chance, project_id, number, world))
    for key in chance.sample(numbers, 40):
        chance.choice((rewritten, answered, removed))(both, chance, world.tickets[key])
    return both


def people_and_projects(transaction, world):
    for user_id, (name, _email) in world.people.items():
        transaction.run(_insert_user, id=user_id, name=name, job="", website="", service=0, created_at=NOW)
    for project_id, (name, permalink) in world.projects.items():
        levels = world.levels.get(project_id, {})
        projects.add(
            transaction,
            name=name,
            permalink=permalink,
            archived=0,
            public=0,
            open_states=OPEN_DEFAULT,
            closed_states=CLOSED_DEFAULT,
            importance_levels="\n".join(f"{number} {level}/888" for level, number in levels.items()),
            open_states_list="new,open,OPEN2",
            closed_states_list="resolved,hold,invalid",
        )
    transaction.run(_count_numbers)
    for one in world.milestones.values():
        row = {c.name: 0 for c in milestones.c if c.name != "account_id"}
        row |= {"permalink": "", "goals": "", "goals_html": "", "due_on": one.due, "title": one.title}
        row |= {"id": one.id, "project_id": one.project_id, "completed_at": NOW if one.completed else None}
        transaction.run(_insert_milestone, **row)


def recorded(**values):
    """Return the columns of what versions record, with the declared defaults where no value is given."""
    defaults = {name: getattr(resource.Ticket(), name) for name in resource.VALUES}
    flags = {name: int({**defaults, **values}[name]) for name in resource.FLAGS}
    return defaults | values | flags


def put(both, ticket):
    """Keep a ticket everywhere."""
    both.world.tickets[ticket.key] = ticket
    common = {
        **recorded(**ticket.others),
        "project_id": ticket.project_id,
        "number": ticket.number,
        "title": ticket.title,
        "state": ticket.state,
        "closed": int(ticket.closed),
        "tag": write_tags(ticket.tags),
        "importance": ticket.importance,
        "private": int(ticket.private),
        "assigned_user_id": ticket.assignee,
        "milestone_id": ticket.milestone,
        "attachments_count": ticket.files,
        "user_id": ticket.creator,
        "version": 1,
        "body": ticket.body,
        "body_html": "",
    }

    def work(transaction):
        ticket_store.add(
            transaction,
            **common,
            creator_id=ticket.creator,
            permalink="",
            last_version=9,
            watchers_ids=sorted(ticket.watchers),
            created_at=ticket.created_at,
            updated_at=ticket.updated_at,
        )
        tagged = associations.Tagged(ticket.number, ticket.closed, ticket.assignee)
        associations.add_tags(transaction, ticket.project_id, {tagged: ticket.tags})
        states.COUNTS.move(transaction, {(ticket.project_id, ticket.state, int(ticket.closed)): 1})
        version = {**common, "diffable_attributes": "{}"}
        version |= {"created_at": 0, "updated_at": 0}
        version["watchers_ids"] = written(sorted(ticket.watchers))
        transaction.run(version_store.INSERT, **version)
        for place, (user_id, body) in enumerate(ticket.comments, 2):
            transaction.run(
                version_store.INSERT, **{**version, "version": place, "user_id": user_id, "body": body}
            )
        search_index.index(transaction, *ticket.key)

    both.write(work)


def rewritten(both, chance, ticket):
    """Return a ticket other words, perhaps at another time."""
    timestamp = max(ticket.created_at, chance.choice((ticket.updated_at, NOW, NOW - HOUR)))
    ticket = naive_search.changed(ticket, title=text(chance, 4), body=text(chance, 8), updated_at=timestamp)
    both.world.tickets[ticket.key] = ticket
    new = {"title": ticket.title, "body": ticket.body, "updated_at": timestamp}

    def work(transaction):
        transaction.run(_change, project_id=ticket.project_id, which=ticket.number, **new)
        search_index.index(transaction, *ticket.key)

    both.write(work)


def answered(both, chance, ticket):
    """Return a ticket's comments other words."""
    comments = tuple((user_id, text(chance, 6)) for user_id, _ in ticket.comments)
    both.world.tickets[ticket.key] = naive_search.changed(ticket, comments=comments)

    def work(transaction):
        for place, (_, body) in enumerate(comments, 2):
            key = {"project_id": ticket.project_id, "which": ticket.number}
            transaction.run(_comment, **key, at=place, body=body)
        search_index.index(transaction, *ticket.key)

    both.write(work)


def removed(both, _chance, ticket):
    del both.world.tickets[ticket.key]
    both.write(lambda transaction: ticket_store.remove(transaction, *ticket.key))
