"""An import: projects come with their history and their numbers, whole or not at all, and only once."""

import os
import signal
import subprocess
import sys
import tarfile
from itertools import accumulate, count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skerry.errors import Conflict, Invalid, Missing
from skerry.store import people
from skerry.store.archive import ArchiveError
from skerry.text.characters import mended
from tests.cli import hosted
from tests.cli.archives import account_named, differences, exported, opened, place_of
from tests.cli.hosted import packed, roof, ticket
from tests.programs import PATIENCE, ROOT, until

LEAK = "projects/31-roof/tickets/12-it-leaks/ticket.json"


@pytest.fixture
def take(source, run, tmp_path):
    """Imports an archive of some files into the world's account and gives what is said."""

    def take_files(files, *words):
        path = packed(tmp_path / "acme.tar.gz", files)
        return run(place_of(source), "import", path, "--account", account_named(source), *words)

    return take_files


def refused(take, source, files, match):
    """Say that an archive is refused, and that nothing is there after it."""
    with pytest.raises((Invalid, ArchiveError), match=match):
        take(files)
    assert source.people["ada"].get("/projects").items == []


def test_tickets_come_with_numbers_moments_and_authors(take, source):
    take(roof())
    found = source.people["ada"].get("/projects/31/tickets/12").item
    first, second = found["versions"]
    assert (first["user_name"], first["created_at"]) == ("Dora", "2009-02-11T15:58:02Z")
    assert (second["user_name"], second["created_at"]) == ("Emil", "2009-03-01T07:00:00Z")
    assert (second["version"], second["state"], second["body"]) == (3, "resolved", "")
    assert second["diffable_attributes"] == {"state": "new", "assigned_user": None}
    assert (found["updated_at"], found["tag"]) == ("2009-03-01T07:00:00Z", '"over the stairs" rain')
    assert found["milestone_title"] == "Dry"
    assert differences(source.house) == []


def test_html_is_made_anew(take, source):
    take(roof())
    found = source.people["ada"].get("/projects/31/tickets/12").item
    assert "script" not in found["body_html"] + found["versions"][0]["body_html"]
    assert 'href="/projects/31/tickets/3"' in found["body_html"]


def test_files_come_and_those_that_lack_are_counted(take, source):
    assert "1 attached files are not in the archive" in take(roof())
    ada = source.people["ada"]
    (attached,) = ada.get("/projects/31/tickets/12").item["attachments"]
    assert attached["id"] == 90
    assert ada.raw("/attachments/90/roof.txt!").body == b"tiles"


def test_what_was_imported_is_found_and_counted(take, source):
    take(roof())
    ada = source.people["ada"]
    assert [each["number"] for each in ada.get("/projects/31/tickets?q=water%20tagged:rain").items] == [12]
    assert ada.get("/projects/31").item["open_tickets_count"] == 0
    assert ada.get("/projects/31/milestones/5").item["tickets_count"] == 1
    assert ada.post("/projects/31/tickets", {"ticket": {"title": "Next"}}).item["number"] == 13


def test_who_has_a_login_here_is_who_they_are(take, source, tmp_path):
    (tmp_path / "people.csv").write_text(f"id,email,name\n7,{source.people['ben'].email.upper()},Somebody\n")
    assert "2 people were made" not in take(roof(), "--people", tmp_path / "people.csv")
    first, _ = source.people["ada"].get("/projects/31/tickets/12").item["versions"]
    assert (first["user_id"], first["user_name"]) == (source.people["ben"].user_id, "Ben")


def test_who_is_made_cannot_sign_in_before_they_get_a_password(take, source, run):
    assert "2 people were made who cannot sign in" in take(roof())
    with source.database.read(source.account_id) as transaction:
        (emil,) = [each for each in people.of_account(transaction) if each.name == "Emil"]
    assert emil.email.endswith(".invalid")
    assert source.voice(Authorization="Basic !").get("/projects").status == 401
    run(place_of(source), "user", "password", "--email", emil.email, "--password", "correct horse")
    assert source.people["ada"].get("/projects/31/memberships").items[0]["user"]["name"] == "Emil"


def test_a_project_comes_once(take, source):
    take(roof())
    assert "Project 31, Roof, is here already as project 31; it was left out" in take(roof())
    assert len(source.people["ada"].get("/projects").items) == 1


def test_an_id_that_is_taken_becomes_another_which_is_told(take, source):
    ada = source.people["ada"]
    project_id = ada.post("/projects", {"project": {"name": "Mine"}}).item["id"]
    for title in "abcde":
        ada.post(f"/projects/{project_id}/milestones", {"milestone": {"title": title}})
    said = take(roof())
    assert "1 milestones have other ids here, as theirs were taken: 5 is 6." in said
    assert ada.get("/projects/31/tickets/12").item["milestone_id"] == 6


