"""Imports on a page: uploaded, checked, carried out in the background, and removed again."""

from skerry.database import locks
from skerry.errors import Conflict, Invalid, NotFound
from skerry.resources.moving_in import Import
from skerry.store import attachments, project_removals, projects
from skerry.store import moving_in as store
from skerry.text.characters import printable
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.wire.people_lists import read_people

ARCHIVE = "archive"

KINDS = (ARCHIVE, "csv", "github", "gitlab", "jira", "redmine", "trac")
"""What can be uploaded: an archive, or the export of a tracker."""

MARKUPS = ("", "textile", "markdown")
"""What the markup of Redmine's texts can be said to be; empty if it is guessed."""

MAX = 100
"""The maximum number of imports of an account."""


def list_all(context: Context, _params: Params) -> ResultPage[Import]:
    """Return the imports of the account, newest first."""
    return ResultPage(Import, store.list_all(context.transaction))


def get(context: Context, params: Params) -> Import:
    """Return an import; raises NotFound."""
    record = store.ROWS.one(context.transaction, context.transaction.account_id, params.ids["id"])
    if record is None:
        raise NotFound("There is no such import in this account")
    return record


def create(context: Context, params: Params) -> Import:
    """Keep an uploaded file, which is checked in the background; nothing is imported yet.

    Raises Invalid without exactly one file or for what ``_said`` refuses, Conflict if there are too many.
    """
    new = params.draft_of(Import).new
    said = _said(new)
    if len(params.files) != 1:
        raise Invalid("Choose one file")
    transaction, (file,) = context.transaction, params.files
    if store.ROWS.count(transaction, transaction.account_id) >= MAX:
        raise Conflict(f"An account has at most {MAX} imports; remove one first")
    values = {**said, "code": file.code}
    empty = dict.fromkeys(("report", "error", "stage", "project_ids"), "")
    import_id = store.ROWS.insert(
        transaction,
        transaction.account_id,
        user_id=context.author.user_id,
        filename=printable(file.filename)[:255],
        size=file.size,
        state=store.CHECKING,
        stage_began_at=None,
        done=0,
        total=0,
        **values,
        **empty,
    )
    events.record(context, Type.IMPORT_CREATED, import_id)
    return get(context, Params(ids={"id": import_id}))


def update(context: Context, params: Params) -> Import:
    """Change what is said about a file, which is checked again.

    Raises Invalid for what ``_said`` refuses, Conflict while or after it is imported.
    """
    before = get(context, params)
    new = params.draft_of(Import).over(before)
    said = _said(new)
    if before.state not in (store.CHECKED, store.FAILED):
        raise Conflict("This import cannot be changed now")
    return _changed(context, params, state=store.CHECKING, error="", report="", **said)


def start(context: Context, params: Params) -> Import:
    """Begin to import a file that was checked; raises Conflict for any other."""
    if get(context, params).state != store.CHECKED:
        raise Conflict("Only an import that was checked can be started")
    return _changed(context, params, state=store.RUNNING, error="")


def _changed(context: Context, params: Params, **values: str) -> Import:
    import_id, transaction = params.ids["id"], context.transaction
    progress = {"stage": "", "stage_began_at": None, "done": 0, "total": 0}
    store.change(transaction, import_id, updated_at=transaction.now, **progress, **values)
    events.record(context, Type.IMPORT_UPDATED, import_id)
    return get(context, params)


def delete(context: Context, params: Params) -> None:
    """Remove an import, its file, and the projects that it made.

    Raises Conflict while it runs, and if somebody has changed something in a project since.
    """
    transaction, found = context.transaction, get(context, params)
    if found.state in (store.CHECKING, store.RUNNING):
        raise Conflict("This import is being worked on; wait until that ends")
    since = store.moment(transaction, params.ids["id"])
    if found.project_ids and not store.is_known_since(transaction, params.ids["id"], since):
        raise Conflict("This import is too old to know whether somebody has changed something since")
    for project_id in found.project_ids:
        _remove_project(context, project_id, since)
    store.release(transaction, params.ids["id"])
    store.ROWS.delete(transaction, transaction.account_id, params.ids["id"])
    events.record(context, Type.IMPORT_DELETED, params.ids["id"])


def _remove_project(context: Context, project_id: int, since: int) -> None:
    locks.lock_exclusive(context.transaction, project_id)
    project = projects.one(context.transaction, project_id)
    if project is None:
        return
    if store.changes_since(context.transaction, project_id, since):
        raise Conflict(f"{project.name} has been changed since the import; delete it in its settings instead")
    attachments.release_project_files(context.transaction, project_id)
    project_removals.remove(context.transaction, project_id)
    events.record(context, Type.PROJECT_DELETED, project_id)


def _said(new: Import) -> dict[str, str]:
    """Return what somebody says about a file; raises Invalid for an unknown kind or markup, or a bad list."""
    if new.kind not in KINDS:
        raise Invalid(f"Kind must be one of {', '.join(KINDS)}")
    if new.markup not in MARKUPS:
        raise Invalid("Markup must be textile or markdown, or empty if it is to be guessed")
    read_people(new.people.encode(), by_key=new.kind != ARCHIVE)
    return {
        "kind": new.kind,
        "name": new.name,
        "columns": new.columns,
        "markup": new.markup,
        "address": new.address,
        "people": new.people,
    }
