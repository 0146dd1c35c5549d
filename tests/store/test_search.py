"""Search: both databases find what a naive search in plain Python finds, in the same order."""

import os
import random
import time
from functools import partial
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skerry.store import search
from skerry.store.search import finder as search_finder
from skerry.store.search import index as search_index
from skerry.store.search.names import Names
from skerry.store.ticket_rows import ticket_pages
from skerry.text.queries.query import parse
from skerry.text.queries.query_keys import KEYS
from tests.support import naive_search
from tests.support.parity import NOW, PIECES, build, rewritten
from tests.support.processes import seconds

SECONDS = float(os.environ.get("SKERRY_FUZZ_SECONDS", "60"))
AT_ONCE = 500


@pytest.fixture(scope="module")
def databases(sqlite_instance, postgres_instance):
    return [sqlite_instance[0].database, postgres_instance[0].database]


@pytest.fixture(scope="module")
def both(databases):
    return build(databases, 1)


@pytest.fixture(autouse=True)
def small_steps(monkeypatch):
    """Let every way to the tickets be taken, although there are few of them."""
    for name, few in (("REACH", 0), ("REACH_WORDS", 0), ("NEAR", 30), ("FEW", 30), ("HANDFUL", 10)):
        monkeypatch.setattr(search_finder, name, few)


# --- Queries made up ------------------------------------------------------------------------------

quoted = st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map(
    lambda pieces: '"{}"'.format(" ".join(pieces))
)
bare = st.sampled_from(PIECES)
prefix = st.sampled_from(["cra*", "Caf*", "snake_ca*", "foo::ba*", "京*", "str*", "ad*", "x2*", "नम*"])
word = st.one_of(bare, prefix, quoted)
people = st.sampled_from(
    [
        "me",
        "ada",
        "'Ada Byron'",
        "BEN",
        "'élise müller'",
        "élise",
        "nobody",
        "900000001",
        "0",
        "none",
        '"none"',
    ]
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
    st.tuples(st.sampled_from(["created", "updated", "due"]), dates).map(":".join),
    st.sampled_from(["overdue", "none", "tomorrow", "(overdue,none)", ">tomorrow"]).map("due:{}".format),
    st.sampled_from(["patch", "'Two Words'", "words", "c++", "'ÉTÉ'", "(docs,patch)", "none", "'a,b'"]).map(
        "tagged:{}".format
    ),
    st.sampled_from(
        [
            *("next", "none", "1.*", "'next release'", "id#3", "*e*", "2_0", "fern*", "(1.0,none)", "*"),
            *("1?0", "id#0", "(id#0,1.0)", "'none'"),
        ]
    ).map("milestone:{}".format),
    numbers.map("importance:{}".format),
    st.sampled_from(["high", "<=High", ">low", "(low,7)", "dire"]).map("importance:{}".format),
    numbers.filter(lambda text: text != "none").map("number:{}".format),
    st.integers(1, 70).map("#{}".format),
    st.sampled_from(["has:attachment", "has:comments", "project:roof", "project:'Dach ö'", "project:2"]),
    st.sampled_from(["is:private", "is:ready", "is:(private,blocked)"]),
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
            ["updated", "created", "importance", "number", "title", "state", "milestone", "due", "relevance"]
        ),
        st.sampled_from(["", "-"]),
    ).map(lambda pair: f"sort:{pair[0]}{pair[1]}"),
    max_size=2,
)


# One of each kind, for what chance leaves out.
EACH = (
    *(
        "crash café",
        "cra* OR project:2",
        '"東京 京都"',
        "snake_ca* -foo::ba*",
        "title:crash",
        "body:foo -title:bar",
    ),
    *("state:closed", "state:(new,hold)", "responsible:me", "responsible:none", "reported_by:'élise müller'"),
    *(
        "watched:ada",
        "commented_by:me",
        "crash commented_by:BEN",
        "created:'since 2 days ago'",
        "has:attachment",
    ),
    *(
        "updated:<2023-11-01",
        "tagged:(docs,patch) -tagged:none",
        "milestone:next",
        "milestone:id#3 has:comments",
    ),
    *(
        "milestone:(1.0,none)",
        "milestone:*e*",
        "importance:(>30,2)",
        "importance:(high,none) -importance:dire",
        "-importance:>low",
        "due:overdue -due:2023-11-10",
        "due:(none,'next week') state:open",
        "number:(1,2,3)",
        "#7 OR (a b)",
        "project:roof",
        "is:private -#7",
    ),
)