def test_a_dry_run_changes_nothing(take, source):
    said = take(roof(), "--dry-run")
    assert said.startswith("Nothing was changed.")
    assert "Imported project 31, Roof: 1 tickets, 2 versions" in said
    assert source.people["ada"].get("/projects").items == []
    assert list(source.house.blobs.listed()) == []


def test_only_the_projects_that_are_named_come(take, source):
    other = {**hosted.PROJECT, "id": 32, "name": "Cellar", "permalink": "cellar"}
    files = roof(**{"projects/32-cellar/project.json": {"project": other}})
    take(files, "--project", "32")
    assert [each["name"] for each in source.people["ada"].get("/projects").items] == ["Cellar"]
    with pytest.raises(Missing, match="no project 33"):
        take(files, "--project", "33")


def test_what_cannot_be_kept_is_mended_and_counted(take, source):
    odd = {
        **hosted.VERSION,
        "title": None,
        "body": "red \x1b[31m" + "x" * 1_100_000,
        "state": "Frozen",
        "milestone_id": 99,
        "assigned_user_id": 98,
        "user_id": None,
        "created_at": "2999-01-01T00:00:00Z",
    }
    said = take(roof(**{LEAK: ticket(versions=[odd])}))
    for sentence in (
        "1 texts had control characters",
        "ticket.json: body is longer than 1 MiB; it ends there now.",
        "is in states",
        "times the person responsible was nobody",
        "times the milestone was none of the project",
        "1 things were made by nobody who is known",
        "without a title are called Untitled",
        "moments were missing, before 1970 or still to come",
    ):
        assert sentence.replace("is in states", "are in states that their project does not have") in said
    found = source.people["ada"].get("/projects/31/tickets/12").item
    assert (found["title"], found["state"], found["user_name"]) == ("Untitled", "Frozen", "Unknown")
    assert found["body"].startswith("red \ufffd[31m")
    assert differences(source.house) == []


def test_tags_that_are_too_long_in_small_letters_are_left_out_and_counted(take, source):
    tag = " ".join(["rain", "\u0130" * 100, "x" * 120])
    said = take(roof(**{LEAK: ticket(versions=[{**hosted.VERSION, "tag": tag}])}))
    assert "texts of tags were too long; they have fewer tags now" in said
    assert source.people["ada"].get("/projects/31/tickets/12").item["tag"] == f"rain {'x' * 100}"


def test_tags_in_quotes_that_are_too_long_come_as_words(take, source):
    take(roof(**{LEAK: ticket(versions=[{**hosted.VERSION, "tag": '"' + "abc def " * 60 + '"'}])}))
    assert source.people["ada"].get("/projects/31/tickets/12").item["tag"] == "abc def"


def test_names_in_an_archive_do_not_become_lines_of_the_report(take, source):
    forged = {"project": {**hosted.PROJECT, "name": "Roof\nImported 99 projects.\x9b31m"}}
    said = take(roof(**{"projects/31-roof/project.json": forged}))
    assert "\nImported 99" not in said
    assert "\x9b" not in said
    with pytest.raises(Invalid, match="31-roof/bins/4-\ufffdx"):
        take(roof(**{"projects/31-roof/bins/4-\nx.json": b"{"}))


@pytest.mark.parametrize("options", [("--dry-run",), ()])
def test_who_becomes_more_than_a_member_is_named(take, source, options):
    eve = {"user": {"id": 9, "name": "Eve"}, "details": {"email": "eve@example.org", "role": "owner"}}
    said = take(roof(**{"users/9-eve/user.json": eve}), *options)
    assert "Eve, eve@example.org, got the role owner in the account." in said
    assert "1 people got a role in the account." in said


def test_what_macos_puts_beside_files_is_left_out(take, source):
    beside = ("milestones/._5-dry.json", "tickets/12-it-leaks/._ticket.json", "._project.json")
    take(roof(**{f"projects/31-roof/{name}": b"\0\5\x16\7" for name in beside}))
    ada = source.people["ada"]
    assert len(ada.get("/projects/31/milestones").items) == 1
    assert len(ada.get("/projects/31/tickets/12").item["attachments"]) == 1


