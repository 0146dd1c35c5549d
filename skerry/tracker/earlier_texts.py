"""Earlier texts of edited comments and messages, for everybody who may read the present one."""

from typing import Any

from skerry.errors import NotFound
from skerry.resources.texts import EarlierText
from skerry.store import messages as message_store
from skerry.store import tickets
from skerry.store import versions as version_store
from skerry.store.earlier_texts import OF_MESSAGES, OF_VERSIONS, EarlierTexts
from skerry.store.events.decoding import Changes
from skerry.tracker import messages, versions
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.events import events
from skerry.tracker.events.events import Type


def lock(context: Context, params: Params) -> None:
    """Lock the ticket or the message that has the texts until the end of the transaction."""
    if "number" in params.ids:
        tickets.lock(context.transaction, context.project_id, params.ids["number"])
    else:
        message_store.lock(context.transaction, context.project_id, params.ids["id"])


def list_all(context: Context, params: Params) -> ResultPage[EarlierText]:
    """Return the earlier texts of a version or a message, oldest first; raises NotFound."""
    store, subject = _of(context, params)
    return ResultPage(EarlierText, store.list_all(context.transaction, **subject))


def get(context: Context, params: Params) -> EarlierText:
    """Return one earlier text of a version or a message; raises NotFound."""
    store, subject = _of(context, params)
    text = store.one(context.transaction, params.ids["text"], **subject)
    if text is None:
        raise NotFound("There is no such earlier text")
    return text


def _of(context: Context, params: Params) -> tuple[EarlierTexts, dict[str, Any]]:
    """Return the table of a version's or a message's earlier texts, and their key; raises NotFound."""
    ids = params.ids
    if "number" in ids:
        versions.get(context, params)
        key = {"number": ids["number"], "version": ids["version"]}
        return OF_VERSIONS, {"project_id": context.project_id, **key}
    messages.one(context, ids["id"])
    return OF_MESSAGES, {"project_id": context.project_id, "message_id": ids["id"]}


def delete_of_version(context: Context, params: Params) -> None:
    """Delete an earlier text of a version; raises NotFound, or Forbidden for who may not delete its text.

    The opening text of a ticket as first written is emptied too.
    """
    lock(context, params)
    version = versions.own(context, params)
    _delete(context, params)
    if version.version == 1:
        tickets.forget_original(context.transaction, context.project_id, params.ids["number"])
    version_store.touch(context.transaction, version)
    changes = _removed(params)
    events.record(context, Type.VERSION_UPDATED, version.number, changes=changes, version=version.version)


def delete_of_message(context: Context, params: Params) -> None:
    """Delete an earlier text of a message; raises NotFound."""
    lock(context, params)
    _delete(context, params)
    events.record(context, Type.MESSAGE_UPDATED, params.ids["id"], changes=_removed(params))


def _removed(params: Params) -> Changes:
    return {"earlier_text": [params.ids["text"], None]}


def _delete(context: Context, params: Params) -> None:
    store, subject = _of(context, params)
    if not store.remove(context.transaction, params.ids["text"], **subject):
        raise NotFound("There is no such earlier text")
