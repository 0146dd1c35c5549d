"""Issues of GitHub from the archive of an account's data, and as GraphQL and ``gh`` give them."""

import pytest

from skerry.errors import Invalid
from tests.cli.sources.octo import WEB, at

PICTURE = "https://github.com/user-attachments/assets/1-2"


def who(name):
    return f"https://github.com/{name}"


def event(kind, day, **more):
    place = {"type": "issue_event", "url": f"{WEB}/issues/7#event-{kind}", "issue": f"{WEB}/issues/7"}
    return {**place, "actor": who("ada"), "event": kind, "created_at": at(day), **more}


ISSUE = {
    "type": "issue",
    "url": f"{WEB}/issues/7",
    "repository": WEB,
    "user": who("ada"),
    "title": "It leaks",
    "body": "Over the stairs",
    "assignee": who("ben"),
    "assignees": [who("ben")],
    "milestone": f"{WEB}/milestones/3",
    "labels": [f"{WEB}/labels/over%20the%20stairs"],
    "reactions": [{"user": who("cy"), "content": "+1"}],
    "created_at": at(2),
    "updated_at": at(8),
    "closed_at": at(7),
}
COMMENT = {
    "type": "issue_comment",
    "url": f"{WEB}/issues/7#issuecomment-1",
    "issue": f"{WEB}/issues/7",
    "user": who("ben"),
    "body": f"![wet]({PICTURE})",
    "created_at": at(3),
}
FILE = {
    "type": "attachment",
    "url": PICTURE,
    "issue_comment": f"{WEB}/issues/7#issuecomment-1",
    "user": who("ben"),
    "asset_name": "wet.png",
    "asset_content_type": "image/png",
    "asset_url": "tarball://root/attachments/1-2/wet.png",
    "created_at": at(3),
}
MILESTONE = {
    "type": "milestone",
    "url": f"{WEB}/milestones/3",
    "user": who("ada"),
    "title": "Dry",
    "description": "No more buckets",
    "due_on": "2026-05-01T07:00:00Z",
    "created_at": at(1),
}


def person(login, **email):
    return {"type": "user", "url": who(login), "login": login, "name": login.title(), "emails": [email]}


def archive(ben, **more):
    """Return the files of an archive in which ben has a verified address, and cy another."""
    events = [
        event("labeled", 4, label=f"{WEB}/labels/over%20the%20stairs"),
        event("assigned", 5, subject=who("ben")),
        event("milestoned", 5, milestone=f"{WEB}/milestones/3"),
        event("renamed", 6, title_was="Wet", title_is="It leaks"),
        event("closed", 7),
    ]
    merge = {"type": "pull_request", "url": f"{WEB}/pull/8", "base": {}, "head": {}}
    repository = {"type": "repository", "url": WEB, "labels": [{"name": "bug", "color": "f00"}]}
    people = [
        person("ben", address=ben, primary=True, verified=True),
        person("ada", address="ada@old.example", primary=True, verified=False),
    ]
    files = {
        "attachments_000001.json": [FILE],
        "issue_comments_000001.json": [COMMENT],
        "issue_events_000001.json": events,
        "issues_000001.json": [ISSUE],
        "milestones_000001.json": [MILESTONE],
        "pull_requests_000001.json": [merge],
        "pull_request_reviews_000001.json": [{"type": "pull_request_review", "url": f"{WEB}/pull/8#1"}],
        "repositories_000001.json": [repository],
        "users_000001.json": people,
        "attachments/1-2/wet.png": b"wet",
        **more,
    }
    return {f"top/{name}": content for name, content in files.items()}


@pytest.fixture
def leak(world, write, moved):
    return moved("github", write(archive(world.people["ben"].email)))[7]


def test_an_archive_comes_with_values_history_and_people(world, leak):
    assert (leak["title"], leak["state"], leak["tag"]) == ("It leaks", "closed", '"over the stairs"')
    assert (leak["milestone_title"], leak["creator_name"]) == ("Dry", "Ada")
    assert leak["assigned_user_id"] == world.people["ben"].user_id
    changed = [sorted(each["diffable_attributes"]) for each in leak["versions"]]
    assert changed == [[], [], ["tag"], ["assigned_user", "milestone"], ["title"], ["state"]]
    assert leak["created_at"] == at(2)


