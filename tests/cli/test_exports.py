"""Exports: the resources of an account in files, with the details that an import needs."""

import io
import sys
import tarfile

import pytest

from skerry.errors import Conflict, NotFound
from skerry.store.transfer import exports
from skerry.wire.exports import TICKET, of_file, parse_path
from tests.cli.archives import account_named, differences, exported, opened, place_of
from tests.cli.terminal import output
from tests.cli.test_backup import at_work
from tests.conftest import make_instance
from tests.support import migrated_databases
from tests.support.client import Upload
from tests.support.forms import KIND, field, file, form
from tests.support.instances import live, open_with_file
from tests.support.resources import PICTURE
from tests.support.route_matrix import do_everything

ROOF = "projects/1-roof"

# Few words, which take no time to index, and signs of which an answer has room for a sixth.
LONG = f"It {'&' * 95}. " * 2_000


@pytest.fixture
def export(run, tmp_path):
    """Exports the account of a world and gives its files."""

    def run_export(world):
        file = tmp_path / "export.tar.gz"
        run(place_of(world), "export", file, "--account", account_named(world), "--force")
        return exported(file)

    return run_export


@pytest.mark.matrix("databases")
def test_each_file_is_the_object_of_the_interface(source, export):
    project_id = live(source)
    files, ada = export(source), source.people["ada"]
    at = f"/projects/{project_id}"
    assert files[f"{ROOF}/project.json"]["project"] == ada.get(at).item
    assert files[f"{ROOF}/tickets/1-eak/ticket.json"]["ticket"] == ada.get(f"{at}/tickets/1").item
    assert files[f"{ROOF}/messages/1-news.json"]["message"] == ada.get(f"{at}/messages/1").item
    assert files[f"{ROOF}/milestones/1-dry.json"]["milestone"] == ada.get(f"{at}/milestones/1").item
    assert files[f"{ROOF}/changesets/1f.json"]["changeset"] == ada.get(f"{at}/changesets/1f").item
    shown = [entry["membership"] for entry in files[f"{ROOF}/memberships.json"]["memberships"]]
    assert shown == ada.get(f"{at}/memberships").items
    (template,) = files[f"{ROOF}/templates.json"]["templates"]
    assert [template["template"]] == ada.get(f"{at}/templates").items


def test_texts_that_an_answer_would_shorten_are_whole(source, export):
    at, ada = f"/projects/{live(source)}", source.people["ada"]
    message = ada.post(f"{at}/messages", {"message": {"title": "Long", "body": LONG}}).item["id"]
    for number in range(9):
        ada.post(f"{at}/messages/{message}/comments", {"comment": {"body": LONG}})
        ada.post(f"{at}/milestones", {"milestone": {"title": f"{number}", "goals": LONG}})
        ada.post(f"{at}/changesets", {"changeset": {"revision": f"{number}", "body": LONG}})
        ada.post(f"{at}/tickets/1/versions", {"version": {"body": LONG}})
    shortened = (f"{at}/messages/{message}", f"{at}/milestones", f"{at}/changesets", f"{at}/tickets/1")
    assert {ada.get(path).headers.get("x-texts-shortened") for path in shortened} == {"true"}
    files = export(source)
    (conversation,) = [files[name]["message"] for name in files if name.endswith("-long.json")]
    goals = [files[name]["milestone"]["goals"] for name in files if "/milestones/" in name]
    bodies = [files[name]["changeset"]["body"] for name in files if "/changesets/" in name]
    versions = files[f"{ROOF}/tickets/1-eak/ticket.json"]["ticket"]["versions"]
    assert [comment["body"] for comment in conversation["comments"]] == [LONG] * 9
    assert [found.count(LONG) for found in (goals, bodies)] == [9, 9]
    assert [version["body"] for version in versions].count(LONG) == 9


def test_the_file_of_a_revision_has_a_name_that_an_import_takes(source, export):
    at, revisions = f"/projects/{live(source)}/changesets", {"._1f", "r:2", "évolution"}
    for revision in revisions:
        sent = {"revision": revision, "changes": [["M", "roof.py"]]}
        assert source.people["ada"].post(at, {"changeset": sent}).status == 201
    files = export(source)
    found = [name for name in files if "/changesets/" in name and not name.endswith("/1f.json")]
    assert {files[name]["changeset"]["revision"] for name in found} == revisions
    assert [parse_path(f"export/{name}").kind for name in found] == ["changesets"] * 3


