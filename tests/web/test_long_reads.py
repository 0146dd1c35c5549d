"""Time limits of slow reads."""

import io
from contextlib import closing
from time import perf_counter

import pytest
from sqlalchemy import text

from skerry import app
from skerry.database import sqlite, transactions
from skerry.database.database import Database
from skerry.database.interruptions import FOR_EVER
from skerry.database.statements import Statement
from skerry.errors import QueryTimeout
from skerry.settings import SettingError, Settings, load
from skerry.store import search
from skerry.web.log import Log
from tests.conftest import build_world
from tests.support import matrix, migrated_databases

COUNTING = "WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < {})"


def lasting(dialect, seconds):
    """Return a query that takes some seconds on a quick machine: PostgreSQL can wait, SQLite has to count."""
    if dialect.name == "postgresql":
        return f"SELECT pg_sleep({seconds})"
    return f"{COUNTING.format(int(seconds * 3_000_000))} SELECT max(n) FROM counted"


def slow(transaction):
    """Take many seconds; of what is tried this is given up soon, and nothing else on a busy machine."""
    if transaction._given_up_at < FOR_EVER:
        transaction._given_up_at = perf_counter() + 0.03
    transaction.sql(lasting(transaction.dialect, 10), [])


@pytest.fixture(scope="module", params=matrix.BOTH, ids="-".join)
def kind_and_form(request):
    return request.param


@pytest.fixture(scope="module")
def hasty(kind_and_form, tmp_path_factory):
    """An instance in which nobody may read for more than a second."""
    folder = tmp_path_factory.mktemp("hasty")
    with migrated_databases.lent(kind_and_form[0], folder) as url:
        settings = Settings(data=folder, database_url=url, read_seconds=1, durability="normal")
        with app.build(settings, Log(stream=io.StringIO())) as instance:
            yield instance


@pytest.fixture
def searched_slowly(monkeypatch):
    """Every search takes many seconds."""
    for each in ("page_with_total", "page", "count"):
        monkeypatch.setattr(search, each, lambda transaction, *_, **__: slow(transaction))


@pytest.mark.usefixtures("searched_slowly")
def test_a_search_that_takes_too_long_is_given_up_in_words(hasty, kind_and_form):
    ada = build_world(hasty, None, kind_and_form[1]).people["ada"]
    project = ada.post("/projects", {"project": {"name": "Roof"}}).item["id"]
    refused = ada.get(f"/projects/{project}/tickets?q=leak")
    assert (refused.status, refused.errors) == (503, [QueryTimeout.default])
    assert refused.headers["retry-after"].isdigit()
    assert [ada.get(f"/projects/{project}/tickets").status for _ in range(3)] == [200] * 3


@pytest.mark.usefixtures("searched_slowly")
def test_a_ticket_is_shown_however_long_the_list_takes_that_its_reader_came_from(hasty):
    ada = build_world(hasty, None).people["ada"]
    project = f"/projects/{ada.post('/projects', {'project': {'name': 'Roof'}}).item['id']}"
    ada.post(f"{project}/tickets", {"ticket": {"title": "Drip"}})
    page = ada.get(f"{project}/tickets/1!?in=leak", Accept="text/html")
    assert (page.status, b"Drip" in page.body) == (200, True)


def test_searches_inside_writes_have_no_time_limit(hasty, monkeypatch):
    # The connection that has read is the one that writes.
    hasty.database.ping()
    monkeypatch.setattr(sqlite, "monotonic", lambda: float("inf"))
    counting = Statement(text(f"{COUNTING.format(100_000)} SELECT max(n) FROM counted"), across_accounts=True)
    with hasty.database.write() as transaction:
        assert transaction.value(counting) == 100_000


@pytest.mark.usefixtures("searched_slowly")
@pytest.mark.parametrize(
    ("path", "data", "headers"),
    [
        ("tickets?q=leak", {"ticket": {"title": "Leak"}}, {"If_Match": '"mine"'}),
        ("bulk_edit", {"bulk_edit": {"query": "leak", "command": "tagged:rain"}}, {}),
    ],
)
def test_writers_do_not_wait_for_a_search_for_long(hasty, path, data, headers):
    ada = build_world(hasty, None).people["ada"]
    project = ada.post("/projects", {"project": {"name": "Roof"}}).item["id"]
    refused = ada.post(f"/projects/{project}/{path}", data, **headers)
    assert (refused.status, refused.errors) == (503, [QueryTimeout.default])
    opened = [ada.post(f"/projects/{project}/tickets", {"ticket": {"title": "Drip"}}) for _ in range(3)]
    assert [(answer.status, answer.item["number"]) for answer in opened] == [(201, 1), (201, 2), (201, 3)]


