"""Hooks are offered the types of events that are written, and only those that they can receive."""

from pathlib import Path

from sqlalchemy import text

import skerry
from skerry.store.sending.hooks import NEVER_SENT
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.sending.hooks import PROJECT_TYPES, TYPES
from tests.support.route_matrix import do_everything


def sendable(kinds):
    return {kind for kind in kinds if kind.partition(".")[0] not in NEVER_SENT}


def test_hooks_of_projects_are_offered_what_is_written_in_projects(own_instance):
    instance, _log = own_instance
    do_everything(instance)
    with instance.database.engine.connect() as connection:
        found = connection.execute(text("SELECT DISTINCT type, project_id IS NULL FROM events")).all()
    assert sendable(kind for kind, _ in found) <= set(TYPES)
    written = {
        is_of_account: sendable(kind for kind, of in found if of == is_of_account) for is_of_account in (0, 1)
    }
    # A project has no hooks when it is made, and none when it is gone.
    assert written[0] - set(PROJECT_TYPES) == {"project.created"}
    # Views are a project's, or of the account for all projects.
    shared = {kind for kind in written[1] & set(PROJECT_TYPES) if not kind.startswith("bin.")}
    assert shared == set()


def test_every_type_that_is_offered_is_written_by_something():
    files = Path(skerry.__file__).parent.rglob("*.py")
    source = "".join(file.read_text() for file in files if str(file) != events.__file__)
    assert [kind for kind in Type if f"Type.{kind.name}" not in source] == []
    assert sendable(Type) == set(TYPES)
