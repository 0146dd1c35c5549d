"""Former addresses of moved tickets in exports and imports."""

from collections import Counter

import pytest

from skerry.store import accounts
from skerry.store import projects as project_store
from skerry.store.ticket_rows import moved_tickets
from skerry.text.references import ELSEWHERE
from skerry.transfer.importing.project_references import ProjectReferences
from skerry.transfer.importing.report import OTHER_PROJECTS, unlinked
from tests.cli.archives import account_named, exported, opened, place_of
from tests.cli.terminal import PASSWORD, SETUP
from tests.web.test_bulk_edit import edit


@pytest.mark.parametrize("both", [True, False])
def test_former_addresses_go_with_exports_if_their_projects_do(source, target, run, tmp_path, both):
    ada = source.people["ada"]
    roof, hull = (ada.post("/projects", {"project": {"name": name}}).item["id"] for name in ("Roof", "Hull"))
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "body": "As in #1"}})
    edit(ada, roof, "1", "project:hull")
    edit(ada, hull, "1", "project:roof")
    edit(ada, roof, "2", "project:hull")
    file = tmp_path / "export.tar.gz"
    run(place_of(source), "export", file, "--account", account_named(source))
    (found,) = [content for name, content in exported(file).items() if name.endswith("/ticket.json")]
    places = [(roof, 1), (hull, 1), (roof, 2)]
    assert [(each["project_id"], each["number"]) for each in found["details"]["moved_from"]] == places
    run(target, *SETUP, *PASSWORD, "--account", "Other")
    run(target, "import", file, *([] if both else ["--project", hull]))
    with opened(target) as instance:
        with instance.database.read() as transaction:
            (account,) = accounts.list_all(transaction)
        with instance.database.read(account.id) as transaction:
            here = {each.permalink: each.id for each in project_store.everything(transaction)}
            former = moved_tickets.former(transaction, here["hull"], [2])[2]
            kept = [(here.get("roof"), 1), (here["hull"], 1), (here.get("roof"), 2)]
            assert former == [place for place in kept if place[0]]
            if both:
                assert project_store.last_number(transaction, here["roof"]) == 2


def test_references_to_other_projects_keep_their_meaning_where_ids_are_taken(source, take, run, tmp_path):
    ada = source.people["ada"]
    roof, twin, hull = (
        ada.post("/projects", {"project": {"name": name}}).item["id"] for name in ("Roof", "Roof", "Hull")
    )
    bodies = {roof: "See hull#1 and `hull#1`", hull: f"See {roof}-Roof#1, `{roof}-Roof#1`, #1"}
    for project_id, body in bodies.items():
        ada.post(f"/projects/{project_id}/tickets", {"ticket": {"title": "Leak", "body": body}})
    ada.put(f"/projects/{roof}/tickets/1/versions/1", {"version": {"body": "Now hull#1"}})
    message = {"title": "News", "body": f"Of {twin}-roof#7"}
    ada.post(f"/projects/{hull}/messages", {"message": message})
    file = tmp_path / "export.tar.gz"
    run(place_of(source), "export", file, "--account", account_named(source))
    files = exported(file)
    for name, content in files.items():
        if name.endswith("/project.json"):
            content["details"]["created_at"] -= 1
    take(files)
    found = [each["id"] for each in ada.get("/projects").items if each["id"] > hull]
    new_roof, new_twin, new_hull = sorted(found)[-3:]
    ticket, other = (ada.get(f"/projects/{each}/tickets/1").item for each in (new_roof, new_hull))
    assert ticket["body"] == f"Now {new_hull}-hull#1"
    assert f'href="/projects/{new_hull}/tickets/1"' in ticket["body_html"]
    (earlier,) = ada.get(f"/projects/{new_roof}/tickets/1/versions/1/texts").items
    assert (earlier["body"], ticket["original_body"]) == (f"See {new_hull}-hull#1 and `hull#1`",) * 2
    assert other["body"] == f"See {new_roof}-roof#1, `{roof}-Roof#1`, #1"
    assert f'href="/projects/{new_roof}/tickets/1"' in other["body_html"]
    (news,) = ada.get(f"/projects/{new_hull}/messages").items
    assert news["body"] == f"Of {new_twin}-roof#7"


@pytest.mark.parametrize("words", [[], ["--dry-run"]])
def test_texts_that_name_tickets_of_projects_not_imported_are_counted_and_keep_their_words(
    source, target, run, tmp_path, words
):
    ada = source.people["ada"]
    roof, hull = (ada.post("/projects", {"project": {"name": name}}).item["id"] for name in ("Roof", "Hull"))
    for body in ("See hull#1 and hull#2", "As hull#1", f"Also {hull}-hull#1, #1", "Not `hull#1`"):
        ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "body": body}})
    file = tmp_path / "export.tar.gz"
    run(place_of(source), "export", file, "--account", account_named(source))
    run(target, *SETUP, *PASSWORD, "--account", "Other")
    said = " ".join(run(target, "import", file, "--project", roof, *words).split())
    left = "not here or in this import, and {} without a link"
    assert f"2 texts name tickets of hull, {left.format('keep the words')}" in said
    assert f"1 text names tickets of {hull}-hull, {left.format('keeps the words')}" in said
    whole = " ".join(run(target, "import", file, *words).split())
    assert "without a link" not in whole


def test_the_report_names_some_of_many_projects_that_are_not_here():
    told = Counter()
    references = ProjectReferences({}, {}, told)
    for number in range(30):
        title = f"{ELSEWHERE}p{number}: ticket #1"
        link = f'<a href="/projects/{number + 5}/tickets/1" title="{title}">p{number}#1</a>'
        references.note_unlinked(f"See p{number}#1", link)
    assert len(told) == 21
    assert told[unlinked(OTHER_PROJECTS)] == 10
