"""Repositories of GitHub, from the answers of its REST interface."""

import io
import json
import tarfile

import pytest

from skerry.errors import Invalid
from tests.cli.sources import octo

PULL = "[#4](https://github.com/octo/roof/pull/4)"


@pytest.fixture
def answers(write):
    return write(octo.ANSWERS)


def test_issues_come_with_numbers_values_people_and_moments(answers, moved):
    tickets = moved("github", answers)
    assert list(tickets) == [7, 9]
    leak = tickets[7]
    assert (leak["title"], leak["state"], leak["closed"]) == ("It leaks", "not-planned", True)
    assert (leak["creator_name"], leak["assigned_user_name"]) == ("Ada Lovelace", "ben")
    assert (leak["tag"], leak["milestone_title"]) == ('bug "over the stairs" task', "Dry")
    assert (leak["created_at"], leak["updated_at"]) == (octo.at(2), octo.at(9))
    assert len(leak["watchers_ids"]) == 3
    assert [(link["kind"], link["number"]) for link in tickets[9]["links"]] == [("parent", 7)]


def test_events_become_versions(answers, moved):
    versions = moved("github", answers)[7]["versions"]
    told = [(each["user_name"], each["created_at"], each["diffable_attributes"]) for each in versions]
    assert [(name, when[8:10], sorted(old)) for name, when, old in told] == [
        ("Ada Lovelace", "02", []),
        ("ben", "03", []),
        ("Ada Lovelace", "03", ["tag"]),
        ("Ada Lovelace", "04", ["tag"]),
        ("cy", "05", ["assigned_user", "milestone"]),
        ("Ada Lovelace", "06", ["title"]),
        ("Ada Lovelace", "07", ["state"]),
        ("ben", "07", ["state"]),
        ("Ada Lovelace", "08", ["state"]),
    ]
    assert [each["title"] for each in versions][4:6] == ["Wet", "It leaks"]
    assert [each["state"] for each in versions][5:] == ["open", "closed", "open", "not-planned"]
    assert versions[1]["body"] == 'Mine too, @"Ada Lovelace"'


def test_references_keep_their_meaning(answers, moved):
    leak = moved("github", answers)[7]
    commit = f"[{octo.SHA[:10]}]({octo.WEB}/commit/{octo.SHA})"
    gone = f"[#5]({octo.WEB}/issues/5)"
    assert leak["body"] == f"See {PULL}, #9, #9, #9, #9 and {commit}.\n\n`#4` #336699 {gone}"
    assert leak["versions"][6]["body"] == commit


def test_references_after_code_in_a_quotation_keep_their_meaning(write, moved):
    code = "> ```\n> #4\n> ```\n"
    path = write({"issues.json": [octo.issue(7, body=f"{code}\nSee #4")]})
    assert moved("github", path)[7]["body"] == f"{code}\nSee [#4]({octo.WEB}/issues/4)"


def test_an_issue_that_was_closed_without_an_event_says_when_and_by_whom(answers, moved):
    last = moved("github", answers)[9]["versions"][-1]
    assert (last["user_name"], last["created_at"], last["state"]) == ("ben", octo.at(4), "closed")
    assert last["diffable_attributes"] == {"state": "open"}


def test_what_is_lost_is_counted(answers, move):
    said = move("github", answers, "--dry-run")
    for sentence in (
        "2 tickets",
        "1 pull request: #4",
        "1 comment on pull requests",
        "3 reactions: #7 (3)",
        "1 lock against comments: #7",
        "1 event of other kinds: pinned",
        "1 colour or description of labels: bug",
        "1 other assignee watches now, because a ticket has one: #7: cy",
    ):
        assert f"  {sentence}" in said


def test_milestones_come_whole(world, answers, moved):
    moved("github", answers)
    ada = world.people["ada"]
    project = max(each["id"] for each in ada.get("/projects").items)
    (dry,) = ada.get(f"/projects/{project}/milestones").items
    assert (dry["title"], dry["goals"], dry["due_on"]) == ("Dry", "No more buckets", "2026-05-01T00:00:00Z")
    assert dry["completed_at"] == octo.at(9)


