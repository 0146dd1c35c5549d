"""Invitations."""

from datetime import datetime
from typing import Annotated, ClassVar

from skerry.wire.record import UNSET, Record, UnsetType, longest, required, writable


class Invitation(Record, frozen=True):
    """A link that lets someone choose a password once, until it expires.

    For an existing user, ``user_id``, it resets the password. Anybody else joins the account with a ``role``,
    or one project. ``url`` is only shown when the invitation is created.
    """

    singular: ClassVar[str] = "invitation"
    plural: ClassVar[str] = "invitations"

    created_at: datetime | None = None
    creator_id: int | None = None
    email: Annotated[str, writable, required, longest(254)] = ""
    expires_at: datetime | None = None
    id: int | None = None
    name: Annotated[str, writable, longest(255)] = ""
    project_id: Annotated[int | None, writable] = None
    role: Annotated[str, writable] = ""
    user_id: int | None = None
    url: str | UnsetType = UNSET


class Welcome(Record, frozen=True):
    """What someone sees and enters after following an invitation; the password is never shown.

    People who are signed in with the invited address enter nothing. A user who resets a password has
    ``tokens_count`` valid tokens, which ``revoke_tokens`` revokes.
    """

    singular: ClassVar[str] = "welcome"
    plural: ClassVar[str] = "welcomes"

    email: str = ""
    name: Annotated[str, writable, longest(255)] = ""
    password: Annotated[str, writable] = ""
    tokens_count: int = 0
    revoke_tokens: Annotated[bool, writable] = False
