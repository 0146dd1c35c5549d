"""People and their memberships."""

from sqlalchemy import bindparam, delete, insert, or_, select, union, union_all, update

from skerry.database.statements import Statement, in_account, in_project, insert_into
from skerry.database.transactions import Transaction
from skerry.store.counts import counters
from skerry.store.people import single_sign_on
from skerry.store.people.person import HAS_ACCESS, PERSON, VALID_HERE, WITH_LOGIN, WITH_ROLE, StoredPerson
from skerry.store.projects import LATER, SeenIds
from skerry.store.tables import account_logins, account_members, logins, project_members, projects, users
from skerry.text import addresses

_IN_ACCOUNT = in_account(account_members)

_ANYBODY = Statement(select(users.c.id).limit(1), across_accounts=True)

_BY_ID = Statement(
    select(*PERSON).select_from(WITH_ROLE).where(users.c.id == bindparam("user_id"), HAS_ACCESS)
)

_BY_EMAIL, _BY_VERIFIED_EMAIL = (
    Statement(
        select(*PERSON)
        .select_from(WITH_LOGIN)
        .where(logins.c.email == bindparam("email"), VALID_HERE, *conditions)
        .order_by(logins.c.account_id.desc())
    )
    for conditions in ((), (logins.c.verified_at.is_not(None),))
)

_OF_ACCOUNT = Statement(
    select(*PERSON)
    .select_from(WITH_ROLE)
    .where(
        users.c.id.in_(
            union(
                select(account_members.c.user_id).where(_IN_ACCOUNT),
                select(project_members.c.user_id).where(in_account(project_members)),
            )
        )
    )
    .order_by(users.c.id),
    across_projects="administration",
)

_INSERT = Statement(
    insert(users).values(
        id=bindparam("id"),
        name=bindparam("name"),
        job="",
        website="",
        created_at=bindparam("now"),
        service=bindparam("service"),
    ),
    across_accounts=True,
)

_INSERT_LOGIN = Statement(insert_into(logins, without=("verified_at",)), across_accounts=True)

JOIN_ACCOUNT, JOIN_PROJECT = Statement(insert(account_members)), Statement(insert(project_members))
"""The statements that add a membership, with its id and time."""

_LEAVE_PROJECT = Statement(
    delete(project_members).where(
        in_project(project_members), project_members.c.user_id == bindparam("user_id")
    )
)

# A person who left a project no longer gets its new tickets; 0 stands for every project.
_ASSIGN_NO_MORE = Statement(
    update(projects)
    .where(
        in_account(projects),
        projects.c.default_assigned_user_id == bindparam("of_user"),
        or_(bindparam("of_project") == 0, projects.c.id == bindparam("of_project")),
    )
    .values(default_assigned_user_id=None, updated_at=LATER),
    across_projects="administration",
)

# Administrators of the account work in every project, members only in their own.
_ASSIGN_AT_HOME = Statement(
    update(projects)
    .where(
        in_account(projects),
        projects.c.default_assigned_user_id == bindparam("of_user"),
        projects.c.id.not_in(
            select(project_members.c.project_id).where(
                in_account(project_members), project_members.c.user_id == bindparam("of_user")
            )
        ),
    )
    .values(default_assigned_user_id=None, updated_at=LATER),
    across_projects="administration",
)

_ADMINISTRATORS = Statement(
    select(users.c.id, users.c.service)
    .select_from(WITH_ROLE)
    .where(
        account_members.c.role != "member",
        account_logins.c.disabled_at.is_(None),
        users.c.disabled_at.is_(None),
    )
)

_CHANGE_ROLE = Statement(
    update(account_members)
    .where(_IN_ACCOUNT, account_members.c.user_id == bindparam("of_user"))
    .values(role=bindparam("new_role"))
)

_LOSE_ROLE = Statement(
    delete(account_members).where(_IN_ACCOUNT, account_members.c.user_id == bindparam("of_user"))
)