def test_details_hold_what_the_interface_does_not_show(source, export):
    live(source)
    ben = source.people["ben"]
    files = export(source)
    ticket = files[f"{ROOF}/tickets/2-with-a-file/ticket.json"]["details"]
    assert [version["version"] for version in ticket["versions"]] == [1, 2]
    assert ticket["versions"][0]["created_at"] == ticket["created_at"] > 10**15
    assert [(file["file"], file["version"]) for file in ticket["attachments"]] == [("notes.txt", 1)]
    assert files[f"{ROOF}/project.json"]["details"]["last_number"] == 3
    person = files[f"users/{ben.user_id}-ben/user.json"]["details"]
    assert (person["email"], person["role"]) == (ben.email, "member")


def test_files_and_pictures_stand_beside_what_they_belong_to(source, export):
    live(source)
    ben = source.people["ben"]
    assert ben.put("/profile/avatar", Upload("avatar", PICTURE)).status == 200
    files = export(source)
    assert files[f"{ROOF}/tickets/2-with-a-file/notes.txt"] == b"\0\xff" * 1000
    assert files[f"users/{ben.user_id}-ben/avatar.webp"] == PICTURE


def test_files_of_one_name_do_not_stand_in_the_same_place(source, export):
    ada = source.people["ada"]
    project_id = ada.post("/projects", {"project": {"name": "Roof"}}).item["id"]
    open_with_file(ada, project_id, "Twice", b"first")
    raw = form(field("ticket[body]", "Again"), file(b"second"))
    assert ada.send("PUT", f"/projects/{project_id}/tickets/1", raw=raw, kind=KIND).status == 200
    files = export(source)
    kept = {name: raw for name, raw in files.items() if "/1-twice/" in name and isinstance(raw, bytes)}
    assert sorted(kept.values()) == [b"first", b"second"]


def test_a_file_whose_name_is_taken_gets_another_one():
    taken = set()
    names = [of_file(name, number, taken) for number, name in enumerate(("x.txt", "3-x.txt", "x.txt"), 1)]
    assert len({*names, TICKET, of_file(TICKET, 4, taken)}) == 5


@pytest.mark.matrix("databases")
def test_an_export_does_not_depend_on_the_size_of_batches(source, export, monkeypatch):
    live(source)
    whole = export(source)
    monkeypatch.setattr(exports, "_AT_ONCE", 1)
    pieces = export(source)
    assert pieces.pop("export.json").keys() == whole.pop("export.json").keys()
    assert pieces == whole


def test_private_bins_are_imported(source, export):
    ada, ben = source.people["ada"], source.people["ben"]
    project_id = ada.post("/projects", {"project": {"name": "Roof"}}).item["id"]
    source.join(project_id, ben)
    own = {"name": "Mine", "query": "responsible:me", "default": True}
    made = ben.post(f"/projects/{project_id}/bins", {"bin": own}).item["id"]
    found = export(source)[f"{ROOF}/bins/{made}-mine.json"]
    assert (found["ticket_bin"]["user_id"], found["ticket_bin"]["shared"]) == (ben.user_id, False)
    assert found["details"]["default_for"] == [ben.user_id]


def test_people_are_exported_without_passwords_and_tokens(source, export):
    ada, cy = source.people["ada"], source.people["cy"]
    ada.post("/projects", {"project": {"name": "Roof", "public": True}})
    cy.post("/projects/1/tickets", {"ticket": {"title": "Leak"}})
    files = export(source)
    assert files[f"users/{cy.user_id}-cy/user.json"]["details"]["role"] == ""
    said = repr(files)
    assert "argon2" not in said
    assert not any(client.headers.get("X-ServiceToken", "?") in said for client in source.people.values())


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """An export of one of two accounts in which every route was used, their names, and its host."""
    folder = tmp_path_factory.mktemp("pair")
    instance, _log = make_instance(migrated_databases.at("sqlite", folder), folder)
    two = do_everything(instance)
    here, there = (account_named(each.world) for each in (two.here, two.there))
    output(place_of(two.here.world), "export", folder / "export.tar.gz", "--account", here)
    instance.database.close()
    return folder / "export.tar.gz", here, there, two.here.world.host


