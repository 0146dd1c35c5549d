"""Invitations of several addresses at once."""

import re

from skerry.errors import Conflict, Invalid
from skerry.resources.auth import Invitation, InvitationBatch, Refusal
from skerry.store.auth import account_logins
from skerry.store.people import people as people_store
from skerry.text import addresses
from skerry.tracker.auth import invitations
from skerry.tracker.context import Context, Params
from skerry.tracker.people import people

MAX_ADDRESSES = 50
"""How many addresses a batch may have."""


def create(context: Context, params: Params) -> InvitationBatch:
    """Invite each address, and say which were refused and why.

    Raises Invalid for no address or too many, a role or a project that does not exist; Forbidden for a role
    that only an owner may give.
    """
    new = params.draft_of(InvitationBatch).new
    emails, project_id = _addresses(new.emails), new.project_id or None
    invitations.check_role(context, new.role, project_id)
    taken = _taken(context)
    made, refused = [], []
    for typed in emails:
        try:
            email = people.checked_email(typed)
            if email in taken:
                raise taken[email]
        except (Invalid, Conflict) as error:
            refused.append(Refusal(email=typed[: addresses.MAX_LENGTH], reason=error.sentences[0]))
            continue
        taken[email] = Conflict("Email is in the list twice")
        made.append(invitations.add(context, email, Invitation(project_id=project_id, role=new.role)))
    return InvitationBatch(
        emails=emails, invitations=made, project_id=project_id, refusals=refused, role=new.role
    )


def _addresses(typed: list[str]) -> list[str]:
    """Return the addresses of a list, whose items may hold several; raises Invalid for none or too many."""
    found = list(dict.fromkeys(filter(None, re.split(r"[\s,;]+", " ".join(typed)))))
    if not found:
        raise Invalid("Emails can't be blank")
    if len(found) > MAX_ADDRESSES:
        raise Invalid(f"Emails can contain at most {MAX_ADDRESSES} addresses")
    return found


def _taken(context: Context) -> dict[str, Conflict]:
    """Return the addresses that are not invited, each with the reason.

    Those with a login in other accounts are not among them, so that it is not revealed.
    """
    disabled = Conflict("The login is disabled; enable it first")
    present = Conflict("This person is in the account already; add them on the project's page of members")
    removed = account_logins.outside(context.transaction)
    taken = {each.email: disabled for each, belonged in removed if belonged and each.disabled_at is not None}
    for person in people_store.of_account(context.transaction):
        taken[person.email] = disabled if person.disabled else present
    return taken