_LEAVE = tuple(
    Statement(
        delete(table).where(in_account(table), table.c.user_id == bindparam("user_id")),
        across_projects="administration",
    )
    for table in (project_members, account_members)
)

_STAYS_IN_PROJECT = Statement(
    select(project_members.c.user_id)
    .where(in_project(project_members), project_members.c.user_id == bindparam("user_id"))
    .with_for_update(read=True)
)

# Administrators see every project, so tickets can be assigned to them in each.
_IDS_OF_WORKERS = union(
    select(project_members.c.user_id).where(in_project(project_members)),
    select(account_members.c.user_id).where(_IN_ACCOUNT, account_members.c.role != "member"),
)

_WHO_WORK_IN = Statement(_IDS_OF_WORKERS)

# A person who works there in two ways is found twice; removing duplicates would take four times as long.
_workers = union_all(*_IDS_OF_WORKERS.selects).subquery()

_WORKS_IN = Statement(select(_workers.c.user_id).where(_workers.c.user_id == bindparam("user_id")))

_WORKERS = Statement(
    select(*PERSON).select_from(WITH_ROLE).where(users.c.id.in_(_IDS_OF_WORKERS)).order_by(users.c.id)
)

_WORKERS_OF_SOME = Statement(
    select(users.c.id, users.c.name)
    .where(
        users.c.id.in_(
            union(
                select(project_members.c.user_id).where(
                    in_account(project_members),
                    project_members.c.project_id.in_(bindparam("project_ids", expanding=True)),
                ),
                select(account_members.c.user_id).where(
                    _IN_ACCOUNT, account_members.c.role != "member", bindparam("everybody") == 1
                ),
            )
        )
    )
    .order_by(users.c.id)
)

_NAMES = Statement(
    select(users.c.id, users.c.name).where(users.c.id.in_(bindparam("user_ids", expanding=True))),
    across_accounts=True,
)


def anybody(transaction: Transaction) -> bool:
    """Return whether there is any user in any account."""
    return transaction.one(_ANYBODY) is not None


def person(transaction: Transaction, user_id: int) -> StoredPerson | None:
    """Return a person by id."""
    row = transaction.one(_BY_ID, user_id=user_id)
    return StoredPerson(*row) if row else None


def with_email(transaction: Transaction, email: str, *, verified: bool = False) -> StoredPerson | None:
    """Return a person by e-mail address, ignoring case; only by a verified one if that is asked for."""
    statement = _BY_VERIFIED_EMAIL if verified else _BY_EMAIL
    rows = (transaction.one(statement, email=form) for form in addresses.forms(email))
    return next((StoredPerson(*row) for row in rows if row), None)


def of_account(transaction: Transaction) -> list[StoredPerson]:
    """Return everyone who belongs to the account or to one of its projects."""
    return [StoredPerson(*row) for row in transaction.all(_OF_ACCOUNT)]


def add(transaction: Transaction, email: str, name: str, password_hash: str, account_id: int = 0) -> int:
    """Create a person with a login and return the id; with an account, the login is valid there alone."""
    user_id = _add(transaction, name)
    transaction.run(
        _INSERT_LOGIN,
        user_id=user_id,
        account_id=account_id,
        email=email.lower(),
        password_hash=password_hash,
        changed_at=transaction.now,
    )
    return user_id


def add_service_user(transaction: Transaction, name: str) -> int:
    """Create a service user, who has no login, and return the id."""
    return _add(transaction, name, service=1)


def _add(transaction: Transaction, name: str, service: int = 0) -> int:
    user_id = int(transaction.value(counters.NEXT, account_id=0, kind="users"))
    transaction.run(_INSERT, id=user_id, name=name, now=transaction.now, service=service)
    return user_id