def test_an_export_contains_nothing_of_another_account(pair):
    path, _, there, _ = pair
    said = repr(exported(path))
    assert "opal" in said
    assert "quartz" not in said
    assert there not in said


def plain(value):
    """What two exports of the same have in common: all but their moments, and codes of files."""
    if isinstance(value, dict):
        # Memberships of the account have no address of their own, and links are made anew.
        is_numbered_anew = "account" in value or {"kind", "ticket"} <= value.keys()
        gone = ("code", "made_at", "id" if is_numbered_anew else "")
        kept = {name: plain(each) for name, each in value.items() if name not in gone}
        return kept | {name: sorted(kept[name], key=str) for name in {"links", "link_changes"} & kept.keys()}
    return [plain(each) for each in value] if isinstance(value, list) else value


@pytest.mark.matrix("databases")
def test_exporting_an_imported_export_gives_the_same_archive(pair, target, run, tmp_path):
    path, here, _, host = pair
    first = exported(path)
    run(target, "migrate")
    run(target, "account", "add", here, "--host", host)
    run(target, "import", path, "--account", here)
    run(target, "export", tmp_path / "second.tar.gz", "--account", here)
    second = exported(tmp_path / "second.tar.gz")
    assert first.keys() == second.keys()
    for name, content in first.items():
        assert plain(content) == plain(second[name]), name
    with opened(target) as instance:
        assert differences(instance) == []


@pytest.mark.matrix("databases")
def test_an_export_under_load_is_a_prefix_of_a_later_one(source, export):
    with at_work(source):
        first = export(source)
    second = export(source)
    line = [name for name in first if "-line/tickets/" in name]
    # One opens a ticket, changes it, opens the next: what is there is the beginning of that, without a gap.
    numbers = sorted(first[name]["ticket"]["number"] for name in line)
    assert numbers == list(range(1, len(line) + 1))
    assert len(numbers) >= 5
    for name in line:
        present, later = (files[name]["ticket"]["versions"] for files in (first, second))
        assert present == later[: len(present)]
        assert len(present) == 2 or first[name]["ticket"]["number"] == len(line)


def test_an_existing_file_is_overwritten_only_by_force(small, run, tmp_path):
    path = tmp_path / "export.tar.gz"
    path.write_bytes(b"precious")
    with pytest.raises(Conflict, match="already exists"):
        run(small[0], "export", path)
    assert path.read_bytes() == b"precious"
    assert "0 projects, 0 tickets, 1 person" in run(small[0], "export", path, "--force")
    assert path.stat().st_mode & 0o777 == 0o600
    assert exported(path)["users/1-ada/user.json"]["details"]["role"] == "owner"


def test_an_export_can_go_through_a_pipe(small, run, tmp_path, monkeypatch):
    class Pipe(io.BytesIO):
        def seekable(self):
            return False

    pipe = Pipe()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(pipe, write_through=True))
    run(small[0], "export", "-")
    with tarfile.open(fileobj=io.BytesIO(pipe.getvalue())) as tar:
        assert "small/export.json" in tar.getnames()


def test_a_missing_file_is_reported_and_left_out(source, heard, tmp_path):
    live(source)
    (kept,) = [kept for batch in source.instance.blobs.list_all() for kept in batch]
    source.instance.blobs.remove([kept.key])
    said = heard(place_of(source), "export", tmp_path / "e.tar.gz", "--account", account_named(source))
    assert "0 files" in said.out
    assert "ticket 2, notes.txt, is missing or incomplete" in said.err


def test_an_account_that_is_not_there_is_not_exported(small, run, tmp_path):
    with pytest.raises(NotFound, match="no account called Elsewhere"):
        run(small[0], "export", tmp_path / "export.tar.gz", "--account", "Elsewhere")
    assert not (tmp_path / "export.tar.gz").exists()