EXAMPLES = [example for key in KEYS.values() for example in key.examples]


@pytest.mark.parametrize("condition", dict.fromkeys((*EACH, *EXAMPLES)))
def test_both_databases_find_each_kind_of_condition_also_by_relevance(both, condition):
    for sorts in ([], ["sort:relevance"], ["sort:relevance-", "sort:milestone"]):
        check_found(both, condition, sorts, (1, 2, 3), 0, limit=4, offset=2)


def search_both(both, examples):
    """Search so many times for what was made up."""

    @given(
        condition=condition,
        sorts=st.one_of(st.just([]), sorts),
        project_ids=st.sampled_from([(1,), (2,), (3,), (1, 2, 3), (2, 3), ()]),
        me=st.sampled_from([None, 0, 1]),
        limit=st.sampled_from([1, 4, 100]),
        offset=st.sampled_from([0, 0, 2, 30]),
    )
    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    def searched(condition, sorts, project_ids, me, limit, offset):
        check_found(both, condition, sorts, project_ids, me, limit, offset)

    searched()


def test_both_databases_find_what_the_naive_search_finds(both):
    search_both(both, 100)


@pytest.mark.parametrize(
    "asked",
    [
        *(
            "-has:comments",
            "crash state:open",
            "sort:title",
            "has:comments sort:created",
            "sort:milestone",
            "state:open sort:state-",
        ),
        *("-watched:ada sort:milestone", "(has:comments OR state:open) sort:title-"),
    ],
)
def test_a_slow_search_covers_the_tickets_changed_last_and_notes_since_when(both, monkeypatch, asked):
    for name in ("LOOKED_AT", "LOOKED_AT_WORDS", "LOOKED_AT_RANKED"):
        monkeypatch.setattr(search_finder, name, 20)
    for name, few in (("FEW", 1), ("HANDFUL", 1), ("NEAR", 0)):
        monkeypatch.setattr(search_finder, name, few)
    query, scope = parse(asked), search.Scope((1, 2), None)
    expected = naive_search.found(both.world, query, (1, 2), None)
    since = both.world.tickets[naive_search.found(both.world, parse("all"), (1, 2), None)[20]].updated_at
    for transaction in both.each():
        marks, total, _ = search.page_with_total(transaction, query, scope, limit=100, offset=0)
        covered = [key for key in expected if both.world.tickets[key].updated_at >= since]
        assert marks == ticket_pages.markers_of(transaction, covered), asked
        assert total == len(covered)
        assert transaction.searched_since == since


def test_a_search_that_an_index_answers_covers_all_tickets(both, monkeypatch):
    for name, few in (("LOOKED_AT", 1), ("LOOKED_AT_WORDS", 1), ("FEW", 1)):
        monkeypatch.setattr(search_finder, name, few)
    scope = search.Scope((1, 2), None)
    for asked in (
        "state:open -milestone:none",
        "sort:created",
        "sort:number",
        "sort:milestone",
        "sort:due",
        "state:open sort:due-",
        "sort:state",
    ):
        for transaction in both.each():
            _, total, _ = search.page_with_total(transaction, parse(asked), scope, limit=1, offset=0)
            assert total == len(naive_search.found(both.world, parse(asked), (1, 2), None)), asked
            assert transaction.searched_since is None, asked


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", [1, 2])
def test_for_a_long_time_both_databases_find_what_the_naive_search_finds(databases, seed):
    both, until = build(databases, seed), time.monotonic() + SECONDS
    while time.monotonic() < until:
        search_both(both, AT_ONCE)


