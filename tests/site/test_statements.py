"""How many statements a page or a commit executes: on PostgreSQL each costs a round trip."""

import pytest

from skerry.database.transactions import Transaction

pytestmark = pytest.mark.matrix("databases")


@pytest.fixture
def executed(monkeypatch):
    """Every statement that is executed from now on."""
    texts, bound = [], Transaction._bound

    def noted(transaction, statement, values):
        text, ordered = bound(transaction, statement, values)
        texts.append(text)
        return text, ordered

    monkeypatch.setattr(Transaction, "_bound", noted)
    return texts


@pytest.mark.parametrize(("path", "most"), [("tickets", 15), ("tickets/1", 22), ("milestones", 12)])
def test_a_page_executes_few_statements(surfing, ben, roof, ticket, executed, path, most):
    web = surfing(ben)
    web.get(f"/projects/{roof}/{path}")
    executed.clear()
    assert web.get(f"/projects/{roof}/{path}").status == 200
    assert len(executed) <= most, executed


def test_the_visible_projects_are_read_for_a_page_that_names_one(
    surfing, ada, ben, ticket, harbour, executed
):
    web = surfing(ben)
    for body, times in (("It drips", 0), ("See harbour#1", 1)):
        ada.put(ticket, {"ticket": {"body": body}})
        executed.clear()
        web.get(ticket)
        names = [text for text in executed if text.startswith("SELECT projects.id \nFROM projects")]
        assert len(names) == times


def test_tickets_in_the_project_of_a_commit_are_not_looked_up_elsewhere(ada, roof, ticket, executed):
    for number, times in ((1, 0), (99, 1)):
        commit = {"revision": f"r{number}", "body": f"Mend it [#{number} state:resolved]"}
        executed.clear()
        assert ada.post(f"/projects/{roof}/changesets", {"changeset": commit}).status == 201
        assert sum("FROM moved_tickets" in text for text in executed) == times
        assert not [text for text in executed if text.startswith("SELECT projects.id \nFROM projects")]
    assert ada.get(ticket).item["state"] == "resolved"
