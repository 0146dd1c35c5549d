"""Issues of Jira: answers of its search, single issues, and its table."""

import gzip
import json

import pytest

from skerry.errors import Invalid

ADA = {"name": "ada", "displayName": "Ada L", "emailAddress": "ada@old.example"}
BEN = {"accountId": "5:1", "displayName": "Ben B"}
OPEN = {"name": "Open", "statusCategory": {"key": "new"}}
CLOSED = {"name": "Closed", "statusCategory": {"key": "done"}}


def issue(number, **values):
    fields = {
        "summary": f"Issue {number}",
        "created": "2026-02-13T10:00:00.000+0000",
        "status": OPEN,
        "reporter": ADA,
    }
    own = {"key": f"ROOF-{number}", "self": f"https://jira.example/rest/api/2/issue/{number}"}
    log = {"changelog": values.pop("changelog")} if "changelog" in values else {}
    return {**own, "fields": {**fields, "project": {"key": "ROOF", "name": "Roof"}, **values}, **log}


def change(author, at, *items):
    names = ("field", "from", "fromString", "to", "toString")
    return {
        "author": author,
        "created": f"2026-02-{at}:00.000+0000",
        "items": [dict(zip(names, item, strict=True)) for item in items],
    }


LEAK = issue(
    7,
    description="It *leaks*, see ROOF-9 (ROOF-9), [~5:1] and https://jira.example/browse/ROOF-9. Not #3.",
    environment="Rain",
    status=CLOSED,
    resolution={"name": "Fixed"},
    issuetype={"name": "Bug"},
    priority={"name": "High", "id": "2"},
    labels=["wet"],
    components=[{"name": "Tiles"}],
    assignee=BEN,
    fixVersions=[{"name": "1.0", "released": True, "releaseDate": "2026-03-01"}, {"name": "2.0"}],
    versions=[{"name": "0.9"}],
    updated="2026-02-15T10:00:00.000+0000",
    resolutiondate="2026-02-14T09:00:00.000+0000",
    duedate="2026-03-02",
    issuelinks=[
        {"type": {"inward": "is blocked by", "outward": "blocks"}, "inwardIssue": {"key": "ROOF-9"}},
        {"type": {"inward": "is caused by", "outward": "causes"}, "outwardIssue": {"key": "WALL-1"}},
    ],
    comment={
        "total": 3,
        "comments": [
            {"author": BEN, "created": "2026-02-14T08:00:00.000+0000", "body": "{{rain}}"},
            {
                "author": ADA,
                "created": "2026-02-14T08:30:00.000+0000",
                "body": "x",
                "visibility": {"value": "Us"},
            },
        ],
    },
    attachment=[
        {
            "id": "31",
            "filename": "a b.txt",
            "author": ADA,
            "created": "2026-02-13T11:00:00.000+0000",
            "size": 4,
        },
        {
            "id": "32",
            "filename": "gone.png",
            "author": ADA,
            "created": "2026-02-13T11:00:00.000+0000",
            "size": 9,
        },
    ],
    votes={"votes": 2},
    customfield_10001="Team",
    changelog={
        "histories": [
            change(
                ADA,
                "14T09:00",
                ("status", "1", "Open", "6", "Closed"),
                ("resolution", None, None, "1", "Fixed"),
            ),
            change(
                ADA, "13T12:00", ("assignee", None, None, "5:1", "Ben B"), ("labels", "", "old", "", "wet")
            ),
            change(
                ADA,
                "13T13:00",
                ("summary", "", "Drips", "", "Issue 7"),
                ("Fix Version", None, None, "1", "1.0"),
            ),
            change(ADA, "13T14:00", ("priority", "4", "Low", "2", "High"), ("Sprint", "", "", "3", "May")),
            change(BEN, "13T15:00", ("duedate", None, None, "2026-03-02", "2026-03-02 00:00:00.0")),
        ]
    },
)
PAINT = issue(9, parent={"key": "ROOF-7"}, description={"type": "doc", "content": []})
WALL = {**issue(1), "key": "WALL-1"}
WALL["fields"] = {**WALL["fields"], "project": {"key": "WALL", "name": "Wall"}, "description": "See ROOF-7."}
FILES = {
    "page 1.json": {"startAt": 0, "total": 2, "issues": [LEAK]},
    "page 2.jsonl": "\n".join(map(json.dumps, (PAINT,))),
    "attachments/31/a b.txt": "rain",
}