def test_new_tickets_never_get_the_number_of_a_pull_request(world, write, moved):
    answers = {"a.json": [octo.issue(1), {**octo.MERGE, "number": 12, "url": f"{octo.API}/issues/12"}]}
    moved("github", write(answers))
    ada = world.people["ada"]
    project = max(each["id"] for each in ada.get("/projects").items)
    assert ada.post(f"/projects/{project}/tickets", {"ticket": {"title": "New"}}).item["number"] == 13


def test_an_archive_is_as_good_as_a_folder(answers, moved, tmp_path):
    path = tmp_path / "answers.tgz"
    with tarfile.open(path, "w:gz") as tar:
        for file in answers.iterdir():
            info = tarfile.TarInfo(f"answers/{file.name}")
            info.size = file.stat().st_size
            tar.addfile(info, io.BytesIO(file.read_bytes()))
    assert list(moved("github", path)) == [7, 9]


def test_timelines_have_comments_and_say_their_issue_by_the_name_of_the_file(write, moved):
    said = {**octo.comment(7, "Once"), "event": "commented", "actor": octo.user("ben")}
    timeline = [octo.event(7, "closed", 5), said]
    del timeline[0]["issue"]
    answers = {
        "issues.json": [octo.LEAK],
        "7/timeline.json": timeline,
        "comments.json": [octo.comment(7, "Once")],
    }
    bodies = [each["body"] for each in moved("github", write(answers))[7]["versions"]]
    assert bodies.count("Once") == 1


def test_people_of_two_repositories_are_the_same(world, write, move):
    ada = world.people["ada"]
    for name in ("roof", "wall"):
        text = json.dumps([octo.issue(1)]).replace("octo/roof", f"octo/{name}")
        move("github", write({"a.json": text}, name))
    projects = [each["id"] for each in ada.get("/projects").items if each["name"] in {"roof", "wall"}]
    creators = {ada.get(f"/projects/{each}/tickets/1").item["creator_id"] for each in projects}
    assert (len(projects), len(creators)) == (2, 1)


def test_answers_that_windows_saved_in_utf_16_are_read(write, moved):
    answers = json.dumps([octo.issue(1, title="Größe")], ensure_ascii=False)
    assert moved("github", write({"issues": answers.encode("utf-16")}))[1]["title"] == "Größe"


def test_other_files_beside_the_answers_are_counted(write, move):
    answers = {
        "issues?page=2": [octo.issue(1)],
        "key.pem": b"-----BEGIN",
        "README": b"Ours",
        "a.png": b"\x89PNG",
    }
    said = move("github", write(answers), "--dry-run")
    assert "1 ticket" in said
    assert "3 files without answers: README, a.png, key.pem" in said


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ('[{"number": 1,', r"a\.json is damaged: .*, line 1, column"),
        ('[{"a": 1}\n {"a": 2}]', r"a\.json is damaged: , is missing, line 2, column 2"),
        ("[" * 100_000, r"a\.json is damaged: "),
        ([{**octo.issue(1), "title": 7}], r"a\.json, item 1: title must be a text"),
        ([{**octo.issue(1), "created_at": "soon"}], r"a\.json, item 1: created_at must be a time such as"),
        ([{**octo.issue(1), "number": -1}], r"a\.json, item 1: number must be a whole number"),
        ([{**octo.issue(1), "labels": [{"name": {}}]}], r"a\.json, item 1, labels 1: name must be a text"),
        ([{**octo.issue(1), "url": "file:///etc"}], r"a\.json, item 1: file:///etc is no address"),
        ([1], r"a\.json: item 1 must be an object"),
        ([], "has no issues as the interface or the archives of GitHub give them"),
        (b"\xff[]", r"a\.json is damaged: it is not in UTF-8"),
        ("[]".encode("utf-16") + b"\0", r"a\.json is damaged: it is not in UTF-16"),
    ],
)
def test_damaged_answers_name_file_and_field_and_change_nothing(world, write, move, content, sentence):
    before = world.people["ada"].get("/projects").items
    with pytest.raises(Invalid, match=sentence):
        move("github", write({"a.json": content}))
    assert world.people["ada"].get("/projects").items == before
