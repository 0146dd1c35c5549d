"""Rerendering replaces the HTML of stored texts and nothing else."""

from contextlib import closing

import pytest
from sqlalchemy import func, text, update

from skerry.database.statements import Statement
from skerry.store import rendered_texts as texts
from skerry.store.tables import metadata
from skerry.tracker.texts import rerendering
from tests.cli.archives import place_of
from tests.support.instances import live

TEXT = "one\ntwo [1f]"
KEPT = (("projects", "description"), ("milestones", "goals"), ("messages", "body"), ("changesets", "body"))
KEPT += (("tickets", "body"), ("versions", "body"))


@pytest.fixture
def told(source):
    """A project in which there is a text everywhere, and the addresses of these texts."""
    ada, project_id = source.people["ada"], live(source)
    at = f"/projects/{project_id}"
    ada.put(f"{at}/settings", {"settings": {"description": TEXT}})
    milestone = ada.post(f"{at}/milestones", {"milestone": {"title": "Wet", "goals": TEXT}}).item["id"]
    message = ada.post(f"{at}/messages", {"message": {"title": "News", "body": TEXT}}).item["id"]
    ada.post(f"{at}/messages/{message}/comments", {"comment": {"body": TEXT}})
    ada.post(f"{at}/changesets", {"changeset": {"revision": "2f", "title": "Patch", "body": TEXT}})
    number = ada.post(f"{at}/tickets", {"ticket": {"title": "Leak", "body": TEXT}}).item["number"]
    ada.put(f"{at}/tickets/{number}", {"ticket": {"body": f"{TEXT} [state:*no*]"}})
    return [
        *(at, f"{at}/milestones/{milestone}", f"{at}/messages/{message}", f"{at}/changesets/2f"),
        *(f"{at}/tickets/{number}", f"{at}/tickets"),
    ]


def make_old(database):
    """Let all texts have become HTML without line ends, as they did once."""
    with database.write() as transaction:
        for name, column in KEPT:
            html = metadata.tables[name].c[f"{column}_html"]
            change = update(html.table).values({html.name: func.replace(html, "<br>", "")})
            transaction.run(Statement(change, across_accounts=True))
        transaction.run(Statement(text("UPDATE tickets SET revision = revision + 1"), across_accounts=True))


@pytest.mark.matrix("databases")
def test_every_text_gets_the_html_that_it_would_get_now(source, told, run):
    ada = source.people["ada"]
    before = [ada.get(address).body for address in told]
    make_old(source.database)
    assert all(ada.get(address).body != was for address, was in zip(told, before, strict=True))
    assert run(place_of(source), "rerender").startswith("Updated the HTML of 8 texts of ")
    assert [ada.get(address).body for address in told] == before
    assert run(place_of(source), "rerender").startswith("Updated the HTML of 0 texts of ")


def test_a_text_that_somebody_changes_meanwhile_is_left_to_them(source, told, monkeypatch):
    ada, after = source.people["ada"], texts.TextKind.after
    make_old(source.database)

    def read_and_changed(kind, *given, **more):
        found = after(kind, *given, **more)
        if kind is texts.KINDS[4] and found:
            ada.put(f"{told[4]}/versions/1", {"version": {"body": "another"}})
        return found

    monkeypatch.setattr(texts.TextKind, "after", read_and_changed)
    assert sum(changed for _, changed in rerendering.rerender(source.database)) == 6
    assert ada.get(told[4]).item["body_html"] == "<div><p>another</p></div>"


def test_rerendering_can_be_stopped_and_started_again(source, told, monkeypatch):
    ada = source.people["ada"]
    before = [ada.get(address).body for address in told]
    make_old(source.database)
    monkeypatch.setattr(rerendering, "AT_ONCE", 1)
    with closing(rerendering.rerender(source.database)) as stopped:
        assert sum(next(stopped)[0] for _ in range(5)) == 5
    assert sum(changed for _, changed in rerendering.rerender(source.database)) < 8
    assert [ada.get(address).body for address in told] == before


@pytest.mark.usefixtures("told")
def test_a_new_instance_prints_no_warning(bare):
    assert bare.good("migrate").startswith("Migrated: ")