def test_every_field_becomes_one(write, moved):
    tickets = moved("jira", write(FILES))
    leak, paint = tickets[7], tickets[9]
    assert (leak["title"], leak["state"], leak["closed"]) == ("Issue 7", "Fixed", True)
    assert (leak["creator_name"], leak["assigned_user_name"]) == ("Ada L", "Ben B")
    assert (leak["tag"], leak["milestone_title"]) == ("bug tiles wet", "1.0")
    assert (leak["importance_name"], leak["due_on"]) == ("High", "2026-03-02")
    assert leak["created_at"] == "2026-02-13T10:00:00Z"
    assert {link["kind"]: link["number"] for link in leak["links"]} == {"blocked-by": 9, "child": 9}
    assert [each["filename"] for each in leak["attachments"]] == ["a_b.txt"]
    assert (paint["state"], paint["closed"]) == ("Open", False)


def test_texts_are_markdown_whose_references_lead_here(write, moved):
    first = moved("jira", write(FILES))[7]["versions"][0]["body"]
    assert first == (
        'It **leaks**, see #9 ([#9]), @"Ben B" and #9. Not \\#3.\n\n'
        "**Environment**\n\nRain\n\n**Affected versions:** 0.9"
    )


def test_the_history_becomes_versions(write, moved):
    versions = moved("jira", write(FILES))[7]["versions"]
    assert [each["created_at"][8:16] for each in versions] == [
        *("13T10:00", "13T12:00", "13T13:00", "13T14:00", "13T15:00", "14T08:00", "14T09:00")
    ]
    assert [each["state"] for each in versions] == ["Open"] * 6 + ["Fixed"]
    assert [each["title"] for each in versions[1:3]] == ["Drips", "Issue 7"]
    assert [each["tag"] for each in versions[:2]] == ["bug old tiles", "bug tiles wet"]
    assert [each["milestone_title"] for each in versions[1:3]] == ["2.0", "1.0"]
    assert [each["due_on"] for each in versions[3:5]] == [None, "2026-03-02"]
    assert [each["user_name"] for each in versions[4:6]] == ["Ben B", "Ben B"]
    assert versions[5]["body"] == "`rain`"


def test_edits_of_the_description_keep_the_earlier_texts(write, moved, earlier):
    log = {"histories": [change(BEN, "14T09:00", ("description", None, "*Wet*", None, "Dry"))]}
    ticket = moved("jira", write({"a.json": [issue(1, description="Dry", changelog=log)]}))[1]
    assert earlier(ticket) == [("**Wet**", "Ada L", "13")]
    assert [each["body"] for each in ticket["versions"]] == ["Dry"]


def test_the_report_names_what_is_changed_and_lost(write, move):
    said = move("jira", write(FILES), "--dry-run")
    for sentence in (
        "1 comment that only some could read: ROOF-7",
        "1 comment that the export announces and does not have: ROOF-7",
        "1 fix version besides the first one of an issue: ROOF-7 2.0",
        "1 attached file, which the export does not have: ROOF-7 gone.png",
        "1 link to tickets that are not in the export: ROOF-7 relates-to WALL-1",
        "1 link 'causes' now relates: ROOF-7",
        "1 change of sprint in the history: ROOF-7",
        "1 value of customfield_10001: ROOF-7",
        "2 votes: ROOF-7",
        "1 environment is at the end of the first text: ROOF-7",
    ):
        assert sentence in said


