"""The people in an archive, matched with existing people by their login, or new.

Existing people are not changed. New people cannot sign in before they get a password: their stored hash
matches none.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from skerry.database.rows import Columns
from skerry.database.transactions import Transaction
from skerry.errors import Invalid
from skerry.resources.archives import UserDetails
from skerry.resources.people import Membership, User
from skerry.store.people import people as people_store
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
    """The new ids of an archive's people, by their ids in the archive, and the people to add."""

    ids: Mapping[int, int]
    new: Mapping[int, ArchivePerson]


class People:
    """All people in an archive, by their ids in it."""

    def __init__(self, root: str, account_id: int, told: Counter[str]) -> None:
        """Start without people."""
        # Nobody can receive mail at such a domain, and the same archive leads to the same people again.
        self._home = f"{names.distinct_slug(root)}.account-{account_id}.invalid"
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
        """Return a person's login: their address, or a placeholder."""
        return self.known[user_id].email or self.placeholder(user_id)

    def placeholder(self, user_id: int) -> str:
        """Return the login of a person without an address.

        A person with a key has the same one in every archive of their tracker, whatever their id is there.
        """
        known = self.known.get(user_id)
        name = names.distinct_slug(known.key) if known and known.key else f"user-{user_id}"
        return f"{name}@{self._home}"

    def with_role(self) -> list[int]:
        """Return the ids of the people who have a role in the account."""
        return [user_id for user_id, somebody in self.known.items() if somebody.role]

    def placed(self, transaction: Transaction, user_ids: Iterable[int]) -> MappedPeople:
        """Match the people of an archive with existing ones; the others get new ids."""
        ids: dict[int, int] = {}
        first: dict[str, int] = {}
        for user_id in sorted(user_ids):
            present = people_store.with_email(transaction, self.email(user_id))
            if present:
                ids[user_id] = present.id
            else:
                first.setdefault(self.email(user_id), user_id)
        beyond = max(user_id for user_id in self.known if user_id <= store.HIGHEST)
        claimed = store.claim_ids(transaction, store.SERVICE, first.values(), beyond)
        new = {email: claimed[user_id] for email, user_id in first.items()}
        ids.update({user_id: new[self.email(user_id)] for user_id in user_ids if user_id not in ids})
        return MappedPeople(ids, {user_id: self.known[user_id] for user_id in first.values()})

    def rows(
        self, placed: MappedPeople, now: int, keep_picture: Callable[[Member], Picture | None]
    ) -> dict[str, list[Columns]]:
        """Return the rows of the people who are to be added."""
        made, logins = [], []
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
        return {"users": made, "logins": logins}

    def _joined(self, said: int | None, now: int) -> int:
        fits = said is not None and 0 <= said <= now
        self._told[say.JOINED] += said is not None and not fits
        return said if said is not None and fits else now


def _name(said: str, user_id: int | None) -> str:
    plain = "".join(each if each.isprintable() else " " for each in said).strip()
    kept = plain[: people.MAX_NAME_LENGTH]
    return kept if is_visible(kept) else f"User {user_id}"
