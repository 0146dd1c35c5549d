"""Tables as spreadsheets and trackers save them: guessed, shown, and mapped by a file."""

import pytest

from skerry.errors import Invalid, NotFound
from skerry.store.transfer.archive import ArchiveError

HEAD = (
    "Issue;Summary;Description;Status;Reporter;Assignee;Labels;Sprint;Priority;"
    "Created;Closed;Deadline;Comment"
)
LEAK = (
    "ROOF-7;It leaks;See ROOF-9;Done;Ada L <ada@old.example>;Ben;rain, over the stairs;May;High;"
    "13.02.2026 10:00;14.02.2026 09:30;2026-03-01;Dry again"
)
PAINT = 'ROOF-9;Paint;"two\nlines";In Progress;Ben;;;;Low;13.2.26;;;'
ROOF = f"{HEAD};Colour\n{LEAK};red\n{PAINT};\n"


def test_every_column_becomes_a_field(write, moved):
    tickets = moved("csv", write({"roof.csv": ROOF}))
    leak, paint = tickets[7], tickets[9]
    assert (leak["title"], leak["state"], leak["closed"]) == ("It leaks", "Done", True)
    assert (leak["creator_name"], leak["assigned_user_name"]) == ("Ada L", "Ben")
    assert (leak["tag"], leak["milestone_title"]) == ('"over the stairs" rain', "May")
    assert (leak["importance_name"], leak["due_on"]) == ("High", "2026-03-01")
    assert leak["created_at"] == "2026-02-13T10:00:00Z"
    assert (paint["body"], paint["state"]) == ("two\nlines", "In-Progress")
    assert paint["created_at"] == "2026-02-13T00:00:00Z"


def test_comments_and_closing_are_versions_of_their_own(write, moved):
    leak = moved("csv", write({"roof.csv": ROOF}))[7]
    assert [each["body"] for each in leak["versions"]] == ["See #9", "Dry again", ""]
    assert [each["state"] for each in leak["versions"]] == ["In-Progress", "In-Progress", "Done"]
    assert leak["versions"][2]["created_at"] == "2026-02-14T09:30:00Z"


def test_the_report_shows_how_the_table_is_understood_and_what_is_lost(write, move):
    said = move("csv", write({"roof.csv": ROOF}), "--dry-run")
    assert "2 rows in utf-8, separated by semicolons" in said
    assert "columns: Issue = number, Summary = title," in said
    assert "closed states: Done" in said
    assert "1 state has another name: In Progress is In-Progress" in said
    assert "columns that are left out: Colour" in said
    assert "1 column\n" in said


def test_every_column_that_is_left_out_is_named(write, move):
    strange = [f"Strange {number}" for number in range(30)]
    said = move("csv", write({"t.csv": f"title,{','.join(strange)}\nOne\n"}), "--dry-run")
    assert f"columns that are left out: {', '.join(strange)}\n" in said


def test_a_dry_run_changes_nothing_and_twice_is_once(world, write, move):
    folder, ada = write({"roof.csv": ROOF}), world.people["ada"]
    before = ada.get("/projects").items
    assert "Nothing was changed" in move("csv", folder, "--dry-run")
    assert ada.get("/projects").items == before
    move("csv", folder)
    assert "already exists" in move("csv", folder)
    assert len(ada.get("/projects").items) == len(before) + 1


def test_taken_and_missing_numbers_become_the_next_free_ones(write, move):
    said = move("csv", write({"roof.csv": "id,title\n3,One\n3,Two\nx,Three\n,Four\n"}), "--dry-run")
    assert "1 ticket has another number, because the old one is taken: 3 is 4" in said
    assert "1 ticket without a number has one now: x is 5" in said