def test_comments_that_were_fetched_apart_join_their_issue_once(write, move, moved):
    def comment(number, issue_id):
        place = f"https://jira.example/rest/api/2/issue/{issue_id}/comment/{number}"
        at = f"2026-02-14T0{number}:00:00.000+0000"
        return {"id": str(number), "self": place, "author": BEN, "created": at, "body": f"No. {number}"}

    leak = {**issue(1, comment={"total": 3, "comments": [comment(1, 71)]}), "id": "71"}
    apart = {"total": 3, "comments": [comment(number, 71) for number in (1, 2)]}
    folder = write({"a.json": apart, "b.json": [leak], "c.json": {"comments": [comment(3, 99)]}})
    said = move("jira", folder, "--dry-run")
    assert "1 comment that the export announces and does not have: ROOF-1" in said
    assert "1 comment of issues that the export does not have: 99" in said
    assert [each["body"] for each in moved("jira", folder)[1]["versions"]] == ["", "No. 1", "No. 2"]


def test_projects_of_one_export_keep_their_links(world, write, move):
    move("jira", write({**FILES, "wall.json": [WALL]}))
    ada = world.people["ada"]
    ids = {each["name"]: each["id"] for each in ada.get("/projects").items}
    wall = ada.get(f"/projects/{ids['Wall']}/tickets/1").item
    assert wall["versions"][0]["body"] == "See roof#7."
    assert f'href="/projects/{ids["Roof"]}/tickets/7"' in wall["versions"][0]["body_html"]
    (link,) = wall["links"]
    assert (link["kind"], link["project_id"], link["number"]) == ("relates-to", ids["Roof"], 7)


def test_an_issue_without_a_history_is_closed_when_it_was(write, moved):
    comment = {"author": BEN, "created": "2026-02-14T09:00:00.000+0000", "body": "done"}
    closed = {"status": CLOSED, "resolutiondate": "2026-02-14T09:00:01.000+0000"}
    tickets = moved(
        "jira", write({"a.json": [issue(1, **closed), issue(2, **closed, comment={"comments": [comment]})]})
    )
    unknown, known = (tickets[number]["versions"][-1] for number in (1, 2))
    assert (unknown["state"], unknown["user_name"], unknown["created_at"]) == (
        "Closed",
        "Unknown",
        "2026-02-14T09:00:01Z",
    )
    assert (known["state"], known["user_name"], known["body"]) == ("Closed", "Ben B", "done")


def test_documents_of_the_newer_interface_are_markdown(write, moved):
    text = {"type": "text", "text": "a_b", "marks": [{"type": "strong"}]}
    items = [{"type": "listItem", "content": [{"type": "paragraph", "content": [text]}]}]
    code = {
        "type": "codeBlock",
        "attrs": {"language": "python"},
        "content": [{"type": "text", "text": "x = 1"}],
    }
    document = {
        "type": "doc",
        "content": [{"type": "bulletList", "content": items}, code, {"type": "new", "text": "?"}],
    }
    ticket = moved("jira", write({"a.json": [issue(1, description=document)]}))[1]
    assert ticket["versions"][0]["body"] == "- **a_b**\n\n```python\nx = 1\n```\n\n?"


def node(kind, *content, **attributes):
    inside = [{"type": "text", "text": each} if isinstance(each, str) else each for each in content]
    return {"type": kind, "attrs": attributes, "content": inside}


def paragraph(*content):
    return node("paragraph", *content)


