"""The people in an archive, matched with existing people by their login or their source, or new.

Existing people are not changed. New people with an address cannot sign in before they get a password: their
stored hash matches none. Those without one are placeholders, until an administrator gives them to somebody.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from skerry.database.rows import Columns
from skerry.database.transactions import Transaction
from skerry.errors import Invalid
from skerry.resources.archives import UserDetails
from skerry.resources.people import Membership, User
from skerry.store.people import people as people_store
from skerry.store.people import placeholders
from skerry.store.transfer import imports as store
from skerry.store.transfer.unpacking import Member
from skerry.tracker.people import people
from skerry.tracker.people.roles import ROLES
from skerry.transfer.importing import report as say
from skerry.visibility import is_visible
from skerry.wire import exports as names
from skerry.wire import values

NOBODY = 0
"""The id that stands for a missing author."""

_NO_PASSWORD = "!"  # noqa: S105 - deliberately the hash of no password

_FORMER_LOGIN = re.compile(r"user-[0-9]+@.+\.account-[0-9]+\.invalid")

Picture = tuple[str, str, int]
"""The code, media type and size of a picture."""


@dataclass
class ArchivePerson:
    """A person in an archive; ``email`` is empty if there is none."""

    name: str
    email: str = ""
    role: str = ""
    job: str = ""
    website: str = ""
    created_at: int | None = None
    picture: Member | None = None
    key: str = ""


class MappedPeople(NamedTuple):
    """The new ids of an archive's people, by their ids in the archive, and the people to add.

    ``placeholders`` are the new ids of those who have no login.
    """

    ids: Mapping[int, int]
    new: Mapping[int, ArchivePerson]
    placeholders: Collection[int]


class People:
    """All people in an archive, by their ids in it."""

    def __init__(self, root: str, told: Counter[str]) -> None:
        # The same archive leads to the same people again.
        self._home = names.distinct_slug(root)
        self._told = told
        self.known: dict[int, ArchivePerson] = {NOBODY: ArchivePerson("Unknown")}
        self.made: set[int] = set()
        """The ids of new people."""

    def add(self, user: User, details: UserDetails, joined: list[Membership], picture: Member | None) -> None:
        """Add a person by their file."""
        role = details.role or ("member" if any(each.account for each in joined) else "")
        website = user.website if values.is_url(user.website) else ""
        self._told[say.WEBSITES] += bool(user.website) and not website
        self._told[say.UNKNOWN_ROLES] += bool(role) and role not in ROLES
        name = _name(user.name, user.id)
        self._told[say.NAMES] += name != user.name.strip()
        self.known[user.id or NOBODY] = ArchivePerson(
            name,
            self._usable(details.email),
            role if role in ROLES else "",
            user.job,
            website,
            details.created_at,
            picture,
            details.key,
        )

    def _usable(self, email: str) -> str:
        # Earlier versions gave everybody a login, at a domain that cannot exist.
        if _FORMER_LOGIN.fullmatch(email):
            return ""
        try:
            return people.checked_email(email) if email.strip() else ""
        except Invalid:
            self._told[say.EMAILS] += 1
            return ""

    def call(self, user_id: int, email: str, name: str) -> None:
        """Set a person's login, and possibly name, from the command line; raises Invalid for a bad one."""
        try:
            email = people.checked_email(email)
        except Invalid as error:
            raise Invalid(f"The list of people names {user_id} with no e-mail address: {email}") from error
        somebody = self.known.setdefault(user_id, ArchivePerson(_name(name, user_id)))
        somebody.email = email
        if name.strip():
            somebody.name = _name(name, user_id)

    def by_key(self) -> Mapping[str, int]:
        """Return the ids of people by their keys in their tracker."""
        return {somebody.key: user_id for user_id, somebody in self.known.items() if somebody.key}

    def note(self, user_id: int | None, name: str | None) -> None:
        """Add a person by the name that accompanies their id."""
        if user_id and name and name.strip() and user_id not in self.known:
            self.known[user_id] = ArchivePerson(_name(name, user_id))

    def author(self, user_id: int | None) -> int:
        """Return the id of an author, who must be a known person."""
        if user_id and user_id not in self.known:
            self.known[user_id] = ArchivePerson(f"User {user_id}")
        return user_id or NOBODY

    def email(self, user_id: int) -> str:
        """Return a person's address, empty for a placeholder."""
        return self.known[user_id].email

    def source(self, user_id: int) -> str:
        """Return what identifies a person in later imports: the name of the archive, and the id in it.

        A person with a key has the same one in every archive of their tracker, whatever their id is there.
        """
        key = self.known[user_id].key
        return f"{self._home}/{names.distinct_slug(key) if key else user_id}"

    def with_role(self) -> list[int]:
        """Return the ids of the people who have a role in the account and an address."""
        return [user_id for user_id, somebody in self.known.items() if somebody.role and somebody.email]

    @property
    def roles_left(self) -> int:
        """Return how many people without an address have a role."""
        return sum(bool(somebody.role and not somebody.email) for somebody in self.known.values())

    def placed(self, transaction: Transaction, user_ids: Iterable[int]) -> MappedPeople:
        """Match the people of an archive with existing ones; the others get new ids."""
        ids: dict[int, int] = {}
        first: dict[str, int] = {}
        waiting: set[int] = set()
        for user_id in sorted(user_ids):
            present, is_placeholder = self._present(transaction, user_id)
            if present is None:
                first.setdefault(self._key(user_id), user_id)
            else:
                ids[user_id] = present
                waiting.update([present] if is_placeholder else ())
        beyond = max(user_id for user_id in self.known if user_id <= store.HIGHEST)
        claimed = store.claim_ids(transaction, store.SERVICE, first.values(), beyond)
        new = {key: claimed[user_id] for key, user_id in first.items()}
        waiting.update(claimed[user_id] for user_id in first.values() if not self.email(user_id))
        ids.update({user_id: new[self._key(user_id)] for user_id in user_ids if user_id not in ids})
        return MappedPeople(ids, {user_id: self.known[user_id] for user_id in first.values()}, waiting)

    def _key(self, user_id: int) -> str:
        return self.email(user_id) or self.source(user_id)

    def _present(self, transaction: Transaction, user_id: int) -> tuple[int | None, bool]:
        """Return the id of an existing person, if any, and whether they are a placeholder."""
        if email := self.email(user_id):
            present = people_store.with_email(transaction, email)
            return (present.id if present else None), False
        return placeholders.person_from(transaction, self.source(user_id)) or (None, True)

    def rows(
        self, placed: MappedPeople, now: int, keep_picture: Callable[[Member], Picture | None]
    ) -> dict[str, list[Columns]]:
        """Return the rows of the people who are to be added."""
        made, logins, waiting = [], [], []
        for user_id, somebody in placed.new.items():
            code, media_type, size = (somebody.picture and keep_picture(somebody.picture)) or (None,) * 3
            made.append(
                {
                    "id": placed.ids[user_id],
                    "name": somebody.name,
                    "job": somebody.job,
                    "website": somebody.website,
                    "created_at": self._joined(somebody.created_at, now),
                    "avatar_code": code,
                    "avatar_type": media_type,
                    "avatar_size": size,
                }
            )
            if not self.email(user_id):
                waiting.append({"user_id": placed.ids[user_id], "source": self.source(user_id)})
                continue
            logins.append(
                {
                    "email": self.email(user_id),
                    "account_id": 0,
                    "user_id": placed.ids[user_id],
                    "password_hash": _NO_PASSWORD,
                    "changed_at": now,
                }
            )
        self.made.update(placed.new)
        return {"users": made, "logins": logins, "placeholders": waiting}

    def tell(self) -> None:
        """Count the new people who cannot sign in, and those without a login."""
        waiting = sum(not self.email(user_id) for user_id in self.made)
        self._told[say.PLACEHOLDERS] += waiting
        self._told[say.SILENT] += len(self.made) - waiting

    def _joined(self, said: int | None, now: int) -> int:
        fits = said is not None and 0 <= said <= now
        self._told[say.JOINED] += said is not None and not fits
        return said if said is not None and fits else now


def _name(said: str, user_id: int | None) -> str:
    plain = "".join(each if each.isprintable() else " " for each in said).strip()
    kept = plain[: people.MAX_NAME_LENGTH]
    return kept if is_visible(kept) else f"User {user_id}"
