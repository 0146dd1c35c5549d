"""The declarations of people and their memberships."""

from typing import Annotated

from skerry.wire.record import UNSET, Record, UnsetType, http_url, longest, required, writable


class User(Record, frozen=True):
    """The public information about a user: never a login, a role or an e-mail address.

    ``service`` is true for a program, which has tokens and no login, and left out for a person.
    """

    singular, plural = "user", "users"

    id: int | None = None
    job: Annotated[str, writable, longest(255)] = ""
    name: Annotated[str, writable, required, longest(255)] = ""
    website: Annotated[str, writable, http_url, longest(2000)] = ""
    # Only in the memberships of a project; empty for a person without a picture.
    avatar_url: str | UnsetType = UNSET
    service: bool | UnsetType = UNSET


class Membership(Record, frozen=True):
    """A person's membership in an account or in a project, given by its URL."""

    singular, plural = "membership", "memberships"
    decides_access = True

    id: int | None = None
    user_id: Annotated[int | None, writable, required] = None
    account: str | UnsetType = UNSET
    project: str | UnsetType = UNSET
    user: User | UnsetType = UNSET


class Person(Record, frozen=True):
    """A person of the account, as administrators see them.

    ``role`` is ``owner``, ``administrator`` or ``member``; it is empty for people who are only members of
    projects or do not belong to the account. ``disabled`` says whether their login is disabled in the
    account, ``second_factor`` whether a password is not enough to sign in with it there. ``service`` says
    whether they are a service user, who has no login.
    """

    singular, plural = "person", "people"
    decides_access = True

    id: int | None = None
    name: str = ""
    email: str = ""
    role: Annotated[str, writable, required] = ""
    disabled: Annotated[bool, writable] = False
    second_factor: bool = False
    service: bool = False


class ServiceUser(Record, frozen=True):
    """A user of the account who is a program: it has tokens, and neither a login nor an address.

    ``role`` is ``member`` or ``administrator``; it is empty for one that is only in projects.
    """

    singular, plural = "service_user", "service_users"
    decides_access = True

    id: int | None = None
    name: Annotated[str, writable, required, longest(255)] = ""
    role: Annotated[str, writable] = "member"
    disabled: bool = False
    tokens_count: int = 0


class Placeholder(Record, frozen=True):
    """An imported person without a login; ``source`` says where they come from.

    ``user_id`` is the person to whom they were given, None until then.
    """

    singular, plural = "placeholder", "placeholders"
    # Whoever gets it gets its memberships.
    decides_access = True

    id: int | None = None
    name: str = ""
    source: str = ""
    user_id: Annotated[int | None, writable, required] = None


class Preferences(Record, frozen=True):
    """A user's preferences; nobody else sees them.

    ``email`` is the address of the login. Mail is sent to it once it is verified. ``language`` and
    ``time_zone`` are empty until the user chooses them or signs in with a browser that sends them. ``mail``
    says how often this account mails notifications: ``at_once``, ``daily``, ``weekly`` or ``none``.
    ``due_reminders`` says whether it mails a reminder of tickets on the day they are due.
    """

    singular, plural = "preferences", "preferences"

    due_reminders: Annotated[bool, writable] = True
    email: str = ""
    email_verified: bool = False
    language: Annotated[str, writable, longest(8)] = ""
    mail: Annotated[str, writable, longest(16)] = "at_once"
    time_zone: Annotated[str, writable, longest(64)] = ""
