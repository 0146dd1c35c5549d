"""People, and the projects of which they are members."""

from collections.abc import Iterable

from skerry.database.transactions import Transaction
from skerry.errors import Conflict, Invalid, NotFound
from skerry.resources.projects import Project
from skerry.store.auth import logins, sessions
from skerry.store.auth.logins import Login
from skerry.store.mail import mailed_links
from skerry.store.people import people as store
from skerry.store.people.person import StoredPerson
from skerry.store.projects import SeenIds
from skerry.text import addresses
from skerry.text.addresses import BadAddress
from skerry.tracker.context import Context
from skerry.visibility import is_visible

MAX_NAME_LENGTH = 255


def add(
    transaction: Transaction,
    *,
    email: str,
    name: str,
    password_hash: str,
    role: str | None,
    account_id: int = 0,
) -> int:
    """Create a person with a login and a hashed password, and return their id.

    The login is valid on the whole server, or in one account alone; it hides one of the server there. Raises
    Invalid for an invalid value, Conflict if the address already has such a login.
    """
    email = checked_email(email)
    check_name(name)
    present = logins.with_email(transaction, email)
    if present and account_id in (0, present.account_id):
        raise Conflict(f"Email {email} is already taken")
    user_id = store.add(transaction, email, name, password_hash, account_id)
    if role:
        store.join_account(transaction, user_id, role)
    return user_id


def check_name(name: str) -> None:
    """Raise Invalid unless a text is a valid name of a person."""
    if not is_visible(name):
        raise Invalid("Name can't be blank")
    if len(name) > MAX_NAME_LENGTH or not name.isprintable():
        raise Invalid("Name must have 1 to 255 printable characters")


def checked_email(email: str) -> str:
    """Return an e-mail address in the form that is stored; raises Invalid if it cannot be mailed."""
    try:
        return addresses.normal(email)
    except BadAddress as error:
        raise Invalid(str(error)) from error


def find(transaction: Transaction, email: str) -> StoredPerson:
    """Return a person by e-mail address; raises NotFound."""
    person = store.with_email(transaction, email)
    if person is None:
        raise NotFound(f"There is nobody with the e-mail address {email}")
    return person


def change_password(transaction: Transaction, email: str, password_hash: str) -> None:
    """Replace a person's password, sign out all of their browsers, and end links for a new one.

    Their tokens stay valid. Raises NotFound.
    """
    login = _login(transaction, email)
    logins.change_password(transaction, login, password_hash)
    sessions.end_everywhere(transaction, login.user_id)
    mailed_links.remove_everywhere(transaction, mailed_links.PASSWORD_RESET, login.user_id)


def change_email(transaction: Transaction, email: str, new: str) -> None:
    """Change the e-mail address with which a person signs in.

    Raises NotFound if there is no such person, Invalid for a malformed address, Conflict if it is taken.
    """
    login, new = _login(transaction, email), checked_email(new)
    if logins.with_email(transaction, new):
        raise Conflict(f"Email {new} is already taken")
    logins.change_email(transaction, login, new)


def _login(transaction: Transaction, email: str) -> Login:
    login = logins.with_email(transaction, email)
    if login is None:
        raise NotFound(f"There is nobody with the e-mail address {email}")
    return login


def workers(context: Context) -> list[StoredPerson]:
    """Return the people who work in the current project, by name."""
    return by_name(store.workers(context.transaction, context.project_id))


def of_projects(context: Context, project_ids: SeenIds) -> list[tuple[int, str]]:
    """Return the ids and names of the people who work in some projects.

    Visitors of public projects see their members, but not that administrators work there too.
    """
    principal = context.principal
    everybody = context.member or bool(principal and principal.role and not principal.token_project)
    return store.workers_of_some(context.transaction, project_ids, everybody=everybody)


def everybody(context: Context) -> list[StoredPerson]:
    """Return the people of the account and of its projects, by name."""
    return by_name(store.of_account(context.transaction))


def by_name(people: Iterable[StoredPerson]) -> list[StoredPerson]:
    """Return people sorted by name."""
    return sorted(people, key=lambda person: (person.name.casefold(), person.id))


def check_assignee(
    transaction: Transaction, project: Project, user_id: int | None, *, by_default: bool = False
) -> None:
    """Raise Invalid unless the assignee is nobody, or a person who works in the project."""
    if user_id is None or store.is_worker(transaction, project.id or 0, user_id):
        return
    if by_default:
        raise Invalid("Default assignee is not a member of this project")
    raise Invalid("Assignee is not a member of this project")


def check_watchers(
    transaction: Transaction, project: Project, user_ids: list[int], present: list[int]
) -> None:
    """Raise Invalid unless all of the watchers can see the project."""
    allowed = viewer_ids(transaction, project).union(present)
    outside = [user_id for user_id in user_ids if user_id not in allowed]
    if outside:
        named = ", ".join(str(user_id) for user_id in outside)
        raise Invalid(f"Multiple watchers cannot be people who cannot see this project: {named}")


def viewer_ids(transaction: Transaction, project: Project) -> set[int]:
    """Return the ids of the people of the account who can see a project."""
    seeing = store.worker_ids(transaction, project.id or 0)
    if project.public:
        seeing.update(person.id for person in store.of_account(transaction))
    return seeing