WRONG = {
    "a text for a number": (
        {LEAK: ticket(importance="many")},
        "12-it-leaks/ticket.json: Importance must be a whole",
    ),
    "a wrong moment of a version": (
        {LEAK: ticket(versions=[hosted.VERSION, {**hosted.REPLY, "created_at": "soon"}], created_at=None)},
        "ticket.json, versions 2: Created at must be a date",
    ),
    "no object": ({LEAK: {"tickets": []}}, 'ticket.json cannot be used: it holds no object called "ticket"'),
    "no JSON": ({LEAK: b"{"}, "12-it-leaks/ticket.json cannot be used: The JSON cannot be read"),
    "too deep": ({LEAK: b'{"ticket":' + b"[" * 9999}, "ticket.json cannot be used: It is nested more than"),
    "versions of one number": (
        {LEAK: ticket(versions=[hosted.VERSION, hosted.VERSION])},
        "version 1 stands in two places",
    ),
    "one membership of two people": (
        {
            "projects/31-roof/memberships.json": {
                "memberships": [{"membership": {"id": 70, "user_id": user_id}} for user_id in (7, 8)]
            }
        },
        "31-roof/memberships.json: id 70 stands in two places",
    ),
    "a membership of a number below all": (
        {"projects/31-roof/memberships.json": {"memberships": [{"membership": {"id": -8, "user_id": 7}}]}},
        "31-roof/memberships.json: id must be a whole number from 1",
    ),
    "another number": ({LEAK: ticket(number=13)}, "12-it-leaks/ticket.json: Number must be 12"),
    "one number twice": (
        {"projects/31-roof/tickets/12-again/ticket.json": ticket()},
        "12-again/ticket.json cannot be used: .* stands in the same place",
    ),
    "a number beyond all": (
        {f"projects/31-roof/tickets/{10**17}-x/ticket.json": ticket(10**17)},
        "number must be a whole number from 1",
    ),
    "no project": ({"projects/31-roof/project.json": None}, "its project.json is missing"),
    "a way out": ({"projects/31-roof/tickets/12-x/../../../etc": b"x"}, "its name leads elsewhere"),
    "nothing": (dict.fromkeys(roof()), "no archive of an export"),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_archive_that_cannot_be_used_is_refused_by_file_and_field(take, source, name):
    files, match = WRONG[name]
    refused(take, source, roof(**files), match)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_are_refused(small, run, tmp_path, kind):
    info = tarfile.TarInfo("acme/projects/31-roof/tickets/12-it-leaks/roof.txt.2")
    info.type, info.linkname = kind, "/etc/passwd"
    with pytest.raises(ArchiveError, match=r"roof.txt.2 is no plain file"):
        run(small[0], "import", packed(tmp_path / "acme.tar.gz", roof(), info))


@pytest.mark.parametrize("damage", [lambda _: b"no archive", lambda raw: raw[:-200]])
def test_what_is_no_whole_archive_is_refused(small, run, tmp_path, damage):
    path = packed(tmp_path / "acme.tar.gz", roof())
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ArchiveError, match="archive cannot be read"):
        run(small[0], "import", path)


def test_roles_come_and_nobody_gets_another_one(take, source):
    mine, ben = source.people["ada"], source.people["ben"]
    details = {"role": "owner", "email": ben.email}
    files = {
        "users/7-x/user.json": {"user": {"id": 7, "name": "Ben"}, "details": details},
        "users/8-x/user.json": {"user": {"id": 8, "name": "Emil"}, "details": {"role": "administrator"}},
    }
    assert "1 people got a role in the account" in take(roof(**files))
    roles = {each["name"]: each["role"] for each in mine.get("/people").items}
    assert (roles["Ben"], roles["Emil"]) == ("member", "administrator")


def test_changesets_do_not_act_on_tickets_again(take, source):
    said = {"revision": "4f1c2d9", "body": "[#12 state:open]", "user_id": 7, "changed_at": hosted.MOMENT}
    take(roof(**{"projects/31-roof/changesets/4f1c2d9.json": {"changeset": said}}))
    assert source.people["ada"].get("/projects/31/changesets/4f1c2d9").status == 200
    assert source.people["ada"].get("/projects/31/tickets/12").item["state"] == "resolved"


def test_another_account_sees_nothing_of_it(take, source):
    take(roof())
    with source.house.database.read(source.account_id - 1) as transaction:
        assert people.of_account(transaction) == []
    assert source.people["ada"].get("/projects/31").status == 200


def test_a_server_shows_what_was_imported_in_the_place_of_something_removed(take, source):
    ada = source.people["ada"]
    take(roof())
    before = ada.get("/projects/31/tickets/12").item
    assert ada.delete("/projects/31").status == 200
    take(roof(**{LEAK: ticket(versions=[{**hosted.VERSION, "body": "Other"}, hosted.REPLY])}))
    after = ada.get("/projects/31/tickets/12").item
    assert (before["body"], after["body"]) == ("Water, see #3", "Other")


