"""Imports: projects with their history and numbers, completely or not at all, and only once."""

import os
import shutil
import time
from itertools import accumulate, count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skerry.errors import NotFound
from skerry.store.people import people
from skerry.text.characters import replace_invalid
from tests.cli import hosted
from tests.cli.archives import account_named, differences, empty_place, exported, opened, place_of
from tests.cli.hosted import LEAK, packed, roof, ticket

SECONDS = float(os.environ.get("SKERRY_FUZZ_SECONDS", "60"))


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
    assert differences(source.instance) == []


def test_an_import_notifies_nobody(take, source):
    ada = source.people["ada"]
    before = ada.get("/events?limit=100").items
    take(roof())
    ada.put("/projects/31", {"project": {"name": "Gable"}})
    assert [event["type"] for event in ada.get("/events?limit=100").items[len(before) :]] == [
        "project.updated"
    ]


def test_quoted_text_of_a_comment_is_exported_and_imported(take, source, run, tmp_path):
    details = {"versions": [{"version": 3, "quoted_body": "> Since \0 when?"}]}
    take(roof(**{LEAK: {**ticket(), "details": details}}))
    version = source.people["ada"].get("/projects/31/tickets/12/versions/3").item
    assert version["quoted_body"] == "> Since \N{REPLACEMENT CHARACTER} when?"
    file = tmp_path / "export.tar.gz"
    run(place_of(source), "export", file, "--account", account_named(source))
    (found,) = [content for name, content in exported(file).items() if name.endswith("/ticket.json")]
    assert found["details"]["versions"][1]["quoted_body"] == version["quoted_body"]


def test_html_is_made_anew(take, source):
    take(roof())
    found = source.people["ada"].get("/projects/31/tickets/12").item
    assert "script" not in found["body_html"] + found["versions"][0]["body_html"]
    assert 'href="/projects/31/tickets/3"' in found["body_html"]


def test_files_are_imported_and_missing_ones_are_counted(take, source):
    assert "1 attached file is not in the archive" in take(roof())
    ada = source.people["ada"]
    (attached,) = ada.get("/projects/31/tickets/12").item["attachments"]
    assert attached["id"] == 90
    assert ada.raw("/attachments/90/roof.txt!").body == b"tiles"


def test_a_file_belongs_to_the_version_of_its_person_and_moment_or_the_last_before_it(take, source):
    versions = [hosted.VERSION, {**hosted.REPLY, "version": 2, "user_id": 7}, hosted.REPLY]
    came = [
        (hosted.TIMESTAMP, 8),
        (hosted.LATER, 7),
        (hosted.LATER, 8),
        ("2010-01-01T00:00:00Z", 7),
        (None, 7),
    ]
    files = [
        {**hosted.FILE, "id": number, "filename": f"{number}", "created_at": at, "uploader_id": user_id}
        for number, (at, user_id) in enumerate(came, 1)
    ]
    beside = {LEAK.replace("ticket.json", each["filename"]): b"x" for each in files}
    take(roof(**{LEAK: ticket(versions=versions, attachments=files)}, **beside))
    shown = source.people["ada"].get("/projects/31/tickets/12").item["versions"]
    # Counted are the files of the versions before.
    assert [each["attachments_count"] for each in shown] == [0, 2, 3]


def test_a_file_of_the_same_second_as_a_version_of_somebody_else_belongs_to_that_version(take, source):
    moments = (hosted.TIMESTAMP, hosted.LATER, "2012-01-01T00:00:00Z")
    versions = [
        {**hosted.REPLY, "version": number, "created_at": at, "updated_at": at, "user_id": 8}
        for number, at in enumerate(moments, 1)
    ]
    file = {**hosted.FILE, "created_at": hosted.LATER, "uploader_id": 7}
    take(roof(**{LEAK: ticket(versions=versions, attachments=[file])}))
    shown = source.people["ada"].get("/projects/31/tickets/12").item["versions"]
    assert [each["attachments_count"] for each in shown] == [0, 0, 1]


def on_wall(*moments):
    """The files of one more project, with a ticket for each moment of its last change."""
    project = {**hosted.PROJECT, "id": 32, "name": "Wall", "permalink": "wall"}
    versions = [
        {**hosted.VERSION, "milestone_id": None, "created_at": at, "updated_at": at} for at in moments
    ]
    of_tickets = {
        f"projects/32-wall/tickets/{number}-x/ticket.json": ticket(number, [version])
        for number, version in enumerate(versions, 1)
    }
    return {"projects/32-wall/project.json": {"project": project}, **of_tickets}


@pytest.mark.matrix("databases")
def test_words_are_found_in_the_order_of_the_list_among_what_was_here_and_what_came(take, source):
    ada = source.people["ada"]
    here = ada.post("/projects", {"project": {"name": "Here"}}).item["id"]
    ada.post(f"/projects/{here}/tickets", {"ticket": {"title": "Water"}})
    moments = ("2010-01-01T00:00:00Z", "2009-02-20T00:00:00Z", "2008-01-01T00:00:00Z")
    take(roof(**on_wall(*moments)))
    found = [(each["project_id"], each["number"]) for each in ada.get("/tickets?q=water").items]
    assert found == [(here, 1), (32, 1), (31, 12), (32, 2), (32, 3)]
    assert differences(source.instance) == []
    ada.put("/projects/32/tickets/3", {"ticket": {"state": "open"}})
    assert ada.get("/tickets?q=water").items[0]["project_id"] == 32


