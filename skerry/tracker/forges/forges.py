"""Forges that may push commits to a project: their addresses and secrets."""

from skerry.errors import Conflict, Invalid, NotFound
from skerry.resources.forges import Forge
from skerry.store import projects
from skerry.store.forges import ROWS, replace_secret
from skerry.tracker import secrets
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.forges.payloads import KINDS
from skerry.wire.record import changed

MAX = 20
"""The maximum number of forges of a project."""


def list_all(context: Context, _params: Params) -> ResultPage[Forge]:
    """Return the forges of the project, oldest first."""
    records = ROWS.all(context.transaction, context.project_id)
    return ResultPage(Forge, [_shown(context, forge) for forge in records])


def get(context: Context, params: Params) -> Forge:
    """Return a forge of the project without its secret; raises NotFound."""
    forge = ROWS.one(context.transaction, context.project_id, params.ids["id"])
    if forge is None:
        raise NotFound("There is no such forge in this project")
    return _shown(context, forge)


def create(context: Context, params: Params) -> Forge:
    """Add a forge, whose commits will be the caller's; only this response contains its secret.

    Raises Invalid for an unknown kind, Conflict if there are too many.
    """
    new = params.draft_of(Forge).new
    if new.kind not in KINDS:
        raise Invalid(f"Kind must be one of {', '.join(KINDS)}")
    projects.lock(context.transaction, context.project_id)
    if ROWS.count(context.transaction, context.project_id) >= MAX:
        raise Conflict(f"A project has at most {MAX} forges; remove one that is not used any more")
    secret = secrets.new_token()
    values = {"user_id": context.author.user_id, "kind": new.kind, "note": new.note, "secret": secret}
    forge_id = ROWS.insert(context.transaction, context.project_id, pushed_at=None, **values)
    made = get(context, Params(ids={"id": forge_id}))
    return changed(events.record_change(context, Type.FORGE_CREATED, Forge(), made), secret=secret)


def renew_secret(context: Context, params: Params) -> Forge:
    """Replace the secret of a forge, which only this response contains; raises NotFound.

    The previous secret stops working at once.
    """
    forge, secret = get(context, params), secrets.new_token()
    replace_secret(context.transaction, context.project_id, params.ids["id"], secret)
    events.record(context, Type.FORGE_UPDATED, params.ids["id"])
    return changed(forge, secret=secret)


def delete(context: Context, params: Params) -> None:
    """Delete a forge, whose pushes are refused from now on; its changesets stay; raises NotFound."""
    get(context, params)
    ROWS.delete(context.transaction, context.project_id, params.ids["id"])
    events.record(context, Type.FORGE_DELETED, params.ids["id"])


def _shown(context: Context, forge: Forge) -> Forge:
    return changed(forge, url=f"{context.transaction.base}/projects/{context.project_id}/pushes/{forge.kind}")
