"""The shapes that archives of other tools have: null or 0 for nothing, resources without their names."""

import sqlite3

import pytest

from skerry.errors import Invalid
from tests.cli import hosted
from tests.cli.hosted import LEAK, packed, roof, ticket

FOLDER = "projects/31-roof"
PROJECT = f"{FOLDER}/project.json"
MEMBERS = f"{FOLDER}/memberships.json"
AT = {"created_at": hosted.TIMESTAMP, "updated_at": hosted.TIMESTAMP, "user_id": 7}
OTHERS = {
    f"{FOLDER}/bins/4-open.json": {"ticket_bin": {"id": 4, "name": "Open", "query": "state:open", **AT}},
    f"{FOLDER}/messages/6-hello.json": {
        "message": {"id": 6, "title": "Hello", "body": "Well", "comments": [{"id": 7, **AT}], **AT}
    },
    f"{FOLDER}/changesets/4f1c2d9.json": {
        "changeset": {"revision": "4f1c2d9", "title": "Nails", "changed_at": hosted.TIMESTAMP, "user_id": 7}
    },
}


def bare(files):
    """The files as a tool writes them that sends what it read without the names of the resources."""
    found = {}
    for name, content in files.items():
        inner = next(iter(content.values())) if isinstance(content, dict) else content
        lists = isinstance(inner, list)
        found[name] = [next(iter(each.values())) for each in inner] if lists else inner
    return found


def project(**more):
    return {PROJECT: {"project": {**hosted.PROJECT, **more}}}


@pytest.mark.parametrize("nothing", [None, 0])
def test_a_project_without_a_default_assignee_keeps_having_none(take, source, nothing):
    # Nobody is known who made the milestone.
    files = roof(**project(default_assigned_user_id=nothing, default_milestone_id=nothing), **{MEMBERS: None})
    assert "gave new tickets" not in take(files)
    ada = source.people["ada"]
    found = ada.get("/projects/31").item
    assert (found["default_assigned_user_id"], found["default_milestone_id"]) == (None, None)
    made = ada.post("/projects/31/tickets", {"ticket": {"title": "New"}}).item
    assert (made["assigned_user_id"], made["milestone_id"]) == (None, None)


def test_an_imported_project_takes_mail_from_its_members_alone(take, source):
    take(roof())
    assert source.people["ada"].get("/projects/31/settings").item["mail_from_anyone"] is False


def test_nobody_is_0_in_some_archives(take, source):
    nobody = {"assigned_user_id": 0, "milestone_id": 0, "watchers_ids": [0, 7]}
    old = {"diffable_attributes": {"assigned_user": 0, "milestone": 0}}
    versions = [{**hosted.VERSION, **nobody}, {**hosted.REPLY, **nobody, **old, "user_id": 0}]
    said = take(roof(**{LEAK: ticket(versions=versions), MEMBERS: [{"id": 70, "user_id": 0}]}))
    assert "assignee" not in said
    assert "watcher" not in said
    found = source.people["ada"].get("/projects/31/tickets/12").item
    assert (found["assigned_user_id"], found["milestone_id"], len(found["watchers_ids"])) == (None, None, 1)
    last = found["versions"][-1]
    assert (last["user_name"], last["diffable_attributes"]) == (
        "Unknown",
        {"assigned_user": None, "milestone": None},
    )
    assert source.people["ada"].get("/projects/31/memberships").items == []


@pytest.mark.parametrize("content", [{"ticket": None}, b"null"], ids=["wrapped", "bare"])
def test_a_null_ticket_is_left_out_and_counted_and_its_number_is_not_reused(take, source, content):
    folder = f"{FOLDER}/tickets/14-gone"
    said = take(roof(**{f"{folder}/ticket.json": content, f"{folder}/roof.txt": b"tiles"}))
    assert "1 ticket is null in the archive and was left out." in said
    assert "1 file beside a ticket is not attached" in said
    ada = source.people["ada"]
    assert [each["number"] for each in ada.get("/projects/31/tickets").items] == [12]
    assert ada.post("/projects/31/tickets", {"ticket": {"title": "Next"}}).item["number"] == 15


