"""Search: both databases find what a naive search in plain Python finds, in the same order."""

import random
import time
from contextlib import contextmanager
from itertools import count
from math import comb, exp

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import bindparam, insert, update

from skerry.store import (
    accounts,
    projects,
    search,
    search_finder,
    search_index,
    search_lists,
    search_sampling,
    search_sqlite_index,
    ties,
)
from skerry.store import tickets as ticket_store
from skerry.store.search_names import Names
from skerry.store.search_sqlite_index import SPACING, between
from skerry.store.statements import Statement
from skerry.store.tables import milestones, project_counters, tickets, users, versions
from skerry.text.query import parse
from skerry.text.states import CLOSED_DEFAULT, OPEN_DEFAULT
from skerry.text.tags import write_tags
from tests import naive_search
from tests.naive_search import Milestone, Ticket, World

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

# Numbers of people are the server's, so each world has its own, the same on both databases.
_people = count(900_000_000, 1_000)
_insert_user = Statement(
    insert(users).values({c.name: bindparam(c.name) for c in users.c if not c.nullable}),
    across_accounts=True,
)
_count_numbers = Statement(
    update(project_counters)
    .where(project_counters.c.account_id == bindparam("account_id"))
    .values(last_number=70 // project_counters.c.project_id)
)
_insert_milestone = Statement(insert(milestones).values({c.name: bindparam(c.name) for c in milestones.c}))
_insert_version = Statement(insert(versions).values({c.name: bindparam(c.name) for c in versions.c}))
_change = Statement(
    update(tickets)
    .where(
        tickets.c.account_id == bindparam("account_id"),
        tickets.c.project_id == bindparam("project"),
        tickets.c.number == bindparam("which"),
    )
    .values(title=bindparam("title"), body=bindparam("body"), updated_at=bindparam("updated_at"))
)
_comment = Statement(
    update(versions)
    .where(
        versions.c.account_id == bindparam("account_id"),
        versions.c.project_id == bindparam("project"),
        versions.c.number == bindparam("which"),
        versions.c.version == bindparam("at"),
    )
    .values(body=bindparam("body"))
)


class Twins:
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
        created_at=created,
        # Few moments, so that many tickets were changed at the same one.
        updated_at=NOW - chance.choice((0, 1, 2, 24, 24 * 8, 24 * 40)) * HOUR,
        comments=tuple((chance.choice(people), text(chance, 6)) for _ in range(chance.randint(0, 3))),
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
    world.projects = {1: ("Roof", "roof"), 2: ("Harbour", "harbour"), 3: ("Dach Ö", "dach")}
    twins = Twins(world)
    for database in databases:
        with database.write() as transaction:
            account = accounts.add(transaction, f"Search {seed}", f"search{first}.example")
        with database.write(account.id) as transaction:
            people_and_projects(transaction, world)
        twins.sides.append((database, account.id))
    numbers = [(project_id, number) for project_id in (1, 2, 3) for number in range(1, 70 // project_id)]
    for project_id, number in chance.sample(numbers, len(numbers)):
        put(twins, made(chance, project_id, number, world))
    for key in chance.sample(numbers, 40):
        chance.choice((rewritten, answered, removed))(twins, chance, world.tickets[key])
    return twins


def people_and_projects(transaction, world):
    for user_id, (name, _email) in world.people.items():
        transaction.run(_insert_user, id=user_id, name=name, job="", website="", created_at=NOW)
    for name, permalink in world.projects.values():
        projects.add(
            transaction,
            name=name,
            permalink=permalink,
            archived=0,
            public=0,
            open_states=OPEN_DEFAULT,
            closed_states=CLOSED_DEFAULT,
            open_states_list="new,open,OPEN2",
            closed_states_list="resolved,hold,invalid",
        )
    transaction.run(_count_numbers)
    for one in world.milestones.values():
        row = {c.name: 0 for c in milestones.c if c.name != "account_id"}
        row |= {"permalink": "", "goals": "", "goals_html": "", "due_on": one.due, "title": one.title}
        row |= {"id": one.id, "project_id": one.project_id, "completed_at": NOW if one.completed else None}
        transaction.run(_insert_milestone, **row)


def put(twins, ticket):
    """Keep a ticket everywhere."""
    twins.world.tickets[ticket.key] = ticket
    common = {
        "project_id": ticket.project_id,
        "number": ticket.number,
        "title": ticket.title,
        "state": ticket.state,
        "closed": int(ticket.closed),
        "tag": write_tags(ticket.tags),
        "importance": ticket.importance,
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
        tagged = ties.Tagged(ticket.number, ticket.closed, ticket.assignee)
        ties.add_tags(transaction, ticket.project_id, tagged, ticket.tags)
        version = {**common, "diffable_attributes": "{}", "created_at": 0, "updated_at": 0}
        transaction.run(_insert_version, **version)
        for place, (user_id, body) in enumerate(ticket.comments, 2):
            transaction.run(
                _insert_version, **{**version, "version": place, "user_id": user_id, "body": body}
            )
        search.index(transaction, *ticket.key)

    twins.write(work)


def rewritten(twins, chance, ticket):
    """Give a ticket other words, perhaps at another time."""
    moment = chance.choice((ticket.updated_at, NOW, NOW - HOUR))
    ticket = naive_search.changed(ticket, title=text(chance, 4), body=text(chance, 8), updated_at=moment)
    twins.world.tickets[ticket.key] = ticket
    new = {"title": ticket.title, "body": ticket.body, "updated_at": moment}

    def work(transaction):
        transaction.run(_change, project=ticket.project_id, which=ticket.number, **new)
        search.index(transaction, *ticket.key)

    twins.write(work)


def answered(twins, chance, ticket):
    """Give a ticket's comments other words."""
    comments = tuple((user_id, text(chance, 6)) for user_id, _ in ticket.comments)
    twins.world.tickets[ticket.key] = naive_search.changed(ticket, comments=comments)

    def work(transaction):
        for place, (_, body) in enumerate(comments, 2):
            key = {"project": ticket.project_id, "which": ticket.number}
            transaction.run(_comment, **key, at=place, body=body)
        search.index(transaction, *ticket.key)

    twins.write(work)


def removed(twins, _chance, ticket):
    del twins.world.tickets[ticket.key]
    twins.write(lambda transaction: ticket_store.remove(transaction, *ticket.key))


@pytest.fixture(scope="module", params=[1, 2])
def twins(request, sqlite_house, postgres_house):
    return build([sqlite_house[0].database, postgres_house[0].database], request.param)


@pytest.fixture(autouse=True)
def small_steps(monkeypatch):
    """Let every way to the tickets be taken, although there are few of them."""
    for name, few in (("NEAR", 0), ("NEAR_WORDS", 0), ("FAR", 10), ("FEW", 8), ("LATE", 30)):
        monkeypatch.setattr(search_finder, name, few)
    monkeypatch.setattr(search_lists, "MANY", 60)
    monkeypatch.setattr(search_sampling, "STEADY", 1)


# --- Queries made up ------------------------------------------------------------------------------

quoted = st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map(
    lambda pieces: '"{}"'.format(" ".join(pieces))
)
bare = st.sampled_from(PIECES)
prefix = st.sampled_from(["cra*", "Caf*", "snake_ca*", "foo::ba*", "京*", "str*", "ad*", "x2*", "नम*"])
word = st.one_of(bare, prefix, quoted)
people = st.sampled_from(
    ["me", "ada", "'Ada Byron'", "BEN", "'élise müller'", "élise", "nobody", "900000001", "none", "0"]
)
dates = st.sampled_from(
    ["today", "'this week'", "'since 2 days ago'", "2023-11-14", "<2023-11-01", "'before 1 hour ago'"]
)
numbers = st.sampled_from(["1", "2", "7", "(1,2,3)", ">20", "<=5", "(>30,2)", "none"])
leaf = st.one_of(
    word,
    word,
    st.tuples(st.sampled_from(["title", "body", "keyword"]), word).map(":".join),
    st.sampled_from(["open", "closed", "NEW", "hold", "gone", "open2", "(new,hold)", "unheard"]).map(
        "state:{}".format
    ),
    st.tuples(st.sampled_from(["responsible", "reported_by", "watched", "commented_by"]), people).map(
        ":".join
    ),
    st.tuples(st.sampled_from(["created", "updated"]), dates).map(":".join),
    st.sampled_from(["patch", "'Two Words'", "words", "c++", "'ÉTÉ'", "(docs,patch)", "none", "'a,b'"]).map(
        "tagged:{}".format
    ),
    st.sampled_from(
        [
            *("next", "none", "1.*", "'next release'", "id#3", "*e*", "2_0", "fern*", "(1.0,none)", "*"),
            *("1?0", "id#0", "(id#0,1.0)"),
        ]
    ).map("milestone:{}".format),
    numbers.map("importance:{}".format),
    numbers.filter(lambda text: text != "none").map("number:{}".format),
    st.integers(1, 70).map("#{}".format),
    st.sampled_from(["has:attachment", "has:comments", "project:roof", "project:'Dach ö'", "project:2"]),
)
condition = st.recursive(
    leaf,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=4).map(" ".join),
        st.lists(inner, min_size=2, max_size=3).map(" OR ".join).map("({})".format),
        inner.map("-({})".format),
    ),
    max_leaves=7,
)
sorts = st.lists(
    st.tuples(
        st.sampled_from(
            ["updated", "created", "importance", "number", "title", "state", "milestone", "relevance"]
        ),
        st.sampled_from(["", "-"]),
    ).map(lambda pair: f"sort:{pair[0]}{pair[1]}"),
    max_size=2,
)


@given(
    condition=condition,
    sorts=st.one_of(st.just([]), sorts),
    project_ids=st.sampled_from([(1,), (2,), (3,), (1, 2, 3), (2, 3), ()]),
    me=st.sampled_from([None, 0, 1]),
    limit=st.sampled_from([1, 4, 100]),
    offset=st.sampled_from([0, 0, 2, 30]),
)
@settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck), database=None)
def test_both_databases_find_what_the_naive_search_finds(
    twins, condition, sorts, project_ids, me, limit, offset
):
    asked = " ".join([condition, *sorts])
    query = parse(asked)
    me = None if me is None else list(twins.world.people)[me]
    expected = naive_search.found(twins.world, query, project_ids, me)
    scope = search.Scope(project_ids, me)
    for transaction in twins.each():
        page = search.page(transaction, query, scope, limit=limit, offset=offset)
        assert page == expected[offset : offset + limit], (asked, transaction.dialect.name)
        assert search.count(transaction, query, scope, at_most=limit) == min(limit, len(expected)), asked
        both = search.found(transaction, query, scope, limit=limit, offset=offset)
        assert both == (page, len(expected)), (asked, transaction.dialect.name)