CHARSETS = ["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "utf-32-be", "cp1252", "mac-roman"]


@pytest.mark.parametrize("charset", CHARSETS)
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_charset_and_separator_are_guessed(write, moved, charset, separator):
    table = (
        separator.join(["Nr", "Titel", "Status"]) + f"\n1{separator}Dachrinne übervoll{separator}erledigt\n"
    )
    ticket = moved("csv", write({"dach.csv": table.encode(charset)}))[1]
    assert (ticket["title"], ticket["closed"]) == ("Dachrinne übervoll", True)


def test_a_charset_that_is_only_likely_is_told_with_the_way_to_say_another(write, move, tmp_path):
    folder = write({"t.csv": "title\nżółw isn’t\n".encode("cp1250")})
    assert "1 row in cp1252 (or another: 'charset:' in --columns)" in move("csv", folder, "--dry-run")
    mapping = tmp_path / "mapping"
    mapping.write_text("charset: cp1250\n")
    assert "1 row in cp1250" in move("csv", folder, "--dry-run", "--columns", mapping)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (["03/04/2026", "25/12/2026"], "2026-04-03T00:00:00Z"),
        (["03/04/2026", "12/25/2026"], "2026-03-04T00:00:00Z"),
        (["3.4.2026", "1.1.2026"], "2026-04-03T00:00:00Z"),
        (["2026-04-03 8:00"], "2026-04-03T08:00:00Z"),
        (["2026-04-03T08:00:00+02:00"], "2026-04-03T06:00:00Z"),
        (["Apr 3, 2026 8:00 PM"], "2026-04-03T20:00:00Z"),
        (["3 April 26"], "2026-04-03T00:00:00Z"),
    ],
)
def test_the_order_of_dates_is_that_of_the_whole_table(write, moved, said, expected):
    rows = "".join(f'Row,"{cell}"\n' for cell in said)
    assert moved("csv", write({"t.csv": f"title,created\n{rows}"}))[1]["created_at"] == expected


def test_dates_that_can_be_read_two_ways_stop_the_import_until_somebody_says_which(write, move, tmp_path):
    folder = write({"t.csv": "title,created\nOne,5/5/2026\nTwo,03/04/2026\n"})
    sentence = r"t\.csv, line 3, column 2: 03/04/2026 can be read two ways"
    for words in ([], ["--dry-run"]):
        with pytest.raises(Invalid, match=sentence):
            move("csv", folder, *words)
    mapping = tmp_path / "mapping"
    mapping.write_text("dates: month first\n")
    assert "the month comes first" in move("csv", folder, "--columns", mapping)


def test_a_table_with_both_orders_is_refused(write, move):
    with pytest.raises(Invalid, match="line 3, column 2: 12/25/2026 has another order of day and month than"):
        move("csv", write({"t.csv": "title,created\nOne,25/12/2026\nTwo,12/25/2026\n"}))


def test_a_file_maps_the_columns(write, moved, tmp_path):
    mapping = tmp_path / "mapping"
    mapping.write_text("# ours\nWhat = title\nWho = author\nStep = state\nclosed: Gone\nTitle = ignore\n")
    table = "Title,What,Who,Step\nDr,It leaks,Ada,gone\n"
    ticket = moved("csv", write({"t.csv": table}), "--columns", mapping, "--name", "The roof")[1]
    assert (ticket["title"], ticket["creator_name"], ticket["closed"]) == ("It leaks", "Ada", True)


# The headings that other trackers write, and a table of our own.
HEADINGS = {
    "#;Thema;Abgabedatum;% erledigt": "# = number, Thema = title, Abgabedatum = due",
    "Nr.;Titel;Angelegt am": "Nr. = number, Titel = title, Angelegt am = created",
    "Bug ID,Summary,Opened": "Bug ID = number, Summary = title, Opened = created",
    "Card Name,Card Description,List Name": "Card Name = title, Card Description = text, List Name = state",
    "Id,Summary,Date Submitted,View Status": (
        "Id = number, Summary = title, Date Submitted = created, View Status = private"
    ),
    "Name,Assign,Members": "Name = title, Assign = assignee",
    "Card Name,Members": "Card Name = title, Members = assignee",
    "Task Name,Assignees": "Task Name = title, Assignees = assignee",
    "Zusammenfassung,Vorgangsschlüssel,Zugewiesene Person": (
        "Zusammenfassung = title, Vorgangsschlüssel = number, Zugewiesene Person = assignee"
    ),
    "Name,Section/Column,Notes": "Name = title, Section/Column = state, Notes = text",
    "Title,Created At (UTC),Closed Date": "Title = title, Created At (UTC) = created, Closed Date = closed",
    "Title,Current State,Requested By,Owned By": (
        "Title = title, Current State = state, Requested By = author, Owned By = assignee"
    ),
    "title,assigned_user_name,milestone_title,creator_name": (
        "title = title, assigned_user_name = assignee, milestone_title = milestone, creator_name = author"
    ),
}


