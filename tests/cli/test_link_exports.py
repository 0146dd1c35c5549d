"""Links between tickets in exports and imports."""

import pytest

from skerry.store import accounts, links
from skerry.store import projects as project_store
from tests.cli.archives import account_named, exported, opened, place_of
from tests.cli.terminal import PASSWORD, SETUP


def made(ada, project_id, titles):
    for title in titles:
        ada.post(f"/projects/{project_id}/tickets", {"ticket": {"title": title}})
    return f"/projects/{project_id}/tickets/1/links"


@pytest.mark.parametrize("both", [True, False])
def test_links_go_with_exports_if_both_tickets_do(source, target, run, tmp_path, both):
    ada = source.people["ada"]
    roof, hull = (ada.post("/projects", {"project": {"name": name}}).item["id"] for name in ("Roof", "Hull"))
    of_roof = made(ada, roof, ("Leak", "Wall", "Door"))
    made(ada, hull, ("Keel",))
    for kind, ticket in (("blocks", "hull#1"), ("child", 2), ("relates-to", 3)):
        link_id = ada.post(of_roof, {"link": {"kind": kind, "ticket": ticket}}).item["id"]
    ada.delete(f"{of_roof}/{link_id}")
    file = tmp_path / "export.tar.gz"
    run(place_of(source), "export", file, "--account", account_named(source))
    found = [content for name, content in exported(file).items() if name.endswith("/ticket.json")]
    kinds = sorted(link["kind"] for each in found for link in each["details"]["links"])
    assert kinds == ["blocks", "parent", "relates-to"]
    run(target, *SETUP, *PASSWORD, "--account", "Other")
    run(target, "import", file, *([] if both else ["--project", roof]))
    with opened(target) as instance:
        with instance.database.read() as transaction:
            (account,) = accounts.list_all(transaction)
        with instance.database.read(account.id) as transaction:
            here = {each.permalink: each.id for each in project_store.everything(transaction)}
            restored = links.of_tickets(transaction, here["roof"], [1], 0)
            kept = [("child", 3, None), ("relates-to", 4, 5)]
            kept = [("blocks", 2, None), *kept] if both else kept
            assert sorted((each.kind, each.added_in, each.removed_in) for each in restored) == kept


def exported_with(source, run, tmp_path, titles, link):
    """Return the files of an export in which a ticket has a link, as those of a project not yet here."""
    ada = source.people["ada"]
    roof = ada.post("/projects", {"project": {"name": "Roof"}}).item["id"]
    ada.post(made(ada, roof, titles), {"link": link})
    file = tmp_path / "export.tar.gz"
    run(place_of(source), "export", file, "--account", account_named(source))
    files = exported(file)
    for name, content in files.items():
        if name.endswith("/project.json"):
            content["details"]["created_at"] -= 1
    return files


def newest_links(source):
    """Return the links of the first ticket of the newest project."""
    ada = source.people["ada"]
    new = max(each["id"] for each in ada.get("/projects").items)
    return [(each["kind"], each["number"]) for each in ada.get(f"/projects/{new}/tickets/1/links").items]


def test_links_of_an_archive_that_break_rules_are_left_out(source, take, run, tmp_path):
    files = exported_with(source, run, tmp_path, ("Leak", "Wall"), {"kind": "blocks", "ticket": 2})
    for name, content in files.items():
        if name.endswith("/ticket.json") and content["details"]["links"]:
            (link,) = content["details"]["links"]
            wrong = ({"kind": "eats"}, {"other_number": 9}, {"other_number": 1}, {"added_in": 0}, {})
            content["details"]["links"] += [{**link, **each} for each in wrong]
        elif name.endswith("/ticket.json"):
            content["details"]["links"] = [{**link, "other_number": 1}]
    take(files)
    assert newest_links(source) == [("blocks", 2)]


def test_of_two_parents_in_an_archive_the_first_is_kept(source, take, run, tmp_path):
    files = exported_with(source, run, tmp_path, ("Leak", "Wall", "Door"), {"kind": "parent", "ticket": 2})
    for name, content in files.items():
        if name.endswith("/ticket.json"):
            content["details"]["links"] += [
                {**link, "other_number": 3} for link in content["details"]["links"]
            ]
    assert "1 link is not valid" in take(files)
    assert newest_links(source) == [("parent", 2)]
