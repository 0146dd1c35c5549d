"""Issues that only some could read in another tracker: private here, also when the project becomes public."""

import pytest

from tests.cli.sources import lab, red, trunk
from tests.cli.sources.test_jira import issue

INSIDE = {"visibility": {"value": "Us"}}
COMMENT = {"author": {"name": "ada"}, "created": "2026-02-14T08:00:00.000+0000", "body": "hushword"}
EXPORTS = {
    "gitlab": {
        **lab.EXPORT,
        "tree/project/issues.ndjson": lab.lines(
            lab.issue(1, "hushword", confidential=True, notes=[lab.note("Found", 2)]),
            lab.issue(
                2, notes=[lab.note("hushword", 2, internal=True), lab.note("hushword", 2, confidential=True)]
            ),
        ),
    },
    "redmine": {
        "a.json": {
            "issues": [
                red.issue(
                    1, subject="hushword", is_private=True, journals=[red.journal(1, 2, notes="Found")]
                ),
                red.issue(2, journals=[red.journal(2, 3, notes="hushword", private=True)]),
            ]
        }
    },
    "jira": {
        "a.json": {
            "issues": [
                issue(1, summary="hushword", security={"id": "3", "name": "Staff"}),
                issue(2, comment={"comments": [{**COMMENT, **INSIDE}, {**COMMENT, "jsdPublic": False}]}),
                issue(3, summary="hushword", issuerestriction={"issuerestrictions": {"projectrole": [{}]}}),
                issue(4, issuerestriction={"issuerestrictions": {}, "shouldDisplay": True}),
            ]
        }
    },
    "csv": {
        "a.csv": "id,title,text,Confidential\n1,hushword,Found,Yes\n2,Open,,no\n3,hushword,,?\n4,Open,,\n"
    },
}
TABLE = (
    "Summary,Issue key,Issue id,Status,Created,Security Level\n"
    "hushword,ROOF-1,1,Open,13/Feb/26 10:00 AM,Staff\nIssue,ROOF-2,2,Open,13/Feb/26 10:00 AM,\n"
)


@pytest.fixture
def shown(moved, ada, cy):
    """Imports an export, opens its project to everybody, and gives what members and what others see."""

    def tickets(kind, path):
        imported = moved(kind, path)
        place = f"/projects/{next(iter(imported.values()))['project_id']}"
        ada.put(place, {"project": {"public": True}})
        seen = cy.get(f"{place}/tickets").items
        texts = "".join(cy.get(f"{place}/tickets/{each['number']}").body.decode() for each in seen)
        assert "hushword" not in texts
        return imported, {each["number"] for each in seen}

    return tickets


@pytest.mark.parametrize("kind", EXPORTS)
def test_what_was_hidden_there_is_hidden_here(write, shown, kind):
    imported, seen = shown(kind, write(EXPORTS[kind]))
    hidden = imported.keys() - seen
    assert {number for number, each in imported.items() if each["title"] == "hushword"} == hidden
    assert hidden >= {1}
    assert {each["private"] for number in hidden for each in imported[number]["versions"]} == {True}
    assert {each["private"] for number in seen for each in imported[number]["versions"]} == {False}


def test_a_security_level_in_a_table_of_jira_hides_an_issue(write, shown):
    assert shown("jira", write({"a.csv": TABLE}))[1] == {2}


@pytest.mark.parametrize(("value", "seen"), [("1", {9}), ("0", {7, 9})])
def test_a_sensitive_ticket_of_trac_is_private(tmp_path, shown, value, seen):
    more = f"INSERT INTO ticket_custom VALUES (7, 'sensitive', '{value}');"
    imported, visible = shown("trac", trunk.environment(tmp_path / "env", more=more))
    assert visible == seen
    assert "sensitive" not in imported[7]["body"]
