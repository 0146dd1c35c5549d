"""The search index of tickets: updated with each comment, and rebuilt during writes."""

from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing

import pytest
from sqlalchemy import text

from skerry.database.database import Database
from skerry.database.statements import Statement
from skerry.store import accounts
from skerry.store.checks.search_index import differences
from skerry.store.search import documents as search_documents
from skerry.store.search import index as search_index
from skerry.text import words
from tests.web.test_search import found, open_ticket

pytestmark = pytest.mark.matrix("databases")


@pytest.fixture
def instance_and_log(own_instance):
    return own_instance


def test_only_the_comments_of_a_ticket_are_read_again_after_a_comment(ada, leak, monkeypatch):
    cut, read = [], words.words

    def reading(text):
        cut.append(text)
        return read(text)

    monkeypatch.setattr(words, "words", reading)
    for comment in ("Behind the gutter", "Above the gable"):
        assert ada.put(leak, {"ticket": {"body": comment, "importance": len(cut)}}).status == 200
    assert ada.put(leak, {"ticket": {"state": "open"}}).status == 200
    assert [text for text in cut if text] == ["Behind the gutter", "Above the gable"]


def test_words_that_are_kept_one_comment_after_the_other_are_those_of_all_together(world, ada, leak):
    drafts = [
        *({"body": "Behind the gutter"}, {"state": "open"}, {"body": "Gable [tagged:wet]", "title": "Flood"}),
        *({"body": "one " * 16_000}, {"body": "two " * 16_000}, {"body": "Too late"}, {"importance": 3}),
    ]
    project_id = ada.get(leak).item["project_id"]
    for draft in drafts:
        assert ada.put(leak, {"ticket": draft}).status == 200
        kept = kept_words(world)
        with world.write() as transaction:
            search_index.index(transaction, project_id, 1)
        assert kept == kept_words(world)
    for query, titles in {"gable": ["Flood"], "%22gutter+gable%22": [], "late": []}.items():
        assert found(ada, project_id, query) == titles


def test_words_after_one_without_room_are_left_out(world, ada, leak):
    table = {"sqlite": "search_places", "postgresql": "search_documents"}[world.database.engine.dialect.name]
    with world.write() as transaction:
        transaction.run(Statement(text(f"UPDATE {table} SET room = 20 WHERE account_id = :account_id")))
    for comment in ("Gable", "by"):
        assert ada.put(leak, {"ticket": {"body": comment}}).status == 200
    assert [found(ada, ada.get(leak).item["project_id"], word) for word in ("gable", "by")] == [[], []]


def test_tickets_that_are_commented_on_at_one_moment_keep_their_order(world, ada, roof, monkeypatch):
    for title in ("First", "Second", "Third"):
        open_ticket(ada, roof, title)
    now = world.database.clock()
    monkeypatch.setattr(world.database, "clock", lambda: now)
    # Between the places of the first and the third there is none left for the second.
    for number in (3, 1, 2):
        comment = {"ticket": {"body": "Gable"}}
        assert ada.put(f"/projects/{roof}/tickets/{number}", comment).status == 200
    assert found(ada, roof, "gable") == ["Third", "Second", "First"]
    assert list(differences(world.database)) == []


def kept_words(world):
    """The words of the account's only ticket, as they stand in the database."""
    statement = {
        "sqlite": "SELECT c.*, p.room FROM search_places p JOIN search_words_content c ON c.id = p.place"
        " WHERE p.account_id = :account_id",
        "postgresql": "SELECT * FROM search_documents WHERE account_id = :account_id",
    }[world.database.engine.dialect.name]
    with world.database.read(world.account_id) as transaction:
        return transaction.one(Statement(text(statement), across_projects="upkeep"))


def test_reindexing_finds_the_same(world, ada, roof):
    open_ticket(ada, roof, "Leaky tiles")
    open_ticket(ada, roof, "Other")
    assert search_index.reindex(world.database, at_once=1) >= 2
    assert found(ada, roof, "tiles") == ["Leaky tiles"]


@pytest.fixture
def reindex_beside(world, monkeypatch):
    """Reindex as another program does, and let somebody else do something once the texts are read."""
    everybody = accounts.list_all

    def of_this_world(transaction):
        return [account for account in everybody(transaction) if account.id == world.account_id]

    def run(work, *what):
        several, begun = search_documents.several, []

        def meanwhile(transaction, *those):
            documents = list(several(transaction, *those))
            if transaction.account_id == world.account_id and not begun:
                begun.append(thread.submit(work, *what))
                wait(begun, 0.5)
            return documents

        monkeypatch.setattr(accounts, "list_all", of_this_world)
        monkeypatch.setattr(search_documents, "several", meanwhile)
        url = world.database.engine.url.render_as_string(hide_password=False)
        with closing(Database(url)) as other, ThreadPoolExecutor(1) as thread:
            search_index.reindex(other)
            return begun[0].result()

    return run


def test_a_comment_added_meanwhile_is_found(ada, roof, reindex_beside):
    ticket = f"/projects/{roof}/tickets/{open_ticket(ada, roof, 'Leak')}"
    assert reindex_beside(ada.put, ticket, {"ticket": {"body": "by the gable"}}).status == 200
    assert found(ada, roof, "gable") == ["Leak"]


def test_a_ticket_may_be_removed_meanwhile(ada, roof, reindex_beside):
    ticket = f"/projects/{roof}/tickets/{open_ticket(ada, roof, 'Leak')}"
    assert reindex_beside(ada.delete, ticket).status == 200
    assert found(ada, roof, "leak") == []
