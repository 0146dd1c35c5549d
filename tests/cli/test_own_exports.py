"""Saved views of the account and settings of lists in exports and imports."""

import pytest

from tests.cli.archives import account_named, exported, place_of
from tests.cli.hosted import VERSION, roof, ticket
from tests.cli.terminal import PASSWORD, SETUP
from tests.conftest import PASSWORD as SECRET
from tests.support.browser_client import WebClient

OWN = ("views/", "lists.json")


@pytest.fixture
def archive(source, run, tmp_path):
    """An archive of an account in which Ada and Ben keep views of all projects, and settings of lists."""
    ada, ben = source.people["ada"], source.people["ben"]
    project = ada.post("/projects", {"project": {"name": "Roof"}}).item["id"]
    source.join(project, ben)
    for title, body in (("Leak", "As in #2"), ("Moss", "")):
        ada.post(f"/projects/{project}/tickets", {"ticket": {"title": title, "body": body}})
    view = {"name": "Mine", "query": "responsible:me", "group": "state", "sort": "due", "columns": "due"}
    shared = ada.post("/bins", {"bin": {**view, "shared": True, "name": "Due"}}).item["id"]
    ben.post("/bins", {"bin": view})
    ben.put(f"/bins/{shared}", {"bin": {"default": True}})
    ada.put(f"/profile/lists/{project}", {"list_settings": {"group": "milestone", "columns": "tags"}})
    ben.put("/profile/lists/all", {"list_settings": {"group": "project", "sort": "title-"}})
    path = tmp_path / "export.tar.gz"
    run(place_of(source), "export", path, "--account", account_named(source))
    return path


def own(path):
    """Return what people keep in an archive, without the ids and addresses, which may differ."""
    found = {name: each for name, each in exported(path).items() if any(part in name for part in OWN)}
    views = [each for name, each in found.items() if name.startswith("views/")]
    choosers = [len(each["details"]["default_for"]) for each in views]
    details = [
        {**each["details"], "id": 0, "default_for": number}
        for each, number in zip(views, choosers, strict=True)
    ]
    kept = [{**each["ticket_bin"], "id": 0, "user_id": 0} for each in views]
    lists = [each["list_settings"] for name, each in found.items() if name.endswith("lists.json")]
    return sorted(map(repr, zip(kept, details, strict=True))), sorted(map(repr, lists))


@pytest.mark.matrix("databases")
def test_what_people_keep_is_the_same_after_an_export_and_two_imports(archive, target, run, tmp_path):
    run(target, *SETUP, *PASSWORD, "--account", "Other")
    for _ in range(2):
        run(target, "import", archive)
    again = tmp_path / "again.tar.gz"
    run(target, "export", again)
    views, lists = own(again)
    assert (views, lists) == own(archive)
    assert (len(views), len(lists)) == (2, 2)


def test_what_people_keep_stays_with_the_account_of_a_single_project(archive, target, run, tmp_path):
    run(target, *SETUP, *PASSWORD, "--account", "Other")
    run(target, "import", archive, "--project", 1)
    run(target, "export", tmp_path / "again.tar.gz")
    assert own(tmp_path / "again.tar.gz") == ([], [])


def test_what_is_kept_here_already_stays_as_it_is(archive, source, run):
    ben = source.people["ben"]
    ben.put("/profile/lists/all", {"list_settings": {"group": "state"}})
    run(place_of(source), "import", archive, "--account", account_named(source))
    assert ben.get("/profile/lists/all").item["group"] == "state"
    assert [each["name"] for each in ben.get("/bins").items] == ["Due", "Mine"]


def test_views_that_cannot_be_used_are_left_out_and_layouts_replaced(take, source):
    said = {"name": "Odd", "query": "state:open", "user_id": 7, "columns": "colour", "shared": True, "id": 5}
    files = {
        "users/7-dora/user.json": {"user": {"id": 7, "name": "Dora"}},
        "users/7-dora/lists.json": {"list_settings": [{"list_settings": {"project_id": 99}}]},
        "views/5-odd.json": {"ticket_bin": said},
        "views/6-bad.json": {"ticket_bin": {**said, "id": 6, "query": "stat:"}},
    }
    report = take(files)
    assert "1 bin has an invalid query and was left out" in report
    assert "1 bin has columns, a group or an order that is not known" in report
    (found,) = source.people["ada"].get("/bins").items
    assert (found["name"], found["columns"]) == ("Odd", "")


def test_a_ticket_says_where_it_is_mentioned_after_an_import(take, source):
    other = ticket(3, [{**VERSION, "title": "Tiles", "body": ""}])
    take(roof(**{"projects/31-roof/tickets/3-tiles/ticket.json": other}))
    web = WebClient(source.instance.application, source.host)
    web.sign_in(source.people["ada"].email, SECRET)
    _, _, rest = web.get("/projects/31/tickets/3").source.partition("<dt>Mentioned in</dt>")
    assert "/projects/31/tickets/12" in rest.partition("</dd>")[0]
