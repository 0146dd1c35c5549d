"""Invitations."""

from datetime import datetime
from typing import Annotated, ClassVar

from skerry.wire.record import UNSET, Record, UnsetType, longest, required, writable


class Invitation(Record, frozen=True):
    """A link that lets somebody choose a password, once, until it expires.

    Whoever is here already, ``user_id``, gets a new password by it; anybody else comes into the
    account in a ``role``, or into one project. ``url`` is shown when it is made, and never again.
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
    """What somebody sees and enters who follows an invitation; the password is never shown.

    Whoever has signed in with the invited address enters nothing. Whoever gets a new password has
    ``tokens_count`` valid tokens, which ``revoke_tokens`` ends.
    """

    singular: ClassVar[str] = "welcome"
    plural: ClassVar[str] = "welcomes"

    email: str = ""
    name: Annotated[str, writable, longest(255)] = ""
    password: Annotated[str, writable] = ""
    tokens_count: int = 0
    revoke_tokens: Annotated[bool, writable] = False