@pytest.mark.parametrize("heading", HEADINGS)
def test_the_headings_of_well_known_tables_are_understood(write, move, heading):
    said = move("csv", write({"t.csv": f"{heading}\n"}), "--dry-run")
    assert f"columns: {HEADINGS[heading]}\n" in said


def test_what_a_table_of_skerry_says_is_read_back(world, ada, roof, write, moved):
    ticket = {"title": "=1+1", "state": "hold", "importance": 2, "tag": 'rain "over the stairs"'}
    ada.post(f"/projects/{roof}/tickets", ticket)
    ada.post(f"/projects/{roof}/tickets", {"title": "Two", "importance": 4})
    one, two = moved("csv", write({"t.csv": ada.send("GET", f"/projects/{roof}/tickets.csv").body})).values()
    assert (one["title"], one["closed"], two["closed"]) == ("=1+1", True, False)
    assert one["tag"] == '"over the stairs" rain'
    assert two["importance"] > one["importance"]


@pytest.mark.parametrize(
    ("priorities", "expected"),
    [(["2", "1", "3"], "1, 2, 3"), (["2 - High", "1 - Critical", "?"], "1 - Critical, 2 - High, ?")],
)
def test_numbered_priorities_begin_with_the_highest_and_have_names(write, move, priorities, expected):
    rows = "".join(f"One,{priority}\n" for priority in priorities)
    said = move("csv", write({"t.csv": f"title,priority\n{rows}"}), "--dry-run")
    assert f"importances, the highest first: {expected}" in said
    assert "3 levels of importance have another name" in said


def test_a_priority_of_thousands_of_digits_is_a_name_like_others(write, move):
    said = move("csv", write({"t.csv": f"title,priority\nOne,{'9' * 5_000}\nTwo,1\n"}), "--dry-run")
    assert "2 tickets" in said


def test_times_as_browsers_print_them_are_read(write, moved):
    table = "title,created\nOne,Wed Mar 01 2023 14:00:23 GMT+0200 (Central European Summer Time)\n"
    assert moved("csv", write({"t.csv": table}))[1]["created_at"] == "2023-03-01T12:00:23Z"


@pytest.mark.parametrize(
    ("cell", "people"),
    [
        ("Ada; Ben", ["Ada", "Ben"]),
        ("Ada, Ben", ["Ada", "Ben"]),
        ("Ada Lovelace, Ben Burton", ["Ada Lovelace", "Ben Burton"]),
        ("Cy, Di, Ed", ["Cy", "Di", "Ed"]),
        ("Lovelace, Ada", ["Lovelace, Ada"]),
        ("Lovelace, Ada <lady@old.example>, Ben", ["Lovelace, Ada", "Ben"]),
        ("Lovelace, Ada; Ben", ["Lovelace, Ada", "Ben"]),
        ("Smith, John, Jr.", ["Smith, John, Jr."]),
        ("John Smith, Jr.", ["John Smith, Jr."]),
        ("Ada Lovelace, PhD, Ben Burton", ["Ada Lovelace, PhD", "Ben Burton"]),
        ("a@two.example, b@two.example", ["a@two.example", "b@two.example"]),
        ("Ada,", ["Ada"]),
    ],
)
def test_the_first_of_several_assignees_gets_the_ticket_and_the_others_watch(
    write, moved, move, cell, people
):
    folder = write({"t.csv": f'title,assignee\nOne,"{cell}"\nTwo,Ada\nThree,Ben\n'})
    said = move("csv", folder, "--dry-run")
    others = ", ".join(people[1:])
    assert ("watch" in said, f"because a ticket has one: line 2: {others}" in said) == (bool(others),) * 2
    ticket = moved("csv", folder)[1]
    assert (ticket["assigned_user_name"], len(ticket["watchers_ids"])) == (people[0], len(people) - 1)


