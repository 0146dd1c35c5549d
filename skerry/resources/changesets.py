"""Changesets."""

from datetime import datetime
from typing import Annotated

from skerry.wire.record import UNSET, Record, UnsetType, longest, required, writable


class Changeset(Record, frozen=True):
    """A commit in source control, under the revision that it has there.

    One that a forge reported also has ``committer_name``, the name of its committer, and ``committer_id``,
    the member whose address the commit has.
    """

    singular, plural = "changeset", "changesets"
    texts = ("body",)
    omittable = ("body_html", "changes")

    body: Annotated[str, writable] = ""
    body_html: str = ""
    changed_at: Annotated[datetime | None, writable] = None
    changes: Annotated[list[tuple[str, str]], writable] = []
    project_id: int | None = None
    revision: Annotated[str, writable, required, longest(255)] = ""
    title: Annotated[str, writable, longest(255)] = ""
    user_id: int | None = None
    committer_id: int | UnsetType | None = UNSET
    committer_name: str | UnsetType = UNSET