PICTURE = node(
    "mediaSingle", node("media", alt="a b.png", id="1", type="file"), node("caption", "The ", "roof")
)
MERGED = node(
    "table",
    node("tableRow", node("tableHeader", paragraph("A"), colspan=2), node("tableHeader", paragraph("C"))),
    node("tableRow", node("tableCell", paragraph("1"), rowspan=2), *[node("tableCell", paragraph("2"))] * 2),
    node("tableRow", node("tableCell", node("codeBlock", "x\ny")), node("tableCell", paragraph("3"))),
)
NODES = {
    "> **Why**\n>\n> rain": node("expand", paragraph("rain"), title="Why"),
    "> rain": node("panel", paragraph("rain"), panelType="info"),
    "- [x] one\n  - [ ] two\n- [ ] three": node(
        "taskList",
        node("taskItem", "one", state="DONE"),
        node("taskList", node("taskItem", "two", state="TODO")),
        node("blockTaskItem", paragraph("three"), state="TODO"),
    ),
    "- tiles": node("decisionList", node("decisionItem", "tiles", state="DECIDED")),
    "3. three\n4. four": node(
        "orderedList", node("listItem", paragraph("three")), node("listItem", paragraph("four")), order=3
    ),
    'Done :rain: ☂ @"Ben B" @"Cy" hint': paragraph(
        *(node("status", text="Done"), " ", node("emoji", shortName=":rain:"), " "),
        *(
            node("emoji", shortName=":umbrella:", text="☂"),
            " ",
            node("mention", id="5:1", text="@Benny"),
            " ",
        ),
        *(node("mention", id="6", text="@Cy"), " ", node("placeholder", text="hint")),
    ),
    "https://a.example/x\n\nhttps://b.example/": node(
        "layoutSection",
        node("layoutColumn", node("embedCard", url="https://a.example/x")),
        node("layoutColumn", node("blockCard", url="https://b.example/")),
    ),
    "![a b.png](attachment:a%20b.png)\n\nThe roof": PICTURE,
    "[plan.pdf](attachment:plan.pdf)": node("mediaGroup", node("media", alt="plan.pdf", id="2")),
    "![https://a.example/x.png](https://a.example/x.png)": node(
        "mediaSingle", node("media", type="external", url="https://a.example/x.png")
    ),
    "| A |  | C |\n|---|---|---|\n| 1 | 2 | 2 |\n|  | `x`<br>`y` | 3 |": MERGED,
    "---": node("rule"),
    "- - one\n- > two": node(
        "bulletList",
        node("listItem", node("bulletList", node("listItem", paragraph("one")))),
        node("listItem", node("blockquote", paragraph("two"))),
    ),
    "-\n- [ ] \n- two": node(
        "bulletList",
        node("listItem", node("bulletList", node("listItem", node("bulletList", node("listItem"))))),
        node("taskItem"),
        node("listItem", paragraph("two")),
    ),
    "| **A**<br>b |\n|---|": node(
        "table",
        node("tableRow", node("tableHeader", node("heading", "A", level=2), node("panel", paragraph("b")))),
    ),
    "one\ntwo": paragraph("one", node("hardBreak"), "two"),
    "kept": node("bodiedExtension", paragraph("kept"), extensionKey="macro"),
}


@pytest.mark.parametrize("expected", NODES)
def test_each_kind_of_node_is_markdown(write, moved, expected):
    named = [
        {"filename": name, "id": name, "created": "2026-02-14T08:00:00Z"} for name in ("a b.png", "plan.pdf")
    ]
    here = issue(1, description=node("doc", NODES[expected]), assignee=BEN, attachment=named)
    files = {"ROOF-1/a b.png": "x", "ROOF-1/plan.pdf": "x"}
    assert moved("jira", write({"a.json": [here], **files}))[1]["versions"][0]["body"] == expected


def test_merged_cells_make_no_table_wider_than_a_page_of_markdown(write, moved):
    wide = node("tableCell", colspan=50, rowspan=50)
    rows = [node("tableRow", *[wide] * 400), *[node("tableRow", paragraph("x"))] * 49]
    here = issue(1, description=node("doc", node("table", *rows)))
    assert len(moved("jira", write({"a.json": [here]}))[1]["versions"][0]["body"]) < 100_000


def test_the_description_of_a_project_may_be_a_document(write, move, ada):
    document = node("doc", node("heading", "Roof", level=1), node("panel", paragraph("Slate")))
    said = move("jira", write({"a.json": [issue(1), {"key": "ROOF", "name": "R", "description": document}]}))
    assert "1 panel is a quotation" in said
    assert "# Roof\n\n> Slate" in [each["description"] for each in ada.get("/projects").items]


def test_what_documents_lose_is_counted_by_its_kind(write, move):
    marked = {
        "type": "text",
        "text": "m",
        "marks": [{"type": "subsup"}, {"type": "textColor"}, {"type": "em"}],
    }
    deep = paragraph("deep")
    for _ in range(30):
        deep = node("blockquote", deep)
    lost = (
        node("media", id="1"),
        node("media", id="2", alt="x.png"),
        node("extension", text="app"),
        MERGED,
        deep,
    )
    lost = (*lost, node("panel", paragraph("!"), panelType="warning"))
    line = paragraph(marked, node("inlineCard"), node("newest", "words"))
    said = move("jira", write({"a.json": [issue(1, description=node("doc", *lost, line))]}), "--dry-run")
    for sentence in (
        "1 picture or file in texts, without a name: ROOF-1",
        "1 picture in texts whose files are not in the export",
        *(
            f"1 part of texts of the kind {kind}, of which only the words stay"
            for kind in ("extension", "subsup", "inlineCard", "newest")
        ),
        "1 color of texts",
        "2 merged cells of tables",
        "1 part of texts nested too deeply",
        "1 panel is a quotation",
    ):
        assert sentence in said
    assert "kind em" not in said


