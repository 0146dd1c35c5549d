"""Roles of people in an account."""

from skerry.errors import Forbidden, Invalid
from skerry.store.people.person import StoredPerson
from skerry.tracker.context import Context

ROLES = ("member", "administrator", "owner")


def given_by(context: Context) -> tuple[str, ...]:
    """Return the roles that the caller may give, if they are an administrator."""
    return ROLES if context.principal and context.principal.role == "owner" else ROLES[:2]


def check(context: Context, role: str, of: StoredPerson | None = None) -> None:
    """Raise Invalid for an unknown role, Forbidden if only an owner may give or take it."""
    if role not in ROLES:
        raise Invalid(f"Role is not one of {', '.join(ROLES)}")
    check_owner_change(context, of, role)


def check_owner_change(context: Context, person: StoredPerson | None, role: str = "") -> None:
    """Raise Forbidden if the change concerns an owner and the caller is not an owner."""
    if "owner" in (role, person.role if person else "") and context.author.role != "owner":
        raise Forbidden("Only an owner may do this to another owner")
