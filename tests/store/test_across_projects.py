"""Rows of several projects are reached by what the caller sees of them; the exceptions stand here."""

import ast
import re
from collections import defaultdict
from pathlib import Path

from sqlalchemy import Select

import skerry
from skerry.database.database import engine_at
from skerry.database.statements import PROJECT
from tests.support.sql_capture import of_the_program

SOURCE = Path(skerry.__file__).parent

# For each reason (see ``Across``) and module of ``store/``: the statements, or the functions that build them.
EXCEPTIONS = {
    "administration": {
        "auth/account_logins": "_OUTSIDE",
        "moving_in": "_IS_KNOWN_SINCE",
        "people/giving": "_PLACES _RELINK _add_missing _remove _replace _text",
        "people/people": "_ASSIGN_AT_HOME _ASSIGN_NO_MORE _LEAVE _OF_ACCOUNT",
        "removals": "_DEFAULTS _FORGET _IN_PROJECTS _LOADS _REASSIGN_DEFAULT",
        "sending/backlogs": "_HOOKS _READERS",
        "spam/spam": "_LIST _REMOVE_THINGS _SOME_THINGS",
        "spam/spam_profiles": "_WATCHED",
        "spam/spam_rows": "_COMMENTS _HELD _REMOVE_HELD _TEXTS _TICKETS",
    },
    "person": {
        "auth/logins": "_LOGIN _OF_USER",
        "held_texts": "_OF_USER",
        "list_settings": "_OF_USER",
        "mail/mail_changes": "_PUT_OFF _REMOVE_OF_USER",
        "notifications/excerpts": "_BEGINNINGS",
        "notifications/notifications": "_MARK",
        "people/guests": "_IS_ADMITTED",
        "people/memberships": "_IN_PROJECTS",
        "people/single_sign_on": "_END_OTHER_SESSIONS",
        "people/users": "_MET _OF_ACCOUNT",
        "private_tickets": "_GUARDED",
    },
    "checked": {"events/event_reading": "_OF_ACCOUNT _THOSE"},
    "place": {"attachments": "_PROJECT"},
    "upkeep": {
        "attachments": "_KNOWN",
        "checks/search_index": "_DRAWN _PROJECTS",
        "events/events": "_AFTER _FIRST_KEPT _OLDEST _REMOVE _RENUMBER _REWRITE_CHANGES",
        "forges": "_NAMED",
        "health": "_ATTACHMENTS _TICKETS",
        "held_texts": "_WAITING",
        "mail/mail_changes": "_ACCOUNTS _DUE",
        "notifications/notifications": "_BEYOND _OLD _REMOVE _WITH_MANY",
        "notifications/reminders": "_ACCOUNTS _DUE",
        "project_removals": "_INCOMPLETE",
        "projects": "_ALL",
        "rendered_texts": "_statements",
        "sealed_columns": "_statements",
        "search/index": "_NEXT _PROJECTS",
        "search/sqlite_index": "_OUT_OF_ORDER",
        "transfer/exports": "_VIEWS",
        "transfer/imports": "_PROJECTS _existing",
        "transfer/unfinished": "_ALL",
    },
}

# Where else ids of projects are said to be seen.
OTHER_IDS = {
    "hooks/queries.py": "the project of an event, for a hook of it",
    "store/checks/search_index.py": "a command, which tells numbers only",
    "store/milestones.py": "one project, which was entered",
    "store/project_removals.py": "one project, which is deleted",
    "tracker/activities.py": "the one that is asked for of those that are seen",
    "tracker/suggestions.py": "words that stand for visible projects",
}


def marked():
    """Return the names of the statements that are marked, by reason and module."""
    found = defaultdict(lambda: defaultdict(set))
    for file in SOURCE.rglob("*.py"):
        for outer in ast.parse(file.read_text()).body:
            for each in ast.walk(outer):
                if isinstance(each, ast.keyword) and each.arg == "across_projects":
                    name = outer.name if isinstance(outer, ast.FunctionDef) else outer.targets[0].id
                    place = file.relative_to(SOURCE).with_suffix("").as_posix().removeprefix("store/")
                    found[each.value.value][place].add(name)
    return found


def test_only_these_statements_read_several_projects_regardless_of_the_caller():
    assert marked() == {
        reason: {place: {*names.split()} for place, names in places.items()}
        for reason, places in EXCEPTIONS.items()
    }


def test_no_statement_that_names_its_projects_is_an_exception():
    dialect = engine_at("sqlite://").dialect
    marked_ones = [each for each in of_the_program(dialect).values() if each.across_projects]
    assert marked_ones
    assert [each.clause for each in marked_ones if each.on(dialect).bound & PROJECT] == []


def test_a_statement_that_names_a_project_reads_no_other():
    dialect = engine_at("sqlite://").dialect
    for statement in of_the_program(dialect).values():
        compiled = statement.on(dialect)
        if isinstance(statement.clause, Select) and "project_id" in compiled.bound:
            assert re.search(r"(project_id|\bid)( \+ 0)? = (\?|\(SELECT \?)|mod\(", compiled.text), (
                compiled.text
            )


def makers(made):
    """Return the modules with code that matches a pattern."""
    return {
        file.relative_to(SOURCE).as_posix()
        for file in SOURCE.rglob("*.py")
        if re.search(made, file.read_text())
    }


def test_only_permissions_say_what_a_caller_sees():
    assert makers(r"(?<!class )\bVisibility\(|\beverything=|[\"']everything[\"']:") == {"tracker/access.py"}
    assert makers(r"\bSeenIds\(") == {"tracker/access.py", *OTHER_IDS}
