"""Issues of Redmine from the answers of its REST interface."""

import json
import subprocess
import sys
import tarfile

import pytest

from skerry.errors import Invalid
from tests.cli.sources import red

WANTED = ("--project", "1")


@pytest.fixture
def folder(write):
    return write({**red.ANSWERS, **red.FILES})


@pytest.fixture
def leak(folder, moved):
    return moved("redmine", folder, *WANTED)[7]


def answers(*issues, **more):
    return {"issues.json": {"issues": list(issues)}, **{f"{name}.json": each for name, each in more.items()}}


def test_every_field_becomes_one(leak):
    assert (leak["title"], leak["state"], leak["closed"]) == ("It leaks", "Closed", True)
    assert (leak["creator_name"], leak["assigned_user_name"]) == ("Ada L", "Roofers")
    assert leak["tag"] == 'feature "tiles red"'
    assert (leak["milestone_title"], leak["importance_name"]) == ("1.0", "Urgent")
    assert (leak["due_on"], leak["created_at"]) == ("2026-04-02", "2026-03-01T10:00:00Z")
    assert [(link["kind"], link["number"]) for link in leak["links"]] == [("parent", 9), ("blocked-by", 9)]
    assert [each["filename"] for each in leak["attachments"]] == ["stairs.png", "a_b.png"]
    assert len(leak["watchers_ids"]) == 2


def test_texts_are_markdown_whose_references_lead_here(folder, moved):
    body = moved("redmine", folder, *WANTED)[7]["versions"][0]["body"]
    old = f"{red.ADDRESS}/projects/roof"
    assert body == (
        f"## Rain\n\nIt **leaks**, see #9, note 2, wall#4, #6"
        f" and wall#4, [r12]({old}/repository/revisions/12), "
        f'[commit:abc1234]({old}/repository/revisions/abc1234) and @"Ben B". Ask @"Ada L" or @"Ben B"!\n'
        '!a b.png! !"x":y ![stairs.png](attachment:stairs.png) !gone.png! [a b.png](attachment:a%20b.png) '
        f"{{{{toc}}}} [plan]({old}/wiki/Roof_plan) now\n\n"
        "| Tile | Count |\n|---|---|\n| `a\\|b` | 2 |\n\n"
        '```ruby\nputs "#9 @ada"\n```\n\n'
        "**Start:** 2026-03-01\n\n**Done:** 60 %\n\n**Team:** Us **all**\n\n**Seen by:** Ada L, Di\n\n"
        "**Wet:** yes\n\n**Size:** Large"
    )


def test_journals_are_versions_without_private_notes(leak):
    versions = leak["versions"]
    assert [each["created_at"][8:10] for each in versions] == ["01", "03", "05", "08", "09"]
    assert [each["user_name"] for each in versions] == ["Ada L", "Ben B", "Ben B", "Ada L", "Ada L"]
    assert [each["body"] for each in versions[1:]] == ["`rain`", "", "See note 1.", "> It leaks\n\nNo more"]
    assert [each["state"] for each in versions] == ["New", "In-Progress", "In-Progress", "Closed", "Closed"]
    assert [each["title"] for each in versions[1:3]] == ["Drips", "It leaks"]
    assert versions[2]["diffable_attributes"] == {
        "title": "Drips",
        "tag": "bug",
        "assigned_user": None,
        "milestone": None,
        "importance": 1,
        "due_on": "2026-04-01",
    }
    assert "Secret" not in json.dumps(leak)


def test_edits_of_the_description_keep_the_earlier_texts(write, moved, earlier):
    edits = [red.journal(1, 2, red.detail("description", "*Wet*", "Dry?"))]
    edits += [red.journal(2, 4, red.detail("description", "Dry?", ""), red.detail("subject", "A", "B"))]
    edits += [red.journal(3, 5, red.detail("description", None, "Dry"), user=red.ADA)]
    tickets = moved("redmine", write(answers(red.issue(3, subject="B", description="Dry", journals=edits))))
    assert earlier(tickets[3]) == [("**Wet**", "Ada L", "01"), ("Dry?", "Ben B", "02")]
    first, second = tickets[3]["versions"]
    assert (first["body"], first["body_edited_by_name"], first["body_edited_at"][8:10]) == (
        "Dry",
        "Ada L",
        "05",
    )
    assert (second["title"], second["body"]) == ("B", "")


