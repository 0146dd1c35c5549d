"""Invalid values in imports: repaired and counted, or refused with their position."""

import pytest

from skerry.errors import Invalid
from skerry.store.transfer.archive import ArchiveError
from tests.cli import hosted
from tests.cli.archives import differences
from tests.cli.hosted import LEAK, roof, ticket


def test_values_that_cannot_be_stored_are_repaired_and_counted(take, source):
    odd = {
        **hosted.VERSION,
        "title": None,
        "body": "red \x1b[31m" + "x" * 1_100_000,
        "state": "Frozen",
        "milestone_id": 99,
        "assigned_user_id": 98,
        "user_id": None,
        "created_at": "2999-01-01T00:00:00Z",
    }
    said = take(roof(**{LEAK: ticket(versions=[odd])}))
    for sentence in (
        "1 text had control characters",
        "ticket.json: body is longer than 1 MiB; it ends there now.",
        "has a state that the project does not have",
        "1 assignee is unknown",
        "1 milestone of a ticket does not exist in the project",
        "1 author is unknown",
        "1 blank title is now Untitled",
        "times were missing, before 1970 or in the future",
    ):
        assert sentence in said
    found = source.people["ada"].get("/projects/31/tickets/12").item
    assert (found["title"], found["state"], found["user_name"]) == ("Untitled", "Frozen", "Unknown")
    assert found["body"].startswith("red \ufffd[31m")
    assert differences(source.instance) == []


def test_a_ticket_that_was_changed_last_before_its_newest_version_is_found_by_that(take, source):
    said = take(roof(**{LEAK: ticket(updated_at="2008-01-01T00:00:00Z")}))
    assert "1 ticket was last changed before its newest version; it now has the time of that version." in said
    ada = source.people["ada"]
    assert ada.get("/projects/31/tickets/12").item["updated_at"] == "2009-03-01T07:00:00Z"
    for query in ("created:2009-02-11", "updated:2009-03-01"):
        assert len(ada.get(f"/projects/31/tickets?q={query}").items) == 1


def test_tags_that_are_too_long_in_small_letters_are_left_out_and_counted(take, source):
    tag = " ".join(["rain", "\u0130" * 100, "x" * 120])
    said = take(roof(**{LEAK: ticket(versions=[{**hosted.VERSION, "tag": tag}])}))
    assert "lists of tags were too long and were shortened" in said
    assert source.people["ada"].get("/projects/31/tickets/12").item["tag"] == f"rain {'x' * 100}"


def test_tags_in_quotes_that_are_too_long_come_as_words(take, source):
    take(roof(**{LEAK: ticket(versions=[{**hosted.VERSION, "tag": '"' + "abc def " * 60 + '"'}])}))
    assert source.people["ada"].get("/projects/31/tickets/12").item["tag"] == "abc def"


def test_names_in_an_archive_do_not_become_lines_of_the_report(take, source):
    forged = {"project": {**hosted.PROJECT, "name": "Roof\nImported 99 projects.\x9b31m"}}
    said = take(roof(**{"projects/31-roof/project.json": forged}))
    assert "\nImported 99" not in said
    assert "\x9b" not in said
    with pytest.raises(Invalid, match="31-roof/bins/4-\ufffdx"):
        take(roof(**{"projects/31-roof/bins/4-\nx.json": b"{"}))


WRONG = {
    "a text for a list": (
        {LEAK: {"ticket": {"number": 12, "versions": "many"}}},
        "12-it-leaks/ticket.json: versions must be a",
    ),
    "no object": (
        {LEAK: {"tickets": []}},
        'ticket.json cannot be used: it contains no object called "ticket"',
    ),
    "no JSON": ({LEAK: b"{"}, "12-it-leaks/ticket.json cannot be used: The JSON cannot be read"),
    "too deep": ({LEAK: b'{"ticket":' + b"[" * 9999}, "ticket.json cannot be used: It is nested more than"),
    "versions of one number": (
        {LEAK: ticket(versions=[hosted.VERSION, hosted.VERSION])},
        "version 1 is in two places",
    ),
    "one membership of two people": (
        {
            "projects/31-roof/memberships.json": {
                "memberships": [{"membership": {"id": 70, "user_id": user_id}} for user_id in (7, 8)]
            }
        },
        "31-roof/memberships.json: id 70 is in two places",
    ),
    "a membership of a number below all": (
        {"projects/31-roof/memberships.json": {"memberships": [{"membership": {"id": -8, "user_id": 7}}]}},
        "31-roof/memberships.json: id must be a whole number from 1",
    ),
    "another number": ({LEAK: ticket(number=13)}, "12-it-leaks/ticket.json: Number must be 12"),
    "one number twice": (
        {"projects/31-roof/tickets/12-again/ticket.json": ticket()},
        "12-again/ticket.json cannot be used: .* is in the same place",
    ),
    "a number beyond all": (
        {f"projects/31-roof/tickets/{10**17}-x/ticket.json": ticket(10**17)},
        "number must be a whole number from 1",
    ),
    "no project": ({"projects/31-roof/project.json": None}, "its project.json is missing"),
    "a null project": ({"projects/31-roof/project.json": {"project": None}}, "the project is null"),
    "files of a missing ticket": ({LEAK: None}, "12-it-leaks/.* cannot be used: its ticket.json is missing"),
    "a milestone without an id": (
        {"projects/31-roof/milestones/5-dry.json": {"milestone": {"title": "Dry"}}},
        "milestones/5-dry.json: id must not be missing",
    ),
    "a way out": ({"projects/31-roof/tickets/12-x/../../../etc": b"x"}, "its name leads elsewhere"),
    "nothing": (dict.fromkeys(roof()), "not an export"),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_archive_that_cannot_be_used_is_refused_by_file_and_field(take, source, name):
    files, match = WRONG[name]
    with pytest.raises((Invalid, ArchiveError), match=match):
        take(roof(**files))
    assert source.people["ada"].get("/projects").items == []