@pytest.mark.matrix("databases")
def test_imported_tickets_are_found_and_counted(take, source):
    take(roof())
    ada = source.people["ada"]
    assert [each["number"] for each in ada.get("/projects/31/tickets?q=water%20tagged:rain").items] == [12]
    assert ada.get("/projects/31").item["open_tickets_count"] == 0
    assert ada.get("/projects/31/milestones/5").item["tickets_count"] == 1
    assert ada.post("/projects/31/tickets", {"ticket": {"title": "Next"}}).item["number"] == 13


def test_a_project_is_imported_once(take, source):
    take(roof())
    assert "Project 31, Roof, already exists as project 31 and was skipped" in take(roof())
    assert len(source.people["ada"].get("/projects").items) == 1


def test_an_id_in_use_is_replaced_and_reported(take, source):
    ada = source.people["ada"]
    project_id = ada.post("/projects", {"project": {"name": "Mine"}}).item["id"]
    for title in "abcde":
        ada.post(f"/projects/{project_id}/milestones", {"milestone": {"title": title}})
    said = take(roof())
    assert "1 milestone has a new id, because the old one was taken: 5 is 6." in said
    assert ada.get("/projects/31/tickets/12").item["milestone_id"] == 6


def test_a_dry_run_changes_nothing(take, source):
    said = take(roof(), "--dry-run")
    assert said.startswith("Nothing was changed.")
    assert "Imported project 31, Roof: 1 ticket, 2 versions" in said
    assert source.people["ada"].get("/projects").items == []
    assert list(source.instance.blobs.list_all()) == []


def test_only_the_projects_that_are_named_come(take, source):
    other = {**hosted.PROJECT, "id": 32, "name": "Cellar", "permalink": "cellar"}
    files = roof(**{"projects/32-cellar/project.json": {"project": other}})
    take(files, "--project", "32")
    assert [each["name"] for each in source.people["ada"].get("/projects").items] == ["Cellar"]
    with pytest.raises(NotFound, match="no project 33"):
        take(files, "--project", "33")


def test_a_list_of_files_that_was_cut_off_is_kept_as_far_as_it_goes_and_counted(take, source):
    said = {
        "4f1c2d9": "- - A\n  - /roof\n- - M\n",
        "5a1c2d9": "- - A\n  - /roof\n",
        "6b1c2d9": "- - A\n  - {}\n",
    }
    files = {
        f"projects/31-roof/changesets/{each}.json": {"changeset": {"revision": each, "changes": changes}}
        for each, changes in said.items()
    }
    report = " ".join(take(roof(**files)).split())
    assert "1 changeset has a code without a path, as where the earlier tracker cut off a list" in report
    assert "1 changeset has an unreadable list of files" in report
    ada = source.people["ada"]
    for revision in ("4f1c2d9", "5a1c2d9"):
        found = ada.get(f"/projects/31/changesets/{revision}").item["changes"]
        assert found == [["A", "/roof"]]


def test_changesets_do_not_act_on_tickets_again(take, source):
    said = {"revision": "4f1c2d9", "body": "[#12 state:open]", "user_id": 7, "changed_at": hosted.TIMESTAMP}
    take(roof(**{"projects/31-roof/changesets/4f1c2d9.json": {"changeset": said}}))
    assert source.people["ada"].get("/projects/31/changesets/4f1c2d9").status == 200
    assert source.people["ada"].get("/projects/31/tickets/12").item["state"] == "resolved"


def test_another_account_does_not_see_an_import(take, source):
    take(roof())
    with source.instance.database.read(source.account_id - 1) as transaction:
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
            "created_at": st.sampled_from([hosted.TIMESTAMP, hosted.LATER, "1950-01-01", None]),
            "watchers_ids": st.sampled_from([None, [], [7, 7], [99, 8]]),
        }
    ),
    min_size=1,
    max_size=5,
)


def come_whole(small, run, tmp_path, examples):
    """Import so many histories that were made up, and compare what is exported then."""

    @given(versions=VERSIONS, gaps=st.lists(st.integers(1, 3), min_size=5, max_size=5))
    @settings(max_examples=examples, deadline=None, database=None)
    def came(versions, gaps):
        check_came(small, run, tmp_path, versions, gaps)

    came()


def test_any_history_is_imported_whole(small, run, tmp_path):
    come_whole(small, run, tmp_path, 4)


@pytest.mark.fuzz
def test_for_a_long_time_any_history_is_imported_whole(smallest, run, tmp_path):
    until, rounds = time.monotonic() + SECONDS, count(1)
    while time.monotonic() < until:
        # Each example stays in the database and in what is exported.
        folder = shutil.copytree(smallest, tmp_path / f"{next(rounds)}")
        come_whole((empty_place("sqlite", folder / "small"),), run, folder, 15)


def check_came(small, run, tmp_path, versions, gaps):
    called = f"roof-{next(_names)}"
    numbers = [1, *accumulate(gaps, initial=2)]
    said = [{**each, "version": number} for each, number in zip(versions, numbers, strict=False)]
    project = {"project": {**hosted.PROJECT, "permalink": called}}
    files = roof(**{LEAK: ticket(versions=said), "projects/31-roof/project.json": project})
    packed(tmp_path / "acme.tar.gz", files)
    assert " 1 ticket with" in run(small[0], "import", tmp_path / "acme.tar.gz", "--project", "31")
    with opened(small[0]) as instance:
        assert differences(instance) == []
    run(small[0], "export", tmp_path / "after.tar.gz", "--force")
    after = exported(tmp_path / "after.tar.gz")
    (kept,) = [
        next(after[each] for each in after if each.startswith(name.replace("project.json", "tickets/12")))
        for name, content in after.items()
        if name.endswith("project.json") and content["project"]["permalink"] == called
    ]
    kept = kept["ticket"]["versions"]
    assert [each["version"] for each in kept] == [each["version"] for each in said]
    assert [each["body"] for each in kept] == [replace_invalid(each["body"] or "") for each in said]
