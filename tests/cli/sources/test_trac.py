"""Tickets of Trac: its environment, or only its database."""

import tarfile

import pytest

from skerry.errors import Invalid
from tests.cli.sources import trunk


@pytest.fixture
def folder(tmp_path):
    return trunk.environment(tmp_path / "env")


def test_every_field_becomes_one(folder, moved):
    tickets = moved("trac", folder)
    leak, paint = tickets[7], tickets[9]
    assert (leak["title"], leak["state"], leak["closed"]) == ("It leaks", "fixed", True)
    assert (leak["creator_name"], leak["assigned_user_name"]) == ("Anonymous", "Cy")
    assert leak["tag"] == "0.9 defect severity-critical tiles wet"
    assert (leak["milestone_title"], leak["importance_name"]) == ("1.0", "major")
    assert leak["created_at"] == "2026-02-13T10:00:00Z"
    assert [(link["kind"], link["number"]) for link in leak["links"]] == [("blocked-by", 9)]
    assert [each["filename"] for each in leak["attachments"]] == ["a_b.png"]
    assert len(leak["watchers_ids"]) == 2
    assert (paint["state"], paint["closed"], paint["tag"]) == ("new", False, '"a b" c task')
    assert paint["creator_name"] == "Ada L"


def test_texts_are_markdown_whose_references_lead_here(folder, moved):
    assert moved("trac", folder)[7]["versions"][0]["body"] == (
        "It **leaks**, see #9 and #9, comment 1. ![a b.png](attachment:a%20b.png) [[PageOutline]]\n"
        "In [12], wiki:Roof and attachment:gone.png.\n\n**The team:** Us"
    )


def test_changes_of_one_moment_and_author_are_one_version(folder, moved):
    versions = moved("trac", folder)[7]["versions"]
    assert [each["created_at"][11:16] for each in versions] == ["10:00", "11:00", "12:00", "13:00"]
    assert [each["user_name"] for each in versions] == ["Anonymous", "Ada L", "ben", "ben"]
    assert [each["body"] for each in versions[1:]] == ["`rain`", "done", ""]
    assert [each["state"] for each in versions] == ["new", "new", "fixed", "fixed"]
    assert [each["title"] for each in versions[2:]] == ["Drips", "It leaks"]
    assert versions[0]["tag"] == "0.9 cold defect severity-critical walls wet"
    assert versions[2]["milestone_title"] is None or versions[2]["milestone_title"] == ""


def test_an_edit_of_the_description_keeps_the_earlier_text(folder, moved, earlier):
    assert earlier(moved("trac", folder)[7]) == [("Old", "Anonymous", "13")]


def test_the_report_names_what_is_changed_and_lost(folder, move):
    said = move("trac", folder, "--dry-run")
    for sentence in (
        "1 attached file, which the export does not have: #7 lost.png",
        "1 file attached to pages or milestones: plan.png",
        "1 earlier text of edited comments: #7",
        "1 earlier text of descriptions\n",
        "1 change of team in the history: #7",
        "1 value of team is at the end of the first text: #7",
        "1 macro in texts stays as it is: #7",
        "1 reply is a plain comment: #7",
        "1 page of the wiki",
        "1 commit of repositories",
        "1 saved report",
        "1 permission",
    ):
        assert sentence in said


def test_a_description_of_a_component_without_an_owner_is_lost_too(tmp_path, move):
    path = trunk.database(tmp_path / "a.db", more="INSERT INTO component VALUES ('walls', '', 'Of brick')")
    assert "2 owners and descriptions of a component: tiles, walls" in move("trac", path, "--dry-run")


@pytest.mark.parametrize("reporter", ["<eve@old.example>", "eve@old.example"])
def test_an_address_without_a_name_is_called_by_its_beginning(tmp_path, moved, reporter):
    path = trunk.database(tmp_path / "a.db", more=f"UPDATE ticket SET reporter = '{reporter}' WHERE id = 9")
    assert moved("trac", path)[9]["creator_name"] == "eve"


def test_a_database_alone_keeps_the_tickets_and_stays_as_it_is(tmp_path, moved):
    path = trunk.database(tmp_path / "old.db", unit=1, version=21)
    before = path.read_bytes()
    assert moved("trac", path)[7]["versions"][3]["created_at"] == "2026-02-13T13:00:00Z"
    assert (path.read_bytes(), [each.name for each in tmp_path.glob("old.db*")]) == (before, ["old.db"])


