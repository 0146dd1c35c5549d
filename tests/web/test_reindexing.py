"""The words of tickets made anew, while others go on writing."""

from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing

import pytest

from skerry.store import search_documents, search_index
from skerry.store.database import Database
from tests.web.test_search import found, open_ticket


def test_reindexing_finds_the_same(world, ada, roof):
    open_ticket(ada, roof, "Leaky tiles")
    open_ticket(ada, roof, "Other")
    assert search_index.reindex(world.database, at_once=1) >= 2
    assert found(ada, roof, "tiles") == ["Leaky tiles"]


@pytest.fixture
def reindex_beside(world, monkeypatch):
    """Reindex as another program does, and let somebody else do something once the texts are read."""

    def run(work, *what):
        several, begun = search_documents.several, []

        def meanwhile(transaction, *those):
            documents = list(several(transaction, *those))
            if transaction.account_id == world.account_id and not begun:
                begun.append(thread.submit(work, *what))
                wait(begun, 0.5)
            return documents

        monkeypatch.setattr(search_documents, "several", meanwhile)
        url = world.database.engine.url.render_as_string(hide_password=False)
        with closing(Database(url)) as other, ThreadPoolExecutor(1) as thread:
            search_index.reindex(other)
            return begun[0].result()

    return run


def test_a_comment_that_comes_meanwhile_is_found(ada, roof, reindex_beside):
    ticket = f"/projects/{roof}/tickets/{open_ticket(ada, roof, 'Leak')}"
    assert reindex_beside(ada.put, ticket, {"ticket": {"body": "by the gable"}}).status == 200
    assert found(ada, roof, "gable") == ["Leak"]


def test_a_ticket_may_be_removed_meanwhile(ada, roof, reindex_beside):
    ticket = f"/projects/{roof}/tickets/{open_ticket(ada, roof, 'Leak')}"
    assert reindex_beside(ada.delete, ticket).status == 200
    assert found(ada, roof, "leak") == []