def test_an_import_that_is_killed_leaves_nothing_of_its_project(source, take, tmp_path):
    versions = [{**hosted.VERSION, "body": "word " * 3000}]
    many = {f"projects/31-roof/tickets/{n}-x/ticket.json": ticket(n, versions) for n in range(100, 400)}
    path = packed(tmp_path / "acme.tar.gz", roof(**many))
    folder, url = place_of(source)
    words = (sys.executable, "-m", "skerry", "--data", str(folder), "--database", url)
    running = subprocess.Popen(
        [*words, "import", str(path), "--account", account_named(source)], cwd=ROOT, stdout=subprocess.DEVNULL
    )
    until(lambda: list(source.house.blobs.listed()), "the first file")
    os.kill(running.pid, signal.SIGKILL)
    running.wait(PATIENCE)
    assert source.people["ada"].get("/projects").items == []
    assert "Imported project 31, Roof: 301 tickets" in take(roof(**many))
    # The file that was left behind is too young for the sweep, and for the deep check.
    assert differences(source.house) == []


def test_what_fails_midway_is_undone_with_its_files(take, source, monkeypatch):
    def fail(*_):
        raise Conflict("The disk is full")

    monkeypatch.setattr("skerry.store.search_index.index_several", fail)
    with pytest.raises(Conflict, match="full"):
        take(roof())
    assert source.people["ada"].get("/projects").items == []
    assert [kept for batch in source.house.blobs.listed() for kept in batch] == []


def plain(value):
    """What two exports of the same have in common: all but their moments, and codes of files."""
    if isinstance(value, dict):
        # Memberships of the account have no address of their own.
        gone = ("code", "made_at", "id" if "account" in value else "")
        return {name: plain(each) for name, each in value.items() if name not in gone}
    return [plain(each) for each in value] if isinstance(value, list) else value


def test_what_was_exported_imported_and_exported_again_is_the_same(town_place, target, run, tmp_path):
    place, here, _, host = town_place
    run(place, "export", tmp_path / "first.tar.gz", "--account", here)
    first = exported(tmp_path / "first.tar.gz")
    run(target, "migrate")
    run(target, "account", "add", here, "--host", host)
    run(target, "import", tmp_path / "first.tar.gz", "--account", here)
    run(target, "export", tmp_path / "second.tar.gz", "--account", here)
    second = exported(tmp_path / "second.tar.gz")
    assert first.keys() == second.keys()
    for name, content in first.items():
        assert plain(content) == plain(second[name]), name
    with opened(target) as house:
        assert differences(house) == []


def texts(most):
    return st.text(st.characters(codec="utf-8"), max_size=most)


_names = count(1)

VERSIONS = st.lists(
    st.fixed_dictionaries(
        {
            "title": texts(300),
            "state": st.sampled_from(["new", "OPEN", "resolved", "in review", "", None]),
            "closed": st.booleans(),
            "tag": st.none() | texts(120),
            "body": st.none() | texts(50),
            "assigned_user_id": st.sampled_from([None, 0, 7, 8, 99]),
            "milestone_id": st.sampled_from([None, 5, 6]),
            "importance": st.sampled_from([None, 0, 3, 10**9, "2"]),
            "user_id": st.sampled_from([None, 7, 8, 99]),
            "created_at": st.sampled_from([hosted.MOMENT, hosted.LATER, "1950-01-01", None]),
            "watchers_ids": st.sampled_from([None, [], [7, 7], [99, 8]]),
        }
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(versions=VERSIONS, gaps=st.lists(st.integers(1, 3), min_size=5, max_size=5))
def test_any_history_comes_whole(small, run, tmp_path, versions, gaps):
    called = f"roof-{next(_names)}"
    numbers = [1, *accumulate(gaps, initial=2)]
    said = [{**each, "version": number} for each, number in zip(versions, numbers, strict=False)]
    project = {"project": {**hosted.PROJECT, "permalink": called}}
    files = roof(**{LEAK: ticket(versions=said), "projects/31-roof/project.json": project})
    packed(tmp_path / "acme.tar.gz", files)
    assert "1 tickets" in run(small[0], "import", tmp_path / "acme.tar.gz", "--project", "31")
    with opened(small[0]) as house:
        assert differences(house) == []
    run(small[0], "export", tmp_path / "after.tar.gz", "--force")
    after = exported(tmp_path / "after.tar.gz")
    (kept,) = [
        next(after[each] for each in after if each.startswith(name.replace("project.json", "tickets/12")))
        for name, content in after.items()
        if name.endswith("project.json") and content["project"]["permalink"] == called
    ]
    kept = kept["ticket"]["versions"]
    assert [each["version"] for each in kept] == [each["version"] for each in said]
    assert [each["body"] for each in kept] == [mended(each["body"] or "") for each in said]
