"""Names of the files in an export, also where case and composition make no difference."""

from skerry.wire import exports as names


def test_names_that_some_file_systems_take_for_the_same_are_told_apart() -> None:
    taken: set[str] = set()
    sent = ["Plan.txt", "plan.TXT", "ticket.json", "Ticket.JSON", "\u00e9.txt"]
    sent += ["E\u0301.txt", "STRASSE", "stra\u00dfe"]
    assert [names.of_file(name, number, taken) for number, name in enumerate(sent, 1)] == [
        "Plan.txt", "2-plan.TXT", "3-ticket.json", "4-Ticket.JSON",
        "\u00e9.txt", "6-E\u0301.txt", "STRASSE", "8-stra\u00dfe",
    ]  # fmt: skip


def test_revisions_that_differ_by_case_have_different_files() -> None:
    found = [names.of_revision(revision).lower() for revision in ("f00d", "F00D", "F00d")]
    assert len(set(found)) == 3
    assert found[0] == "f00d"
