"""Imports of several projects that were killed go on where they were, and lose nothing."""

import signal
import subprocess
import sys
from itertools import count

import pytest

from skerry.background import Background
from skerry.errors import Conflict, Unavailable
from skerry.transfer.importing.writing import ProjectWriter
from skerry.transfer.uploaded import Sender
from tests.cli.archives import account_named, differences, empty_place, exported, opened, place_of
from tests.cli.hosted import packed
from tests.cli.terminal import PASSWORD, SETUP, output
from tests.cli.test_first_schema import rows
from tests.support import migrated_databases
from tests.support.forms import KIND, field, file, form
from tests.support.instances import world_in
from tests.support.processes import PATIENCE, ROOT
from tests.web.test_bulk_edit import edit
from tests.web.test_own_tokens import in_person

NAMES = ("Roof", "Hull", "Mast")

DYING = """
import os, signal, sys
from importlib import import_module
from itertools import count
from skerry import cli

where, name, last = sys.argv.pop(1), sys.argv.pop(1), int(sys.argv.pop(1))
module, _, owner = where.partition(":")
holder = getattr(import_module(module), owner) if owner else import_module(module)
real, calls = getattr(holder, name), count(1)

def call(*given):
    result = real(*given)
    if next(calls) == last:
        os.kill(os.getpid(), signal.SIGKILL)
    return result

setattr(holder, name, call)
cli.main()
"""
"""The program, killed after it has called a function some times."""

WRITTEN = ("skerry.transfer.importing.writing:ProjectWriter", "write")
BACKLINKS = ("skerry.tracker.backlinks", "find_in")
KILLS = {
    "after the first project": (*WRITTEN, 1),
    "after the second project": (*WRITTEN, 2),
    "after the last project": (*WRITTEN, 3),
    "between former addresses": ("skerry.store.ticket_rows.moved_tickets", "restore", 1),
    "in the middle of the links": ("skerry.store.links", "restore", 1),
    "after the links": ("skerry.transfer.importing.links", "restore", 1),
    "in the middle of the backlinks": (*BACKLINKS, 2),
    "after the backlinks": (*BACKLINKS, 3),
}


def make(ada):
    """Three projects with tickets that link to each other and name each other, and one that was moved."""
    ids = [ada.post("/projects", {"project": {"name": name}}).item["id"] for name in NAMES]
    for project_id in ids:
        for number in (1, 2):
            body = "See roof#1, hull#2, mast#1 and #1"
            ada.post(f"/projects/{project_id}/tickets", {"ticket": {"title": f"T{number}", "body": body}})
    roof, hull, mast = ids
    for place, kind, other in (
        (f"{roof}/tickets/1", "blocks", "hull#2"),
        (f"{roof}/tickets/1", "relates-to", "mast#1"),
        (f"{mast}/tickets/2", "parent", "roof#2"),
        (f"{hull}/tickets/2", "relates-to", "1"),
        (f"{roof}/tickets/2", "duplicates", "hull#1"),
    ):
        link = ada.post(f"/projects/{place}/links", {"link": {"kind": kind, "ticket": other}})
        assert link.status == 201, link.body
    ada.delete(f"/projects/{roof}/tickets/2/links/{link.item['id']}")
    edit(ada, mast, "2", "project:roof")
    return ids


def export(place, name, path):
    output(place, "export", path, "--account", name)
    return path


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """An archive of three projects, and what an import of it makes that nobody interrupts."""
    folder = tmp_path_factory.mktemp("archive")
    world = world_in(folder, migrated_databases.at("sqlite", folder))
    make(world.people["ada"])
    path = export(place_of(world), account_named(world), folder / "export.tar.gz")
    world.database.close()
    place = empty_place("sqlite", folder / "whole")
    output(place, *SETUP, *PASSWORD, "--account", "Other")
    output(place, "import", path)
    return path, found(place, folder / "whole.tar.gz")


def found(place, path):
    """The projects of an account as it exports them, and what leads from one ticket to another."""
    files = exported(export(place, "Other", path))
    tables = ("ticket_links", "moved_tickets", "backlinks", "unfinished_imports")
    shown = {name: sorted(map(tuple, rows(place[1], f"SELECT * FROM {name}"))) for name in tables}
    return shown, {name: content for name, content in files.items() if name.startswith("projects/")}


def killed(place, words, where):
    program = [sys.executable, "-c", DYING, *map(str, where), "--data", str(place[0]), "--database", place[1]]
    died = subprocess.run([*program, "import", *map(str, words)], check=False, cwd=ROOT, timeout=PATIENCE)
    assert died.returncode == -signal.SIGKILL


def test_the_archive_of_these_tests_has_something_of_everything(archive):
    shown, _ = archive[1]
    assert [len(each) for each in shown.values()] == [5, 1, 16, 0]


@pytest.mark.matrix("databases")
@pytest.mark.parametrize("where", KILLS.values(), ids=KILLS)
def test_an_import_that_was_killed_goes_on_to_what_it_would_have_been(archive, target, run, tmp_path, where):
    path, whole = archive
    run(target, *SETUP, *PASSWORD, "--account", "Other")
    killed(target, [path], where)
    with opened(target) as instance:
        # Their order in the index of SQLite is restored at the end of the next import.
        assert [each for each in differences(instance) if not each.startswith("Searches")] == []
    run(target, "import", path)
    assert found(target, tmp_path / "second.tar.gz") == whole
    run(target, "import", path)
    assert found(target, tmp_path / "third.tar.gz") == whole
    with opened(target) as instance:
        assert differences(instance) == []