def join_account(transaction: Transaction, user_id: int, role: str) -> None:
    """Make a person a member of the account."""
    membership = counters.next_id(transaction, "memberships")
    transaction.run(JOIN_ACCOUNT, user_id=user_id, id=membership, role=role, created_at=transaction.now)
    single_sign_on.end_other_sessions(transaction, user_id)


def join_project(transaction: Transaction, project_id: int, user_id: int) -> bool:
    """Make a person a member of a project, and lock that row; return whether they were not one before."""
    if transaction.one(_STAYS_IN_PROJECT, project_id=project_id, user_id=user_id):
        return False
    membership = counters.next_id(transaction, "memberships")
    key = {"project_id": project_id, "user_id": user_id}
    transaction.run(JOIN_PROJECT, id=membership, created_at=transaction.now, **key)
    single_sign_on.end_other_sessions(transaction, user_id)
    return True


def leave_project(transaction: Transaction, project_id: int, user_id: int) -> bool:
    """End a project membership, and the default assignment of new tickets; return whether there was one."""
    transaction.run(_ASSIGN_NO_MORE, of_user=user_id, of_project=project_id, now=transaction.now)
    return bool(transaction.changed(_LEAVE_PROJECT, project_id=project_id, user_id=user_id))


def worker_ids(transaction: Transaction, project_id: int) -> set[int]:
    """Return the ids of the project's members and of the account's administrators."""
    return {row[0] for row in transaction.all(_WHO_WORK_IN, project_id=project_id)}


def is_worker(transaction: Transaction, project_id: int, user_id: int) -> bool:
    """Return whether a person is a member of the project or an administrator of the account."""
    return transaction.one(_WORKS_IN, project_id=project_id, user_id=user_id) is not None


def workers(transaction: Transaction, project_id: int) -> list[StoredPerson]:
    """Return the project's members and the account's administrators, by id."""
    return [StoredPerson(*row) for row in transaction.all(_WORKERS, project_id=project_id)]


def workers_of_some(
    transaction: Transaction, project_ids: SeenIds, *, everybody: bool
) -> list[tuple[int, str]]:
    """Return the ids and names of the members of some projects, and with ``everybody`` of administrators."""
    values = {"project_ids": project_ids, "everybody": int(everybody)}
    return [(row[0], row[1]) for row in transaction.all(_WORKERS_OF_SOME, **values)]


def names(transaction: Transaction, user_ids: list[int]) -> dict[int, str]:
    """Return the names of people by their ids, in the order of the names."""
    # Sorted here, because the databases differ in the order of texts.
    rows = sorted(transaction.all(_NAMES, user_ids=user_ids), key=lambda row: (row[1].casefold(), row[0]))
    return dict(rows)


def administrators(transaction: Transaction, *, in_person: bool = False) -> set[int]:
    """Return the ids of administrators who are not disabled; only those who can sign in if ``in_person``."""
    return {user_id for user_id, service in transaction.all(_ADMINISTRATORS) if not (in_person and service)}


def change_role(transaction: Transaction, user_id: int, role: str) -> None:
    """Set a person's role in the account."""
    if not transaction.changed(_CHANGE_ROLE, of_user=user_id, new_role=role):
        join_account(transaction, user_id, role)
    if role == "member":
        transaction.run(_ASSIGN_AT_HOME, of_user=user_id, now=transaction.now)


def lose_role(transaction: Transaction, user_id: int) -> None:
    """End a person's membership in the account; those in its projects stay."""
    transaction.run(_LOSE_ROLE, of_user=user_id)
    transaction.run(_ASSIGN_AT_HOME, of_user=user_id, now=transaction.now)


def leave_account(transaction: Transaction, user_id: int) -> None:
    """End a person's memberships in the account and in its projects, as ``leave_project`` does."""
    transaction.run(_ASSIGN_NO_MORE, of_user=user_id, of_project=0, now=transaction.now)
    for statement in _LEAVE:
        transaction.run(statement, user_id=user_id)