FLAT = {
    "key": "ROOF-3",
    "title": "Flat",
    "body": "h1. Roof",
    "state": "Closed",
    "closed": True,
    "resolution": "Done",
    "created_at": "2026-02-13T10:00:00.000+0000",
    "author": "Ada L",
    "labels": ["wet"],
    "milestone": "1.0",
    "links": [["Duplicate", "ROOF-4", "in"]],
    "attachments": [{"filename": "x", "created_at": "2026-02-13"}],
    "comments": [{"author": "Ben B", "body": "yes", "created_at": "2026-02-13T11:00:00Z", "changes": {}}],
}


def test_objects_with_plain_values_are_issues_too(write, moved):
    other = {**FLAT, "key": "ROOF-4", "links": [], "closed": False, "state": "Open", "resolution": None}
    tickets = moved("jira", write({"a.jsonl": f"{json.dumps(FLAT)}\n{json.dumps(other)}\n"}))
    assert (tickets[3]["state"], tickets[3]["creator_name"], tickets[3]["milestone_title"]) == (
        "Done",
        "Ada L",
        "1.0",
    )
    assert [each["body"] for each in tickets[3]["versions"]] == ["# Roof", "yes"]
    assert [link["kind"] for link in tickets[3]["links"]] == ["duplicated-by"]


@pytest.mark.parametrize(
    ("beside", "sentence"),
    [
        ({"total": 3}, "2 issues that the answers announce and do not have"),
        ({"nextPageToken": "x", "isLast": False}, "the pages after the last one, which is not the end"),
    ],
)
def test_missing_pages_are_told(write, move, beside, sentence):
    pages = {"a.json": {"issues": [issue(1)], **beside}}
    assert sentence in move("jira", write(pages), "--dry-run")
    pages["b.json"] = {"issues": [issue(2), issue(3)]}
    assert sentence not in move("jira", write(pages), "--dry-run")


def test_days_in_documents_are_days(write, moved):
    day = {"type": "date", "attrs": {"timestamp": "1582152559000"}}
    document = {"type": "doc", "content": [{"type": "paragraph", "content": [day]}]}
    body = moved("jira", write({"a.json": [issue(1, description=document)]}))[1]["versions"][0]["body"]
    assert body == "2020-02-19"


def test_lines_may_be_packed(write, moved, move):
    packed = gzip.compress(json.dumps({**FLAT, "links": []}).encode())
    assert moved("jira", write({"a.JSONL.GZ": packed}))[3]["state"] == "Done"
    with pytest.raises(Invalid, match=r"b\.jsonl\.gz is damaged"):
        move("jira", write({"b.jsonl.gz": packed[:-9]}, "other"))


TABLE = """\
Summary,Issue key,Issue id,Issue Type,Status,Project name,Priority,Resolution,Reporter,Created,Resolved,\
Due Date,Labels,Labels,Fix Version/s,Description,Outward issue link (Blocks),Comment,Comment,Attachment,\
Parent id,Custom field (Team)
It leaks,ROOF-7,107,Bug,Resolved,Roof,High,Fixed,ada,13/Feb/26 10:00 AM,14/Feb/26 9:00 AM,02/Mar/26,\
wet,cold,1.0,See *ROOF-9*,ROOF-9,"14/Feb/26 8:00 AM;ben;{{rain}}; more",free text,\
14/Feb/26 8:00 AM;ben;a.png;https://jira.example/secure/attachment/5/a.png,,Us
Paint,ROOF-9,109,Task,Open,Roof,,Unresolved,ben,13/Feb/26 10:00 PM,,,,,,,,,,,107,
"""