HOSTILE = [
    " ".join(f"w{number}" for number in range(400)),
    " OR ".join(f"w{number}" for number in range(250)),
    " OR ".join(f"#{number}" for number in range(10, 260)),
    "number:({})".format(",".join(str(number) for number in range(400))),
    "number:({})".format(",".join(f">{number}" for number in range(90, 400))),
    "(" * 49 + "a" + " OR state:new)" * 49,
    "".join(f"(w{number} OR (state:new " for number in range(24)) + "a" + "))" * 24,
    "-(a state:new " * 49 + "b" + ")" * 49,
    "-(a b " * 49 + "b" + ")" * 49,
    "tagged:patch -tagged:docs watched:ada -has:comments has:comments -commented_by:ben (tagged:c++ OR #1)",
    "(a OR state:new " * 49 + "a" + ")" * 49,
    "(a OR -b foo " * 49 + "a" + ")" * 49,
    "((a b) OR (foo x2)) ((a OR b) (foo OR x2) OR (#1 #2 OR (a #3))) " * 5,
    "'a'' OR 1=1 --'",
    '"a" NOT "b" NEAR ^a {title}',
    "a AND b c? d+ x? %a% _b_ a\\ \"it's\" 'a\"b'",
    "\u202e\u05e9\u05dc\u05d5\u05dd\u202c",
    "title:'\"; DROP TABLE tickets'",
    "milestone:" + "*a" * 300 + " tagged:'%' responsible:% state:_",
    "crash" + " sort:relevance sort:relevance-" * 60,
    "a " * 900 + "#1 sort:relevance",
]