def test_the_last_hundred_earlier_texts_are_kept(write, move):
    edits = [red.journal(n, 2, red.detail("description", f"Text {n}", f"Text {n + 1}")) for n in range(103)]
    said = move("redmine", write(answers(red.issue(3, description="Text 103", journals=edits))), "--dry-run")
    assert "100 earlier texts of descriptions\n" in said
    assert "3 earlier texts of descriptions before the last 100: 3" in said


def test_projects_milestones_and_issues_of_all_projects_come_along(folder, move, world):
    move("redmine", folder)
    ada = world.people["ada"]
    roof, wall = (
        next(each for each in ada.get("/projects").items if each["name"] == name) for name in ("Roof", "Wall")
    )
    assert (roof["description"], roof["archived"], wall["archived"]) == ("Of the **barn**", False, True)
    (one,) = ada.get(f"/projects/{roof['id']}/milestones").items
    assert (one["title"], one["goals"], one["due_on"][:10]) == ("1.0", "The first_one\\_", "2026-05-01")
    assert one["completed_at"] == "2026-03-09T10:00:00Z"
    leak = ada.get(f"/projects/{roof['id']}/tickets/7").item
    assert "see #9, note 2, wall#4, " in leak["body"]
    assert ("child", "wall#4") in {(link["kind"], link["ticket"]) for link in leak["links"]}


def test_the_report_names_what_is_changed_and_lost(folder, move):
    said = move("redmine", folder, "--dry-run")
    for sentence in (
        "the texts are in Textile (17 signs of Textile, 0 of Markdown)",
        "the address of Redmine is https://red.example/tracker",
        "--project 2 is Wall",
        "1 locked account is a placeholder: ben",
        "1 state has another name: In Progress is In-Progress",
        "5 trackers and categories are tags: Bug (3), Feature (2)",
        "1 value of Seen by is at the end of the first text: #7",
        "2 references in texts to the number of a note are words: #7",
        "1 macro in texts stays as it is: #7",
        "1 picture in texts whose files the issue does not have; their names stay: #7",
        "1 file has another size than the answers say: #7 a b.png",
        "1 link 'precedes' now relates: #7 #4",
        "1 delay of links in days: #7 #4",
        "1 version shared with other projects by a rule: 1.0",
        "1 member of projects",
        "1 object of other kinds in the answers: more.json, item 1, issue_templates",
        "2 entries of spent time",
        "1 page of the wiki",
        "1 issue that the answers announce and do not have",
        "1 private ticket, which only members, the author and the assignee see",
        "1 private note, which only some people could read: #7",
        "1 project without issues in the answers: Empty",
        "1 issue with estimated or spent time: #7",
        "1 linked commit: #7",
        "2 reactions: #7 (2)",
        "1 value of story_points: #7",
        "1 colour or style of texts: #7",
        "1 earlier text of descriptions\n",
        "1 change of Team in the history: #7",
        "1 change of attached files in the history: #7",
        "1 attached file, which the export does not have: #7 lost.png",
        "2 issues of which the answers have no history: #6, #4",
    ):
        assert sentence in said


def test_without_the_lists_names_are_guessed(write, moved):
    ended = {**red.CLOSED, "id": 6, "name": "Erledigt"}
    details = (red.detail("status_id", "99", "6"), red.detail("assigned_to_id", "88", None))
    old = red.issue(3, status=ended, closed_on=red.at(2), journals=[red.journal(1, 2, *details)])
    tickets = moved("redmine", write(answers(old, red.issue(5))))
    assert [each["closed"] for each in tickets.values()] == [True, False]
    assert [(each["state"], each["assigned_user_name"]) for each in tickets[3]["versions"]] == [
        ("status-99", "User 88"),
        ("Erledigt", None),
    ]