def test_the_files_of_an_archive_are_those_of_their_comments(leak):
    assert [each["filename"] for each in leak["attachments"]] == ["wet.png"]
    assert leak["versions"][1]["body"] == "![wet](attachment:wet.png)"


def test_the_report_counts_what_an_archive_has_besides(world, write, move):
    files = archive("ben@new.example", **{"README": b"", "attachments/9/a.png": b""})
    said = move("github", write(files), "--dry-run")
    assert "1 person has no address in the export; for --people, their keys are: ada (Ada)" in said
    for line in (
        "1 file",
        "1 reaction: #7",
        "1 pull request: #8",
        "1 review of pull requests",
        "1 colour or description of labels: bug",
        "2 files without answers: attachments/9/a.png, top/README",
    ):
        assert f"  {line}" in said


def test_a_file_that_an_archive_lacks_is_counted(write, move):
    files = archive("ben@new.example")
    del files["top/attachments/1-2/wet.png"]
    assert "1 file is named, but not in the export: #7: wet.png" in move("github", write(files), "--dry-run")


def test_the_files_of_pull_requests_are_counted(write, move):
    other = {**FILE, "pull_request": f"{WEB}/pull/8", "issue_comment": None}
    files = archive("ben@new.example", **{"attachments_000001.json": [FILE, other]})
    assert "1 file of pull requests: #8" in move("github", write(files), "--dry-run")


def test_a_damaged_record_names_file_and_field(write, move):
    files = archive("ben@new.example", **{"issues_000001.json": [{**ISSUE, "user": {}}]})
    with pytest.raises(Invalid, match=r"issues_000001\.json, item 1: user must be a text"):
        move("github", write(files))


def printed(lists):
    """Return an issue as ``gh`` prints it, or as GraphQL gives it with ``lists`` as connections."""
    said = {"author": {"login": "ben"}, "body": "Mine too", "createdAt": at(3)}
    return {
        "number": 7,
        "title": "It leaks",
        "body": "Over the stairs",
        "state": "CLOSED",
        "stateReason": "NOT_PLANNED",
        "author": {"login": "ada", "name": "Ada Lovelace"},
        "assignees": lists([{"login": "ben", "name": ""}]),
        "labels": lists([{"name": "bug", "color": "f00"}]),
        "milestone": {"title": "Dry", "dueOn": "2026-05-01T07:00:00Z"},
        "comments": lists([said]),
        "reactionGroups": [{"content": "THUMBS_UP", "users": {"totalCount": 2}}],
        "createdAt": at(2),
        "updatedAt": at(8),
        "closedAt": at(7),
        "url": f"{WEB}/issues/7",
    }


MERGE = {"number": 8, "title": "Mend it", "state": "MERGED", "createdAt": at(2), "url": f"{WEB}/pull/8"}
GRAPHQL = printed(lambda nodes: {"nodes": nodes, "totalCount": 3})
SHAPES = {
    "gh": [printed(list), MERGE],
    "graphql": {"data": {"repository": {"issues": {"nodes": [GRAPHQL, MERGE]}}}},
}


@pytest.mark.parametrize("shape", SHAPES)
def test_issues_in_camel_case_come_with_values_and_comments(write, moved, shape):
    leak = moved("github", write({"a.json": SHAPES[shape]}))[7]
    assert (leak["title"], leak["state"], leak["tag"]) == ("It leaks", "not-planned", "bug")
    assert (leak["milestone_title"], leak["creator_name"]) == ("Dry", "Ada Lovelace")
    assert [each["body"] for each in leak["versions"]] == ["Over the stairs", "Mine too", ""]
    assert [each["user_name"] for each in leak["versions"]][1] == leak["assigned_user_name"] == "ben"


@pytest.mark.parametrize("shape", SHAPES)
def test_what_camel_case_loses_is_counted(write, move, shape):
    said = move("github", write({"a.json": SHAPES[shape]}), "--dry-run")
    assert "2 reactions: #7 (2)" in said
    assert "1 pull request: #8" in said
    assert ("2 comments that the answers do not have: #7" in said) == (shape == "graphql")