@pytest.fixture
def leaks_are_slow(monkeypatch):
    """A search for leaks takes many seconds, any other as long as ever."""

    def slowly(quick):
        return lambda transaction, query, *rest, **options: (
            slow(transaction) if "leak" in repr(query) else quick(transaction, query, *rest, **options)
        )

    for each in ("page_with_total", "count"):
        monkeypatch.setattr(search, each, slowly(getattr(search, each)))


@pytest.fixture
def shared_bins(hasty, kind_and_form, leaks_are_slow):
    """A project of Ada's with three slow bins of Ben's; gives it and both."""
    world = build_world(hasty, None, kind_and_form[1])
    ada, ben = world.people["ada"], world.people["ben"]
    project = f"/projects/{ada.post('/projects', {'project': {'name': 'Roof'}}).item['id']}"
    world.join(int(project.rpartition("/")[2]), ben)
    ada.post(f"{project}/tickets", {"ticket": {"title": "Drip"}})
    for name in ("leak", "leaks", "leaky"):
        kept = ben.post(f"{project}/bins", {"bin": {"name": name, "query": name, "shared": True}})
        assert (kept.status, kept.item["tickets_count"], kept.item["counted_at"]) == (201, 0, None)
    return project, ada, ben


def counts(client, project):
    return [found["tickets_count"] for found in client.get(f"{project}/bins").items]


def test_one_members_slow_bins_say_that_they_are_not_counted_and_take_no_list_from_others(shared_bins):
    project, ada, ben = shared_bins
    assert counts(ada, project) == [1, 0, 1, 0, 0, 0]
    page = ada.get(f"{project}/tickets!", Accept="text/html")
    assert (page.status, b"leaky" in page.body) == (200, True)
    slow = next(found["id"] for found in ada.get(f"{project}/bins").items if found["name"] == "leaks")
    renamed = ben.put(f"{project}/bins/{slow}", {"bin": {"name": "Rain"}})
    assert (renamed.status, renamed.item["counted_at"]) == (200, None)
    assert ada.get(f"{project}/bins/{slow}").item["name"] == "Rain"


def test_a_person_who_opens_a_slow_view_sees_that_it_is_slow(shared_bins):
    project, _, ben = shared_bins
    page = ben.get(f"{project}/tickets!?q=leak", Accept="text/html")
    assert page.status == 503
    assert QueryTimeout.default.encode() in page.body


def test_slow_bins_together_take_little_more_time_than_one(shared_bins, monkeypatch):
    project, ada, _ = shared_bins
    tried = []
    monkeypatch.setattr(transactions, "TOTAL_SEARCH_TIMEOUT", 0.001)
    monkeypatch.setattr(search, "count", lambda *asked, **_: tried.append(asked) or slow(asked[0]))
    assert counts(ada, project) == [1, 0, 0, 0, 0, 0]
    assert len(tried) == 1


@pytest.fixture
def hurried(hasty):
    """The same database, from which nobody may read for more than a fifth of a second."""
    url = hasty.database.engine.url.render_as_string(hide_password=False)
    with closing(Database(url, read_seconds=0.2)) as database:
        yield database


@pytest.mark.parametrize("begin", ["read", "write"])
def test_however_many_questions_a_search_asks_it_has_no_more_time(hurried, begin):
    def ask_often():
        with getattr(hurried, begin)() as transaction:
            for _ in range(100):
                transaction.sql(lasting(transaction.dialect, 0.03), [])

    with pytest.raises(QueryTimeout):
        ask_often()


def test_writing_after_a_search_has_no_time_limit(hurried):
    with hurried.write() as transaction:
        transaction.sql("SELECT 1", [])
        long = lasting(transaction.dialect, 0.3)
        assert transaction.one(Statement(text(long), across_accounts=True))


def test_a_setting_that_no_database_takes_is_refused():
    assert load({"SKERRY_READ_SECONDS": "86400"}).read_seconds == 86_400
    with pytest.raises(SettingError, match="SKERRY_READ_SECONDS must be at most 86400"):
        load({"SKERRY_READ_SECONDS": "2147484"})