def test_an_import_of_a_single_project_in_between_loses_nothing(archive, target, run, tmp_path):
    path, (whole, _) = archive
    run(target, *SETUP, *PASSWORD, "--account", "Other")
    killed(target, [path], (*WRITTEN, 1))
    run(target, "import", path, "--project", 1)
    run(target, "import", path)
    shown, _ = found(target, tmp_path / "second.tar.gz")
    # The links have another order.
    assert {name: len(each) for name, each in shown.items()} == {
        name: len(each) for name, each in whole.items()
    }


@pytest.fixture
def again(source, run, tmp_path):
    """The words of an import of three projects into the account they are in, as if they were others."""
    ids = make(source.people["ada"])
    path = export(place_of(source), account_named(source), tmp_path / "export.tar.gz")
    files = exported(path)
    for name, content in files.items():
        if name.endswith("/project.json"):
            content["details"]["created_at"] -= 1
    return ids, [packed(tmp_path / "again.tar.gz", files), "--account", account_named(source)]


def new_projects(ada, old):
    found = {each["name"]: each["id"] for each in ada.get("/projects").items if each["id"] not in old}
    return [found[name] for name in NAMES if name in found]


@pytest.mark.matrix("databases")
@pytest.mark.parametrize("times", [1, 2])
def test_texts_of_an_import_that_was_killed_name_the_new_projects(source, again, run, times):
    old, words = again
    killed(place_of(source), words, (*WRITTEN, times))
    run(place_of(source), "import", *words)
    ada = source.people["ada"]
    roof, hull, mast = ids = new_projects(ada, old)
    for project_id in ids:
        ticket = ada.get(f"/projects/{project_id}/tickets/1").item
        assert ticket["body"] == f"See {roof}-roof#1, {hull}-hull#2, {mast}-mast#1 and #1"
        for there in {roof, hull, mast} - {project_id}:
            assert f'href="/projects/{there}/tickets/' in ticket["body_html"]
    assert len(ids) == 3


def links_of(ada, project_id):
    return ada.get(f"/projects/{project_id}/tickets/1/links").items


def kinds(ada, project_id):
    return sorted(each["kind"] for each in links_of(ada, project_id))


@pytest.mark.matrix("databases")
@pytest.mark.parametrize("is_killed", [False, True])
def test_a_link_that_somebody_removes_is_not_restored_again(source, again, run, is_killed):
    old, words = again
    if is_killed:
        killed(place_of(source), words, KILLS["after the links"])
    else:
        run(place_of(source), "import", *words)
    ada = source.people["ada"]
    roof, *_ = new_projects(ada, old)
    (link,) = [each for each in links_of(ada, roof) if each["kind"] == "blocks"]
    assert ada.delete(f"/projects/{roof}/tickets/1/links/{link['id']}").status == 200
    for _ in range(2):
        run(place_of(source), "import", *words)
        assert kinds(ada, roof) == ["relates-to"]


@pytest.mark.matrix("databases")
def test_a_link_that_somebody_made_before_an_import_goes_on_is_there_once(source, again, run):
    old, words = again
    killed(place_of(source), words, (*WRITTEN, 2))
    ada = source.people["ada"]
    roof, hull = new_projects(ada, old)
    link = {"kind": "blocks", "ticket": f"{hull}-hull#2"}
    assert ada.post(f"/projects/{roof}/tickets/1/links", {"link": link}).status == 201
    run(place_of(source), "import", *words)
    assert kinds(ada, roof) == ["blocks", "relates-to"]


def failing(last, error):
    """What writes projects, but not the last one."""
    real, calls = ProjectWriter.write, count(1)

    def write(*given):
        if next(calls) == last:
            raise error
        real(*given)

    return write


def test_an_import_that_failed_goes_on_with_all_links(source, again, run, monkeypatch):
    old, words = again
    with monkeypatch.context() as patch:
        patch.setattr(ProjectWriter, "write", failing(2, Conflict("The disk is full")))
        with pytest.raises(Conflict, match="full"):
            run(place_of(source), "import", *words)
    run(place_of(source), "import", *words)
    ada = source.people["ada"]
    assert kinds(ada, new_projects(ada, old)[0]) == ["blocks", "relates-to"]


@pytest.fixture
def work(source):
    """Does what waits, as a server does in the background."""
    background = Background(source.database, {}, lambda *_: None)
    sender = Sender(source.database, source.instance.blobs, pytest.fail)

    def run():
        background.renew()
        sender.send(background.held)

    yield run
    background.stop()


@pytest.mark.matrix("databases")
def test_an_import_of_the_page_that_was_interrupted_goes_on_with_all_links(source, again, work, monkeypatch):
    old, (path, *_) = again
    ada = in_person(source.people["ada"])
    parts = [field("import[kind]", "archive"), file(path.read_bytes(), path.name, "application/gzip", "file")]
    answer = ada.send("POST", "/imports", raw=form(*parts), kind=KIND)
    assert answer.status == 201, answer.body
    place = f"/imports/{answer.item['id']}"
    work()
    assert ada.post(f"{place}/start", {}).status == 200
    with monkeypatch.context() as patch:
        patch.setattr(ProjectWriter, "write", failing(2, Unavailable("The database is restarting")))
        work()
    assert ada.get(place).item["state"] == "running"
    assert len(new_projects(ada, old)) == 1
    work()
    assert ada.get(place).item["state"] == "done"
    assert kinds(ada, new_projects(ada, old)[0]) == ["blocks", "relates-to"]
