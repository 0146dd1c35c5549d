"""The declarations of forges that push commits, and of what is done with a push."""

from datetime import datetime
from typing import Annotated

from skerry.wire.record import UNSET, Record, UnsetType, longest, required, writable


class Forge(Record, frozen=True):
    """A forge whose web hook reports the commits pushed to a repository.

    ``kind`` is ``github``, ``gitlab``, ``forgejo`` or ``gitea``, ``url`` the address for its web hook.
    The changesets belong to the person with ``user_id``, who created it. ``pushed_at`` says when it last sent
    something. Only the response to its creation, or to its replacement, contains the ``secret``.
    """

    singular, plural = "forge", "forges"
    # Whoever knows its secret writes here.
    decides_access = True

    created_at: datetime | None = None
    id: int | None = None
    kind: Annotated[str, writable, required] = ""
    note: Annotated[str, writable, longest(255)] = ""
    project_id: int | None = None
    pushed_at: datetime | None = None
    url: str = ""
    user_id: int | None = None
    secret: str | UnsetType = UNSET


class Push(Record, frozen=True):
    """The result of a push: the ``revisions`` that became changesets, and how many were ``known`` already.

    ``left_out`` is the number of commits that were not read, ``reason`` why nothing was done, or not all.
    """

    singular, plural = "push", "pushes"

    known: int = 0
    left_out: int = 0
    reason: str = ""
    revisions: list[str] = []