def test_a_redmine_with_markdown_keeps_it(write, moved):
    text = "# Rain\n\n**Wet** `#3` and #5-1 ![](a.png)\n\n* 2\\. x\n"
    issue = red.issue(3, description=text, attachments=[red.attachment(1, "a.png")], journals=[])
    tickets = moved("redmine", write({**answers(issue, red.issue(5)), "1/a.png": "rain"}))
    expected = "# Rain\n\n**Wet** `#3` and #5, note 1 ![a.png](attachment:a.png)\n\n* 2\\. x\n"
    assert tickets[3]["body"] == expected


def test_the_markup_and_the_address_can_be_said(write, move):
    path = write(answers(red.issue(3, description="# a\n# b", journals=[])))
    said = move("redmine", path, "--markup", "textile", "--address", "https://other.example/", "--dry-run")
    assert "signs of" not in said
    assert "the address of Redmine is https://other.example" in said
    with pytest.raises(Invalid, match="must begin with http"):
        move("redmine", path, "--address", "javascript:x")


def test_without_the_extra_textile_is_refused_and_markdown_is_not(write, move, monkeypatch):
    monkeypatch.setattr("skerry.text.markup.textile_libraries.are_installed", lambda: False)
    path = write(answers(red.issue(3, journals=[])))
    with pytest.raises(Invalid, match=r"install skerry\[import\]"):
        move("redmine", path)
    assert "1 ticket" in move("redmine", path, "--markup", "markdown")


def test_the_libraries_are_loaded_by_the_first_text_that_needs_them():
    program = (
        "import sys; from skerry.text.markup import textile; textile.markdown('plain'); print(*sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert not {"bs4", "markdownify", "regex"} & set(said.stdout.split())


def test_answers_of_old_versions_and_a_packed_folder_are_read_too(write, tmp_path, moved):
    old = {"created_on": "2012/06/17 12:00:00 -0700", "updated_on": None, "due_date": "2012/07/01"}
    folder = write({"a.jsonl": json.dumps({"issue": red.issue(3, **old)}), "b.json": [red.issue(4)]})
    with tarfile.open(tmp_path / "answers.tar.gz", "w:gz") as packed:
        packed.add(folder, "answers")
    tickets = moved("redmine", tmp_path / "answers.tar.gz")
    assert (tickets[3]["created_at"], tickets[3]["due_on"]) == ("2012-06-17T19:00:00Z", "2012-07-01")
    assert list(tickets) == [3, 4]


def test_half_characters_and_odd_texts_come_along(write, moved):
    odd = "a \ud800 b \0 @c\ud800@ [[\ud800]]"
    journals = [red.journal(1, 2, red.detail("subject", odd, "\ud800"), notes=odd)]
    values = {"subject": "x\ud800", "custom_fields": [{"id": 1, "name": odd, "value": odd}]}
    files = [red.attachment(1, "a.png", filename="\ud800.png")]
    issue = red.issue(3, description=odd, journals=journals, attachments=files, **values)
    assert moved("redmine", write(answers(issue)))[3]["versions"][1]["body"].startswith("a \ufffd b")


def test_twice_is_once(folder, move):
    move("redmine", folder)
    assert "Imported 0 projects" in move("redmine", folder)


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        ({"a.json": "{"}, r"a\.json is damaged: .*line 1, column 2"),
        ({"a.json": {"issues": [3]}}, r"a\.json, item 1: issues must be an object"),
        (
            {"a.json": {"issues": [{"id": 1, "updated_on": "soon"}]}},
            r"item 1, issues: updated_on must be a time",
        ),
        (answers(red.issue("x")), "issues: id must be a whole number"),
        (answers(red.issue(3, created_on=None)), "created_on must be a time"),
        (answers(red.issue(3, due_date="soon")), "due_date must be a day"),
        (answers(red.issue(3, journals={})), "journals must be a list"),
        (answers(red.issue(3, journals=[{"id": 1}])), "journals 1: created_on must be a time"),
        ({"a.json": {"projects": []}, "b.txt": "x"}, "has no issues as the REST interface of Redmine"),
    ],
)
def test_what_cannot_be_used_is_named_and_changes_nothing(write, move, world, named, sentence):
    before = world.people["ada"].get("/projects").items
    with pytest.raises(Invalid, match=sentence):
        move("redmine", write(named))
    assert world.people["ada"].get("/projects").items == before
