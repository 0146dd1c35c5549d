"""The versions and references of tickets from any tracker."""

import pytest

from skerry.transfer.sources import history
from skerry.transfer.sources.numbering import Places
from skerry.transfer.sources.records import Change, Edit, Project, References, Ticket, TicketName, Values
from skerry.transfer.sources.report import Report
from skerry.transfer.sources.rewriting import Rewriter
from tests.cli.sources import trunk

SECOND = 1_000_000


@pytest.mark.parametrize(("author", "seconds", "count"), [("ada", 2, 2), ("ada", 3, 3), ("ben", 2, 3)])
def test_what_one_person_changes_in_one_moment_is_one_version(author, seconds, count):
    at = 3600 * SECOND
    changes = [
        Change("ada", at, edits={"state": Edit("new", "open")}),
        Change(author, at + seconds * SECOND, "Done"),
    ]
    ticket = Ticket("1", Values("Rain", "open"), "cy", 0, changes=changes)
    assert len(history.versions(ticket, Report())) == count


@pytest.mark.parametrize("word", ["octo/roof", "Octo/Roof"])
def test_the_name_of_a_repository_is_known_in_any_case(word):
    project = Project("1", "Roof", names=lambda: iter([TicketName("3", 3)]), tickets=lambda: iter(()))
    report, references = Report(), References(words=frozenset(["Octo/roof"]))
    rewriter = Rewriter(references, Places([project], report), 1, {}, report)
    assert rewriter.rewritten(f"See {word}#3 and octo/wall#3") == "See #3 and octo/wall#3"


def test_a_ticket_is_as_new_as_its_last_change(tmp_path, move):
    path = trunk.database(tmp_path / "a.db", more="UPDATE ticket SET changetime = time")
    assert "newest version" not in move("trac", path, "--dry-run")