def test_a_table_has_columns_for_each_value(write, moved):
    tickets = moved("jira", write({"Jira.csv": TABLE}))
    leak, paint = tickets[7], tickets[9]
    assert (leak["title"], leak["state"], leak["tag"]) == ("It leaks", "Fixed", "bug cold wet")
    assert (leak["due_on"], leak["milestone_title"]) == ("2026-03-02", "1.0")
    assert {link["kind"] for link in leak["links"]} == {"blocks", "child"}
    assert [each["body"] for each in leak["versions"]] == ["See **[#9]**", "free text", "`rain`; more", ""]
    assert [each["user_name"] for each in leak["versions"][::2]] == ["ada", "ben"]
    assert (paint["state"], paint["created_at"]) == ("Open", "2026-02-13T22:00:00Z")


def test_a_row_of_a_table_with_more_cells_than_headings_is_refused(write, move):
    table = "Summary,Issue key,Created,Labels,Description\nLeak,ROOF-7,13/Feb/26,wet, cold,It leaks\n"
    with pytest.raises(
        Invalid, match=r"^Jira\.csv, line 2: there are 6 cells, but 5 in the heading, which is line 1$"
    ):
        move("jira", write({"Jira.csv": table}))


def test_a_row_of_a_table_that_ends_too_early_is_named(write, move):
    table = "Issue key,Summary,Created,Status,Comment\nROOF-1,Leak,2026-02-13 10:00,Open\n"
    said = move("jira", write({"Jira.csv": table}), "--dry-run")
    assert "1 row with fewer cells than there are headings: Jira.csv, line 2: 4 of 5 cells" in said


def test_watchers_of_a_table_are_the_people_of_its_other_columns(write, move):
    table = """\
Summary,Issue key,Created,Reporter,Reporter Id,Watchers,Watchers,Watchers Id,Watchers Id
It leaks,ROOF-7,13/Feb/26 10:00 AM,Ada L,712020:ada,Ada L,Ben B,712020:ada,712020:ben
"""
    said = move("jira", write({"Jira.csv": table}), "--dry-run")
    assert "their keys are: 712020:ada (Ada L), 712020:ben (Ben B)\n" in said


def test_the_report_on_a_table_names_lost_columns(write, move):
    said = move("jira", write({"Jira.csv": TABLE}), "--dry-run")
    assert "1 value of Custom field (Team): ROOF-7" in said
    assert "1 attached file, which the export does not have: ROOF-7 a.png" in said


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"a.json": {"issues": [{"key": "ROOF", "fields": {}}]}}, "a.json, item 1: key and fields must be"),
        ({"a.json": [issue(1, created="soon")]}, "a.json, item 1, fields: created must be a time"),
        ({"a.json": [issue(1, labels=[1])]}, "labels must contain texts"),
        ({"a.json": '{"issues": [{"key"'}, "a.json is damaged"),
        ({"a.json": [{"title": "x"}]}, "has no issues of Jira"),
        ({"a.csv": "a,b\n1,2\n"}, "a.csv has no columns Summary and Issue key"),
        ({"a.csv": "Summary,Issue key\nx,ROOF-1\n"}, "a.csv has no column Created; export all fields"),
        ({"a.csv": "Zusammenfassung,Vorgangsschlüssel\nx,ROOF-1\n"}, "choose English in your profile there"),
        ({"a.csv": "Title,Assignee\nx,Ben\n"}, "is imported as CSV"),
        ({"a.csv": "Summary,Issue key,Created\nx,ROOF-1,soon\n"}, "a.csv, line 2: Created must be a time"),
        (
            {"a.jsonl": json.dumps({**FLAT, "links": [1]})},
            "links must be lists of a type, a key, and in or out",
        ),
    ],
)
def test_what_cannot_be_used_is_named_and_changes_nothing(world, write, move, files, sentence):
    with pytest.raises(Invalid, match=sentence.replace("(", r"\(")):
        move("jira", write(files))


def test_twice_is_once(write, move):
    folder = write(FILES)
    move("jira", folder)
    assert "already exists" in move("jira", folder)
