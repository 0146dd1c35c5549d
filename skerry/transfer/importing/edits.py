"""The edits of imported texts."""

from collections.abc import Iterable, Sequence
from typing import Any

from skerry.database.rows import Columns
from skerry.resources.archives import MessageDetails, MessageTextDetails, VersionDetails
from skerry.resources.messages import Message
from skerry.resources.tickets import Version
from skerry.store.earlier_texts import MAX
from skerry.store.transfer.imports import HIGHEST
from skerry.transfer.importing.target import ImportTarget


def columns(
    target: ImportTarget,
    said: Version | Message,
    details: VersionDetails | MessageDetails,
    texts: Sequence[MessageTextDetails],
    created_at: int,
) -> Columns:
    """Return the values about the last edit of a text, and the number of its edits."""
    edits = max([details.body_edits, *(text.id for text in texts)])
    if said.body_edited_by is None:
        return {"body_edited_at": None, "body_edited_by": None, "body_edits": edits}
    return {
        "body_edited_at": target.timestamp(details.body_edited_at, said.body_edited_at, created_at),
        "body_edited_by": target.author(said.body_edited_by),
        "body_edits": edits,
    }


def usable(texts: Sequence[MessageTextDetails]) -> list[MessageTextDetails]:
    """Return the newest earlier texts of one text, each id once."""
    by_id = {text.id: text for text in texts if 0 < text.id <= HIGHEST}
    return [by_id[text_id] for text_id in sorted(by_id)[-MAX:]]


def rows(
    target: ImportTarget,
    texts: Sequence[MessageTextDetails],
    created_at: int,
    htmls: Iterable[str | None],
    **key: Any,
) -> list[Columns]:
    """Return the rows of the earlier texts of the text with this key; ``htmls`` show what they refer to."""
    return [
        {
            **key,
            "id": text.id,
            "body": target.elsewhere.rewritten(text.body, *htmls)[0],
            "user_id": target.author(text.user_id),
            "created_at": target.timestamp(text.created_at, None, created_at),
        }
        for text in texts
    ]