def test_a_packed_environment_with_a_log_is_read_too(tmp_path, folder, moved):
    trunk.database(folder / "db" / "other.db", more="PRAGMA journal_mode = WAL")
    (folder / "db" / "other.db").replace(folder / "db" / "trac.db")
    with tarfile.open(tmp_path / "env.tar.gz", "w:gz") as packed:
        packed.add(folder, "env")
    assert [each["size"] for each in moved("trac", tmp_path / "env.tar.gz")[7]["attachments"]] == [4]


def test_a_database_that_was_packed_while_in_use_asks_for_a_copy(tmp_path, folder, move):
    (folder / "db" / "trac.db-wal").write_bytes(b"unfinished")
    with tarfile.open(tmp_path / "env.tar", "w") as packed:
        packed.add(folder, "env")
    with pytest.raises(Invalid, match=r"env/db/trac\.db was in use when it was packed"):
        move("trac", tmp_path / "env.tar")


def test_several_environments_become_several_projects(tmp_path, move):
    for name in ("roof", "wall"):
        trunk.environment(tmp_path / "all" / name)
    assert "Imported 2 projects, 4 tickets" in move("trac", tmp_path / "all")


def test_twice_is_once(folder, move):
    move("trac", folder)
    assert "already exists" in move("trac", folder)


def test_milestones_are_as_old_as_the_project(tmp_path, move):
    said = move("trac", trunk.database(tmp_path / "trac.db"), "--dry-run")
    assert "times were missing" not in said


def test_times_that_a_program_wrote_as_text_are_read(tmp_path, moved):
    text = "UPDATE ticket SET time = 'Wed Apr 10 10:47:27 BRT 2013' WHERE id = 9"
    tickets = moved("trac", trunk.database(tmp_path / "trac.db", more=text))
    assert tickets[9]["created_at"] == "2013-04-10T10:47:27Z"


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("UPDATE ticket SET time = 'soon' WHERE id = 9", "table ticket, row 2: time must be a time"),
        ("UPDATE ticket SET time = 9e18", "time must be a time"),
        ("UPDATE ticket_change SET newvalue = x'00'", "table ticket_change, row 1: newvalue must be a text"),
        (
            "UPDATE ticket SET description = zeroblob(20000000)",
            "table ticket, is damaged: string or blob too big",
        ),
        ("ALTER TABLE ticket DROP COLUMN summary", "table ticket, has no column summary"),
        ("DELETE FROM system", "table system: database_version must be a whole number"),
        ("DROP TABLE ticket; CREATE VIEW ticket AS SELECT 1 AS id", "ticket must be a plain table"),
        ("DROP TABLE wiki; CREATE VIRTUAL TABLE wiki USING fts5(name)", "wiki must be a plain table"),
        (
            "ALTER TABLE ticket ADD COLUMN x; UPDATE ticket SET id = -1 WHERE id = 9",
            "id must be a whole number",
        ),
        (
            "ALTER TABLE enum RENAME TO e; CREATE TABLE enum (type, name, value AS (1))",
            "value must be a plain column",
        ),
        ("DROP TABLE ticket", "has no database of Trac in SQLite"),
    ],
)
def test_what_cannot_be_used_is_named_and_changes_nothing(tmp_path, move, sql, sentence):
    path = trunk.database(tmp_path / "trac.db", more=sql)
    with pytest.raises(Invalid, match=sentence):
        move("trac", path)


def test_a_cut_database_is_damaged(tmp_path, move):
    path = trunk.database(tmp_path / "trac.db")
    path.write_bytes(path.read_bytes()[:9000])
    with pytest.raises(Invalid, match=r"trac\.db.* is damaged"):
        move("trac", path)


def test_rows_of_missing_tickets_and_odd_bytes_are_counted(tmp_path, move):
    more = "INSERT INTO ticket_change VALUES (8, 1, 'ada', 'cc', '', 'x'), (99, 1, 'ada', 'cc', '', 'x');"
    more += "UPDATE ticket SET summary = CAST(x'ff41' AS text) WHERE id = 9"
    said = move("trac", trunk.database(tmp_path / "trac.db", more=more), "--dry-run")
    assert "2 rows of tickets that are not in the export: #8, #99" in said
    assert "1 text has bytes that are not UTF-8, which are replaced" in said