def test_addresses_beside_several_assignees_are_theirs_in_order(write, moved):
    table = (
        "title,assignee,assignee email\nOne,Cy; Di,cy@old.example; di@old.example\nTwo,Cy,cy@old.example\n"
    )
    one, two = moved("csv", write({"t.csv": table})).values()
    assert (one["assigned_user_name"], len(one["watchers_ids"])) == ("Cy", 1)
    assert one["assigned_user_id"] == two["assigned_user_id"]


def test_an_address_in_place_of_a_name_is_that_person(world, write, moved, move):
    ben = world.people["ben"]
    folder = write({"t.csv": f"title,author,assignee\nOne,{ben.email},cy@old.example\n"})
    assert "no address in the export" not in move("csv", folder, "--dry-run")
    assert moved("csv", folder)[1]["creator_id"] == ben.user_id


@pytest.mark.parametrize("said", ["Unassigned", "nobody", "---"])
def test_words_for_nobody_are_nobody(write, moved, said):
    assert moved("csv", write({"t.csv": f"title,assignee\nOne,{said}\n"}))[1]["assigned_user_id"] is None


def test_lists_in_brackets_are_their_parts(write, moved):
    table = 'Task Name,Assignees,Tags\nOne,"[Ada Lovelace,Ben Burton]","[rain,wet]"\nTwo,[],[]\n'
    one, two = moved("csv", write({"t.csv": table})).values()
    assert (one["assigned_user_name"], len(one["watchers_ids"]), one["tag"]) == (
        "Ada Lovelace",
        1,
        "rain wet",
    )
    assert (two["assigned_user_id"], two["tag"]) == (None, None)


def test_a_view_status_keeps_private_tickets_private(write, moved):
    one, two = moved("csv", write({"t.csv": "title,View Status\nOne,private\nTwo,public\n"})).values()
    assert (one["private"], two["private"]) == (True, False)


def test_milestones_without_an_author_are_not_counted(write, move):
    said = move("csv", write({"t.csv": "title,author,milestone\nOne,Ben,May\n"}), "--dry-run")
    assert "1 milestone" in said
    assert "unknown" not in said


def test_a_ticket_without_a_creation_was_created_at_its_earliest_other_moment(write, moved):
    table = "id,title,state,closed,updated\n1,One,done,2009-07-20,2009-07-22\n2,Two,new,,2009-07-23\n"
    tickets = moved("csv", write({"t.csv": table}))
    assert [tickets[number]["created_at"][:10] for number in (1, 2)] == ["2009-07-20", "2009-07-23"]
    assert [tickets[number]["updated_at"][:10] for number in (1, 2)] == ["2009-07-22", "2009-07-23"]


def test_the_columns_of_bugzilla_are_known(write, moved):
    head = "bug_id,component,assigned_to,bug_status,short_desc,opendate,changeddate,target_milestone"
    bug = moved("csv", write({"bugs.csv": f"{head}\n15,UI,ben,NEW,Leaks,2009-07-20,2009-07-22,May\n"}))[15]
    assert (bug["title"], bug["state"], bug["assigned_user_name"]) == ("Leaks", "NEW", "ben")
    assert (bug["created_at"], bug["milestone_title"]) == ("2009-07-20T00:00:00Z", "May")