def test_other_null_values_are_left_out_and_counted(take, source):
    nulls = {name: dict.fromkeys(content) for name, content in OTHERS.items()}
    versions = ticket(versions=[hosted.VERSION, hosted.REPLY])
    versions["ticket"]["versions"].append(None)
    said = take(
        roof(
            **{
                **nulls,
                f"{FOLDER}/milestones/6-x.json": b"null",
                MEMBERS: {"memberships": [{"membership": None}]},
                "users/9-x/user.json": {"user": None},
                LEAK: versions,
            }
        )
    )
    for what in ("milestone", "bin", "message", "changeset", "person"):
        assert f"1 {what} is null in the archive and was left out." in said
    assert "2 entries of lists were null; they were left out." in said
    assert len(source.people["ada"].get("/projects/31/tickets/12").item["versions"]) == 2


def test_resources_without_their_names_are_read_as_those_with_them(take, source):
    lost = {"attachment": None, "image": {**hosted.FILE, "id": 91, "filename": "lost.png"}}
    leak = ticket(attachments=[{"attachment": hosted.FILE, "image": None}, lost])
    files = roof(**{LEAK: leak}, **OTHERS)
    said = take(bare({**files, "plan.json": {"plan": {}}}))
    assert "1 ticket, 2 versions, 1 attachment, 1 milestone, 2 messages, 1 changeset, 1 bin." in said
    ada = source.people["ada"]
    assert ada.get("/projects/31").item["open_states_list"] == "new,open"
    shown = ada.get("/projects/31/tickets/12").item
    assert [each["user_name"] for each in shown["versions"]] == ["Dora", "Emil"]
    assert (shown["milestone_title"], shown["attachments_count"]) == ("Dry", 1)
    assert ada.get("/projects/31/memberships").items == []
    assert ada.get("/projects/31/messages/6").item["comments_count"] == 1
    assert ada.get("/projects/31/changesets/4f1c2d9").item["title"] == "Nails"


@pytest.mark.parametrize("content", [[], [{"number": 12}], {}, {"errors": ["No"]}, {"ticket": 3}, b'"x"'])
def test_an_invalid_ticket_is_refused_by_name(take, content):
    with pytest.raises(Invalid, match=r'ticket.json cannot be used: it contains no object called "ticket"'):
        take(roof(**{LEAK: content}))


@pytest.mark.parametrize("said", [{"body": "Drips"}, {"original_body": "Drips"}, {"latest_body": "Drips"}])
def test_a_ticket_without_versions_is_its_own_first_one(take, source, said):
    alone = {**ticket()["ticket"], "versions": [], "body": None, **said}
    take(roof(**{LEAK: {"ticket": alone}}))
    (version,) = source.people["ada"].get("/projects/31/tickets/12").item["versions"]
    assert (version["version"], version["body"], version["user_name"]) == (1, "Drips", "Dora")


def test_the_oldest_version_of_a_ticket_is_the_first_one(take, source):
    later = {**hosted.VERSION, "version": 2}
    take(roof(**{LEAK: ticket(versions=[later, hosted.REPLY])}))
    versions = source.people["ada"].get("/projects/31/tickets/12").item["versions"]
    assert [version["version"] for version in versions] == [1, 3]


def test_the_priority_of_old_archives_is_the_importance(take, source):
    old = [
        {name: value for name, value in each.items() if name != "importance"}
        for each in (
            {**hosted.VERSION, "priority": 3},
            {**hosted.REPLY, "priority": 1, "diffable_attributes": {"priority": 3}},
        )
    ]
    new = {**hosted.VERSION, "importance": 2, "priority": 9999}
    newer = LEAK.replace("12-", "13-")
    take(roof(**{LEAK: ticket(versions=old), newer: ticket(number=13, versions=[new])}))
    ada = source.people["ada"]
    found = ada.get("/projects/31/tickets/12").item
    assert (found["importance"], [each["importance"] for each in found["versions"]]) == (1, [3, 1])
    assert found["versions"][1]["diffable_attributes"] == {"importance": 3}
    assert [each["number"] for each in ada.get("/projects/31/tickets?q=importance:1").items] == [12]
    assert ada.get("/projects/31/tickets/13").item["importance"] == 2


