"""Memberships."""

from typing import Annotated, ClassVar

from skerry.resources.people.users import User
from skerry.wire.record import UNSET, Record, UnsetType, required, writable


class Membership(Record, frozen=True):
    """A person's membership in an account or in a project, given by its URL."""

    singular: ClassVar[str] = "membership"
    plural: ClassVar[str] = "memberships"

    id: int | None = None
    user_id: Annotated[int | None, writable, required] = None
    account: str | UnsetType = UNSET
    project: str | UnsetType = UNSET
    user: User | UnsetType = UNSET
