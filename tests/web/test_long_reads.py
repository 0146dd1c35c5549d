"""Who asks for what takes too long is told so, and holds nobody up for ever."""

import io

import pytest

from skerry import app
from skerry.config import Settings
from skerry.store import kinds, schema, search
from skerry.store.troubles import TOO_LONG
from skerry.web.log import Log
from tests import postgres
from tests.conftest import build_world
from tests.houses import url_of

COUNTING = (
    "WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted{}) SELECT max(n) FROM counted"
)


@pytest.fixture(params=["sqlite", "postgres"])
def hasty(request, tmp_path):
    """A house in which nobody may read for more than a second."""
    url = url_of(request.param, tmp_path) or pytest.skip(postgres.reason())
    settings = Settings(data=tmp_path, database_url=url, read_seconds=1, durability="normal")
    with app.build(settings, Log(stream=io.StringIO())) as house:
        schema.migrate(house.database)
        yield house


@pytest.mark.parametrize("form", ["xml", "json"])
def test_a_search_that_takes_too_long_is_given_up_in_words(hasty, form, monkeypatch):
    ada = build_world(hasty, None, form).people["ada"]
    monkeypatch.setattr(
        search, "found", lambda transaction, *_, **__: transaction.said(COUNTING.format(""), [])
    )
    project = ada.post("/projects", {"project": {"name": "Roof"}}).item["id"]
    refused = ada.get(f"/projects/{project}/tickets?q=leak")
    assert (refused.status, refused.errors) == (503, [TOO_LONG])
    assert refused.headers["retry-after"].isdigit()
    assert [ada.get(f"/projects/{project}/tickets").status for _ in range(3)] == [200] * 3


def test_who_writes_has_all_the_time(hasty, monkeypatch):
    # The connection that has read is the one that writes.
    hasty.database.ping()
    monkeypatch.setattr(kinds, "monotonic", lambda: float("inf"))
    with hasty.database.write() as transaction:
        ((last,),) = transaction.said(COUNTING.format(" WHERE n < 100000"), [])
    assert last == 100_000
