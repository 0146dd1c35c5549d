"""Users."""

from typing import Annotated, ClassVar

from skerry.wire.record import UNSET, Record, UnsetType, longest, required, writable


class User(Record, frozen=True):
    """The public information about a user: never a login, a role or an e-mail address."""

    singular: ClassVar[str] = "user"
    plural: ClassVar[str] = "users"

    id: int | None = None
    job: Annotated[str, writable, longest(255)] = ""
    name: Annotated[str, writable, required, longest(255)] = ""
    website: Annotated[str, writable, longest(2000)] = ""
    # Stands in the memberships of a project only; empty for somebody without a picture.
    avatar_url: str | UnsetType = UNSET