@pytest.mark.parametrize("query", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_queries_have_the_same_answer_everywhere(twins, query):
    query = parse(query)
    expected = naive_search.found(twins.world, query, (1, 2, 3), None)
    for transaction in twins.each():
        found = search.found(transaction, query, search.Scope((1, 2, 3), None), limit=1000, offset=0)
        assert found == (expected, len(expected)), transaction.dialect.name


def test_very_many_conditions_take_no_long_planning(twins):
    query = parse(" ".join(f"tagged:{number}" for number in range(100, 280)))
    for transaction in twins.each():
        began = time.monotonic()
        assert search.found(transaction, query, search.Scope((1, 2, 3), None), limit=30, offset=0) == ([], 0)
        assert time.monotonic() - began < 5, transaction.dialect.name


def test_names_that_mean_very_many_burst_no_statement(twins, monkeypatch):
    monkeypatch.setattr(Names, "milestones", lambda _names, _name: list(range(1, 1_001)))
    query = parse(" OR ".join(["milestone:*"] * 70))
    of_any = {key for key, ticket in twins.world.tickets.items() if ticket.milestone}
    for transaction in twins.each():
        found = search.page(transaction, query, search.Scope((1, 2, 3), None), limit=1000, offset=0)
        assert set(found) == of_any, transaction.dialect.name


def test_tickets_that_change_at_one_moment_keep_their_order_whatever_order_they_are_kept_in(
    sqlite_house, monkeypatch
):
    monkeypatch.setattr(search_sqlite_index, "SPACING", 1)
    twins = build([sqlite_house[0].database], 3)
    chance = random.Random(4)
    for ticket in chance.sample(list(twins.world.tickets.values()), len(twins.world.tickets)):
        rewritten(twins, chance, naive_search.changed(ticket, updated_at=NOW))
    query = parse("-unheard")
    expected = naive_search.found(twins.world, query, (1, 2, 3), None)
    for transaction in twins.each():
        assert (
            search.page(transaction, query, search.Scope((1, 2, 3), None), limit=1000, offset=0) == expected
        )


def test_indexing_everything_again_changes_no_answer(twins):
    query = parse("crash OR 東京 OR -foo sort:title")
    expected = naive_search.found(twins.world, query, (1, 2, 3), None)

    def again(transaction):
        last = (0, 0)
        while last:
            last = search_index.index_after(transaction, *last, limit=7)

    twins.write(again)
    for transaction in twins.each():
        assert (
            search.page(transaction, query, search.Scope((1, 2, 3), None), limit=1000, offset=0) == expected
        )


@given(st.integers(-50, 50), st.integers(1, 5 * SPACING), st.integers(-3 * SPACING, 3 * SPACING))
def test_a_place_is_between_its_neighbours_unless_there_is_none(low, gap, wanted):
    place = between(low, low + gap, wanted)
    assert low < place < low + gap or (gap == 1 and place == low + gap)


# --- Very many, seen by a sample ------------------------------------------------------------------


@given(st.integers(1, 60), st.integers(1, 99))
def test_a_sample_is_never_surer_than_chance_allows(drawn, percent):
    share = percent / 100
    by_chance = 0.0
    for hits in range(drawn, -1, -1):
        by_chance += comb(drawn, hits) * share**hits * (1 - share) ** (drawn - hits)
        assert exp(-search_sampling.surety(hits, drawn, share)) >= by_chance * (1 - 1e-9)


@pytest.mark.parametrize(("hits", "drawn"), [(0, 40), (1, 40), (6, 40), (10, 160), (16, 400)])
def test_a_few_hits_show_nothing(hits, drawn):
    assert search_sampling.surety(hits, drawn, 10_000 / 700_000) < search_sampling.SURE


@pytest.mark.parametrize(("hits", "drawn"), [(14, 40), (20, 80), (36, 400), (40, 40)])
def test_many_hits_show_that_there_are_many(hits, drawn):
    assert search_sampling.surety(hits, drawn, 10_000 / 700_000) > search_sampling.SURE


def test_numbers_are_drawn_from_each_project_and_no_other(monkeypatch):
    monkeypatch.setattr(search_sampling, "STEADY", 10)
    drawn = search_sampling.Numbers([7, 9], [100, 130]).drawn(0, 400)
    assert sorted(drawn) == [(7, n) for n in range(1, 101)] + [(9, n) for n in range(1, 31)]
