"""Projects of GitLab, from their exports."""

import pytest

from skerry.errors import Invalid
from skerry.store.transfer.archive import ArchiveError
from tests.cli.sources import lab


@pytest.fixture
def export(tmp_path):
    return lab.packed(tmp_path / "2026-03-08_10-00-123_acme_roof_export.tar.gz")


def test_issues_come_with_numbers_values_people_and_moments(world, export, moved):
    tickets = moved("gitlab", export)
    leak, paint = tickets[7], tickets[9]
    assert (leak["title"], leak["state"], leak["closed"]) == ("It leaks", "closed", True)
    assert (leak["creator_name"], leak["assigned_user_name"]) == ("Ada Lovelace", "Ben")
    assert (leak["tag"], leak["milestone_title"]) == ('bug incident "over the stairs"', "Dry roof")
    assert (leak["due_on"], leak["created_at"]) == ("2026-04-02", "2026-03-01T10:00:00Z")
    assert [(link["kind"], link["number"]) for link in leak["links"]] == [("relates-to", 9)]
    assert (paint["creator_name"], paint["versions"][-1]["state"]) == ("User 99", "closed")
    project = world.people["ada"].get(f"/projects/{leak['project_id']}").item
    assert (project["name"], project["description"]) == ("acme_roof", "A roof")


def test_notes_and_events_become_versions(export, moved):
    versions = moved("gitlab", export)[7]["versions"]
    told = [
        (each["user_name"], each["created_at"][8:10], sorted(each["diffable_attributes"]))
        for each in versions
    ]
    assert told == [
        ("Ada Lovelace", "01", []),
        ("Ben", "02", []),
        ("Cy", "03", ["assigned_user"]),
        ("Ada Lovelace", "03", ["tag"]),
        ("Ada Lovelace", "04", ["due_on", "title"]),
        ("Ada Lovelace", "05", ["tag"]),
        ("Ada Lovelace", "06", []),
        ("Ada Lovelace", "06", ["milestone"]),
        ("Ben", "07", ["state"]),
    ]
    assert (versions[1]["body"], versions[8]["body"]) == ('Mine too, @"Ada Lovelace"', "a1b2c3d4")
    assert (versions[3]["title"], versions[3]["due_on"]) == ("Wet", None)


def test_files_are_attached_to_the_texts_that_name_them(world, export, moved):
    leak = moved("gitlab", export)[7]
    assert leak["versions"][0]["body"] == (
        f"See #9 and roof#9 and !3.\n\n![stairs](attachment:stairs.png) [x](/uploads/{lab.LOST}/x.txt)"
    )
    assert leak["attachments_count"] == 2
    file = leak["attachments"][0]
    assert world.people["ada"].raw(f"/attachments/{file['id']}/stairs.png!").body == b"not really a picture"


def test_an_assignee_who_is_not_a_member_is_known_from_the_note_that_assigned_them(tmp_path, moved):
    notes = [lab.note("Hi @cy.k", 2, 24), lab.system("assigned to @cy.k", 3, "assignee")]
    cys = lab.issue(1, notes=notes, issue_assignees=[{"user_id": 24}])
    gone = lab.issue(
        2,
        notes=[lab.system("assigned to @dora", 2, "assignee"), lab.system("unassigned @dora", 3, "assignee")],
    )
    export = {**lab.EXPORT, "tree/project/issues.ndjson": lab.lines(cys, gone)}
    tickets = moved("gitlab", lab.packed(tmp_path / "a.tar.gz", export))
    assert [each["assigned_user_name"] for each in tickets[1]["versions"]] == [None, None, "Cy"]
    assert [each["assigned_user_name"] for each in tickets[2]["versions"]] == [None, "dora", None]
    assert tickets[1]["versions"][1]["body"] == "Hi @Cy"


def test_what_is_lost_is_counted(export, move):
    said = move("gitlab", export, "--dry-run")
    for sentence in (
        "2 files",
        "1 link between tickets",
        "1 private ticket, which only members, the author and the assignee see",
        "1 internal comment, which only some people could read: #7",
        "1 type of an issue is a tag now: #7",
        "2 roles of members",
        "2 other objects of the export: merge requests (2)",
        "1 repository, which Git moves: project.bundle",
        "1 colour or description of labels: bug",
        "2 reactions: #7 (2)",
        "1 value of other fields: weight",
        "1 system note of other kinds: time_tracking",
        "1 file is named, but not in the export: #7: x.txt",
        "1 file that no issue names: other.txt",
    ):
        assert f"  {sentence}\n" in said, sentence


def test_an_unpacked_export_is_as_good(write, moved):
    assert list(moved("gitlab", write(lab.EXPORT))) == [7, 9]


def test_the_folder_tree_of_an_export_is_enough(write, moved):
    folder = write(lab.EXPORT)
    assert list(moved("gitlab", folder / "tree")) == [7, 9]


def test_twice_is_once(export, move):
    move("gitlab", export)
    assert "already exists" in move("gitlab", export)


@pytest.mark.parametrize(
    ("issues", "sentence"),
    [
        ('{"iid": 1,\n', r"issues\.ndjson is damaged: .*, line 2, column 1"),
        (lab.lines({**lab.LEAK, "iid": 0}), r"issues\.ndjson, item 1: iid must be a whole number from 1"),
        (lab.lines({**lab.LEAK, "notes": [7]}), r"issues\.ndjson, item 1: notes must contain objects"),
        (
            lab.lines({**lab.LEAK, "due_date": "soon"}),
            r"issues\.ndjson, item 1: due_date must be a day such as",
        ),
    ],
)
def test_a_damaged_export_names_file_and_field_and_changes_nothing(world, tmp_path, move, issues, sentence):
    before = world.people["ada"].get("/projects").items
    path = lab.packed(tmp_path / "a.tar.gz", {**lab.EXPORT, "tree/project/issues.ndjson": issues})
    with pytest.raises(Invalid, match=sentence):
        move("gitlab", path)
    assert world.people["ada"].get("/projects").items == before


def test_a_cut_export_is_one_sentence(export, move):
    export.write_bytes(export.read_bytes()[:-500])
    with pytest.raises(ArchiveError):
        move("gitlab", export)


def test_an_export_of_something_else_is_one_sentence(write, move):
    with pytest.raises(
        Invalid, match=r"has 0 files tree/project/issues\.ndjson; exports of GitLab since version 13"
    ):
        move("gitlab", write({"a.json": []}))
