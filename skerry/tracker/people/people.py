"""People, and the projects of which they are members."""

import re
from collections.abc import Iterable

from skerry.errors import Conflict, Invalid, NotFound
from skerry.resources.projects import Project
from skerry.store.auth import logins, sessions
from skerry.store.engine.transactions import Transaction
from skerry.store.people import people as store
from skerry.store.people.person import Person
from skerry.tracker.context import Context

MAX_NAME_LENGTH = 255
MAX_EMAIL_LENGTH = 254

_EMAIL = re.compile(r"[^\s@:\x00-\x1f]+@[^\s@:\x00-\x1f]+")


def add(transaction: Transaction, *, email: str, name: str, password_hash: str, role: str | None) -> int:
    """Create a person with a login and a hashed password, and return their id.

    Raises Invalid for an invalid value, Conflict if the address already has a login.
    """
    check_email(email)
    if not name.strip() or len(name) > MAX_NAME_LENGTH or not name.isprintable():
        raise Invalid("Name must have 1 to 255 printable characters")
    if logins.with_email(transaction, email):
        raise Conflict(f"Email {email} is already taken")
    user_id = store.add(transaction, email, name, password_hash)
    if role:
        store.join_account(transaction, user_id, role)
    return user_id


def check_email(email: str) -> None:
    """Raise Invalid unless a text is an e-mail address."""
    if not _EMAIL.fullmatch(email) or len(email) > MAX_EMAIL_LENGTH:
        raise Invalid("Email must be an address such as ada@example.org")


def find(transaction: Transaction, email: str) -> Person:
    """Return a person by e-mail address; raises NotFound."""
    person = store.with_email(transaction, email)
    if person is None:
        raise NotFound(f"There is nobody with the e-mail address {email}")
    return person


def change_password(transaction: Transaction, email: str, password_hash: str) -> None:
    """Replace a person's password and sign out all of their browsers; their tokens stay valid.

    Raises NotFound.
    """
    login = logins.with_email(transaction, email)
    if login is None:
        raise NotFound(f"There is nobody with the e-mail address {email}")
    logins.change_password(transaction, email, password_hash)
    sessions.end_everywhere(transaction, login.user_id)


def change_email(transaction: Transaction, email: str, new: str) -> None:
    """Change the e-mail address with which a person signs in.

    Raises NotFound if there is no such person, Invalid for a malformed address, Conflict if it is taken.
    """
    find(transaction, email)
    check_email(new)
    if logins.with_email(transaction, new):
        raise Conflict(f"Email {new} is already taken")
    logins.change_email(transaction, email, new)


def workers(context: Context) -> list[Person]:
    """Return the people who work in the current project, by name."""
    return by_name(store.workers(context.transaction, context.project_id))


def by_name(found: Iterable[Person]) -> list[Person]:
    """Return people sorted by name."""
    return sorted(found, key=lambda person: (person.name.casefold(), person.id))


def check_assignee(
    transaction: Transaction, project: Project, user_id: int | None, *, by_default: bool = False
) -> None:
    """Raise Invalid unless the assignee is nobody, or a person who works in the project."""
    if user_id is None or store.is_worker(transaction, project.id or 0, user_id):
        return
    if by_default:
        raise Invalid("Default assigned user is not a member of this project")
    raise Invalid("Assigned user is not a member of this project")


def check_watchers(
    transaction: Transaction, project: Project, user_ids: list[int], present: list[int]
) -> None:
    """Raise Invalid unless all of the watchers can see the project."""
    allowed = viewer_ids(transaction, project).union(present)
    outside = [user_id for user_id in user_ids if user_id not in allowed]
    if outside:
        named = ", ".join(str(user_id) for user_id in outside)
        raise Invalid(f"Watchers ids contains people who cannot see this project: {named}")


def viewer_ids(transaction: Transaction, project: Project) -> set[int]:
    """Return the ids of the people of the account who can see a project."""
    seeing = store.worker_ids(transaction, project.id or 0)
    if project.public:
        seeing.update(person.id for person in store.of_account(transaction))
    return seeing