def check_found(both, condition, sorts, project_ids, me, limit, offset):
    """Assert that a search finds, shows and counts what the naive one finds."""
    asked = " ".join([condition, *sorts])
    query = parse(asked)
    me = None if me is None else list(both.world.people)[me]
    expected = naive_search.found(both.world, query, project_ids, me)
    scope = search.Scope(project_ids, me)
    for transaction in both.each():
        page = search.page(transaction, query, scope, limit=limit, offset=offset)
        assert page == expected[offset : offset + limit], (asked, transaction.dialect.name)
        assert search.count(transaction, query, scope, at_most=limit) == min(limit, len(expected)), asked
        marks, total, exact = search.page_with_total(transaction, query, scope, limit=limit, offset=offset)
        assert (total, exact) == (len(expected), True), asked
        assert marks == ticket_pages.markers_of(transaction, page), asked


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
def test_hostile_queries_have_the_same_answer_everywhere(both, query):
    query = parse(query)
    expected = naive_search.found(both.world, query, (1, 2, 3), None)
    for transaction in both.each():
        scope = search.Scope((1, 2, 3), None)
        marks, total, _ = search.page_with_total(transaction, query, scope, limit=1000, offset=0)
        assert [mark[:2] for mark in marks] == expected, transaction.dialect.name
        assert total == len(expected), transaction.dialect.name


def test_very_many_conditions_take_no_long_planning(both):
    query = parse(" ".join(f"tagged:{number}" for number in range(100, 280)))
    for transaction in both.each():
        find = partial(search.page_with_total, transaction, query, search.Scope((1, 2, 3), None))
        assert find(limit=30, offset=0) == ([], 0, True)
        # Once of some times the machine has time for it.
        took = min(seconds(lambda find=find: find(limit=30, offset=0)) for _ in range(3))
        assert took < 5, transaction.dialect.name


def test_names_that_mean_very_many_burst_no_statement(both, monkeypatch):
    monkeypatch.setattr(Names, "milestones", lambda _names, _name: list(range(1, 1_001)))
    query = parse(" OR ".join(["milestone:*"] * 70))
    of_any = {key for key, ticket in both.world.tickets.items() if ticket.milestone}
    for transaction in both.each():
        found = search.page(transaction, query, search.Scope((1, 2, 3), None), limit=1000, offset=0)
        assert set(found) == of_any, transaction.dialect.name


def test_many_names_are_found_among_very_many_people_in_no_time():
    crowd = [(number, f"Person{number} Name{number}") for number in range(50_000)]
    transaction = SimpleNamespace(all=lambda _statement: crowd)
    names = Names(transaction, search.Scope((1,), None))
    began = time.process_time()
    assert [names.people(f"PERSON{number}") for number in range(2_000)] == [
        [number] for number in range(2_000)
    ]
    assert time.process_time() - began < 6


def test_tickets_that_change_at_one_moment_keep_their_order_whatever_order_they_are_kept_in(
    sqlite_instance,
):
    both = build([sqlite_instance[0].database], 3)
    chance = random.Random(4)
    for ticket in chance.sample(list(both.world.tickets.values()), len(both.world.tickets)):
        rewritten(both, chance, naive_search.changed(ticket, updated_at=NOW))
    query = parse("-unheard")
    expected = naive_search.found(both.world, query, (1, 2, 3), None)
    for transaction in both.each():
        assert (
            search.page(transaction, query, search.Scope((1, 2, 3), None), limit=1000, offset=0) == expected
        )


def test_indexing_everything_again_changes_no_answer(both):
    query = parse("crash OR 東京 OR -foo sort:title")
    expected = naive_search.found(both.world, query, (1, 2, 3), None)

    def again(transaction):
        keys = [search_index.FIRST]
        while keys:
            keys = search_index.index_after(transaction, keys[-1], limit=7)

    both.write(again)
    for transaction in both.each():
        assert (
            search.page(transaction, query, search.Scope((1, 2, 3), None), limit=1000, offset=0) == expected
        )