@pytest.mark.parametrize(
    ("mapping", "sentence"),
    [
        ("What = nonsense", "Line 1 of the mapping: nonsense is no field; choose from"),
        ("What", "Line 1 of the mapping: write 'column = field'"),
        ("Nope = title", "The table has no column Nope"),
        ("dates: perhaps", "write day first or month first"),
        ("charset: klingon", "which is not known"),
        ("charset: rot13", "'charset: rot13', which is not known"),
        ("charset: idna", "'charset: idna', which is not known"),
        ("charset: a\0b", "which is not known"),
        ("charset: utf-16", r"t\.csv is not in utf-16: it has no byte order mark"),
        ("title = title\nwhat = title", "says that title and what are both title"),
    ],
)
def test_a_mapping_that_cannot_be_used_is_one_sentence(write, move, tmp_path, mapping, sentence):
    (tmp_path / "mapping").write_text(mapping)
    with pytest.raises(Invalid, match=sentence):
        move("csv", write({"t.csv": "title,what\nOne,Two\n"}), "--columns", tmp_path / "mapping")


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ("", r"t\.csv is empty"),
        ("a,b\n1,2\n", "no column that looks like a title; line 1 is taken as the heading: a, b"),
        ("\nRoof,,\nThis week,,\nName,Status,Date\n", "line 2 is taken as the heading: Roof. If"),
        ('title,text\nOne,"open\n', r"t\.csv is damaged: unexpected end of data, line"),
        ("title\nOne,Two\n", r"t\.csv, line 2: there are 2 cells, but 1 in the heading, which is line 1"),
        ("title\nOne\n".encode("utf-16") + b"\0", r"t\.csv is damaged: it ends in the middle of a character"),
        ("тема,title\nx,One\n".encode("utf-16-le"), r"t\.csv is not in utf-8; write 'charset: utf-16'"),
        ('[\n {"title": "One"}]', r"t\.csv is JSON, not a table; choose the tracker"),
        ('{"title": "One"}\n{"title": "Two"}', r"t\.csv is JSON, not a table"),
        ("<!DOCTYPE html>\n<p>Sign in, please</p>", r"t\.csv is HTML or XML, not a table; perhaps"),
        ('<?xml version="1.0"?>\n<tickets/>', r"t\.csv is HTML or XML, not a table"),
    ],
)
def test_a_damaged_table_names_its_place_and_changes_nothing(world, write, move, table, sentence):
    before = world.people["ada"].get("/projects").items
    with pytest.raises(Invalid, match=sentence):
        move("csv", write({"t.csv": table}))
    assert world.people["ada"].get("/projects").items == before


def test_rows_that_end_too_early_are_named(write, move):
    said = move("csv", write({"t.csv": "title,state,text\n\nOne,open,\nTwo,open\nTh"}), "--dry-run")
    assert (
        "2 rows with fewer cells than there are headings: t.csv, line 4: 2 of 3 cells, t.csv, line 5: 1"
        in said
    )


def test_a_missing_source_is_one_sentence_and_the_exit_code_1(terminal):
    assert "does not exist" in terminal.bad("import", "--from", "csv", "/nowhere/at.all")


def test_a_project_that_the_source_does_not_have_is_named(write, move):
    with pytest.raises(NotFound, match="no project 7"):
        move("csv", write({"t.csv": "title\nOne\n"}), "--project", 7)


def test_empty_cells_behind_the_last_heading_do_no_harm(write, moved):
    assert moved("csv", write({"t.csv": "id,title\n1,One,,\n"}))[1]["title"] == "One"


def test_a_spreadsheet_and_an_archive_that_was_cut_are_named_as_such(write, move, tmp_path):
    folder = write({"roof.XLSX": b"\xd0\xcf\x11\xe0", "roof.zip": b"PK\3\4\0", "roof.csv.gz": b"\x1f\x8b\0"})
    with pytest.raises(Invalid, match=r"^roof\.XLSX is a spreadsheet; save it as CSV$"):
        move("csv", folder / "roof.XLSX")
    for name in ("roof.zip", "roof.csv.gz"):
        with pytest.raises(ArchiveError, match="The archive cannot be read"):
            move("csv", folder / name)


@pytest.mark.parametrize("kind", ["github", "gitlab", "redmine", "trac"])
def test_the_table_of_another_tracker_is_sent_to_the_right_source(write, move, kind):
    folder = write({"issues.csv": "title\nOne\n"})
    with pytest.raises(Invalid, match=r"^issues\.csv is a table; choose CSV as its source \(--from csv\)$"):
        move(kind, folder / "issues.csv")


def test_names_of_files_may_be_in_another_charset(write, moved, move):
    folder = write({"D\udce4cher.csv": "id,title\n1,One\n"})
    assert "project 1, D\ufffdcher:" in move("csv", folder, "--dry-run")
    assert moved("csv", folder, "--name", "D\udce4cher")[1]["title"] == "One"
