"""How many things of a kind there may be: the last one is made, and one more is refused with a sentence."""

import pytest

HOOK = {"hook": {"url": "https://hooks.example.org/new"}}
FORGE = {"forge": {"kind": "github"}}


@pytest.mark.parametrize(
    ("module", "path", "draft", "sentence"),
    [
        ("sending.hooks", "/hooks", HOOK, "There are already 2 hooks here, and no more can be added"),
        (
            "sending.hooks",
            "/projects/{}/hooks",
            HOOK,
            "There are already 2 hooks here, and no more can be added",
        ),
        (
            "forges.forges",
            "/projects/{}/forges",
            FORGE,
            "A project has at most 2 forges; remove one that is not used any more",
        ),
    ],
)
def test_only_so_many_are_made(in_person, roof, monkeypatch, module, path, draft, sentence):
    monkeypatch.setattr(f"skerry.tracker.{module}.MAX", 2)
    answers = [in_person.post(path.format(roof), draft) for _ in range(3)]
    assert [answer.status for answer in answers] == [201, 201, 409]
    assert answers[-1].errors == [sentence]


def test_a_bulk_edit_changes_only_so_many_tickets(ada, roof, tickets, monkeypatch):
    monkeypatch.setattr("skerry.tracker.bulk_edits.MAX_TICKETS", 2)
    edit, answers = {"bulk_edit": {"query": "all", "command": "tagged:wet"}}, []
    for _ in range(3):
        ada.post(tickets, {"ticket": {"title": "Leak"}})
        answers.append(ada.post(f"/projects/{roof}/bulk_edit", edit))
    assert [answer.status for answer in answers] == [200, 200, 422]
    assert answers[-1].errors == ["Query matches too many tickets (a bulk edit can change at most 2)"]


def test_a_bulk_edit_reaches_only_so_many_projects(ada, monkeypatch):
    monkeypatch.setattr("skerry.tracker.account_bulk_edits.MAX_PROJECTS", 2)
    edit, answers = {"bulk_edit": {"query": "all", "command": "tagged:wet"}}, []
    for name in ("Roof", "Shed", "Barn"):
        project = ada.post("/projects", {"project": {"name": name}}).item["id"]
        ada.post(f"/projects/{project}/tickets", {"ticket": {"title": "Leak"}})
        answers.append(ada.post("/bulk_edit", edit))
    assert [answer.status for answer in answers] == [200, 200, 422]
    assert "at most 2)" in answers[-1].errors[0]