@pytest.mark.parametrize(("said", "names"), [(None, ["Dora", "Emil"]), ([], []), ([8], ["Emil"])])
def test_a_ticket_without_watchers_in_the_archive_has_those_of_its_newest_version(take, source, said, names):
    take(roof(**{LEAK: ticket(watchers_ids=said)}))
    ada = source.people["ada"]
    found = ada.get("/projects/31/tickets/12").item
    assert [ada.get(f"/users/{each}").item["name"] for each in found["watchers_ids"]] == names
    watched = [len(ada.get(f"/projects/31/tickets?q=watched:{name}").items) for name in ("Dora", "Emil")]
    assert watched == [names.count("Dora"), names.count("Emil")]


def test_the_log_of_sqlite_is_empty_after_an_import(small, run, tmp_path):
    (folder, _), _ = small
    # Whoever is the last to close the database takes the log away.
    another = sqlite3.connect(folder / "skerry.sqlite3")
    another.execute("SELECT count(*) FROM tickets").fetchone()
    run(small[0], "import", packed(tmp_path / "acme.tar.gz", roof()))
    assert (folder / "skerry.sqlite3-wal").stat().st_size == 0
    another.close()


@pytest.mark.parametrize("names", [("importance", "importance_name"), ("priority", "priority_name")])
def test_levels_of_importance_are_those_that_tickets_name(take, source, names):
    number, name = names
    version = {key: value for key, value in hosted.VERSION.items() if key not in ("importance", "priority")}
    take(roof(**{LEAK: ticket(versions=[version], **{number: 2, name: "Not so high/low"})}))
    ada = source.people["ada"]
    assert ada.get("/projects/31/settings").item["importance_levels"] == "2 Not so high low/5f6b7a"
    found = ada.get("/projects/31/tickets/12").item
    assert (found["importance"], found["importance_name"]) == (2, "Not so high low")


def test_a_project_without_named_importances_has_no_levels(take, source):
    take(roof())
    assert source.people["ada"].get("/projects/31/settings").item["importance_levels"] == ""


def test_unreadable_levels_of_importance_are_said_and_left_out(take, source):
    said = take(roof(**project(importance_levels="High")))
    assert "1 project has unreadable levels of importance" in said
    assert source.people["ada"].get("/projects/31/settings").item["importance_levels"] == ""


def test_due_dates_are_kept_and_unreadable_ones_are_said(take, source):
    old = {"due_on": "later", "diffable_attributes": {"due_on": "never"}}
    versions = [{**hosted.VERSION, "due_on": "2027-01-31"}, {**hosted.REPLY, **old}]
    said = take(roof(**{LEAK: ticket(versions=versions, due_on="soon")}))
    assert "3 values of due_on could not be read" in said
    found = source.people["ada"].get("/projects/31/tickets/12").item
    assert found["versions"][1]["diffable_attributes"] == {"due_on": None}
    assert [version["due_on"] for version in found["versions"]] == ["2027-01-31", None]
    assert found["due_on"] is None


@pytest.mark.matrix("databases")
def test_templates_are_imported_as_far_as_they_can_be(take, source):
    templates = [
        {"id": 4, "name": "Leak", "title": "Leak: ", "tag": "Rain", "body": None, "assigned_user_id": 8},
        {"name": "LEAK"},
        {"name": "Wet", "tag": "x" * 200, "assigned_user_id": 99},
        {"name": " "},
        *({"name": f"Wet {number}"} for number in range(49)),
    ]
    listed = {"templates": [{"template": each} for each in templates]}
    said = take(roof(**{f"{FOLDER}/templates.json": listed}))
    assert "3 templates of tickets have no name, the name of another one, or are one too many" in said
    found = source.people["ada"].get("/projects/31/templates").items
    by_name = {each["name"]: each for each in found}
    assert (len(found), by_name["Leak"]["id"], by_name["Leak"]["tag"]) == (50, 4, "rain")
    assert (by_name["Leak"]["assigned_user_id"] is None, by_name["Wet"]["assigned_user_id"]) == (False, None)
    assert by_name["Wet"]["tag"] == ""
