"""Claims: who works on a ticket now, so that nobody else begins with it."""

from skerry.database.transactions import MINUTE
from skerry.errors import Conflict
from skerry.resources.claims import Claim
from skerry.store import claims as store
from skerry.store.claims import Holder
from skerry.text.characters import one_line
from skerry.tracker import tickets
from skerry.tracker.context import Context, Params


def of_ticket(context: Context, number: int) -> Claim:
    """Return the claim on a ticket that exists; without ``expires_at`` if nobody has claimed it."""
    held = store.present(context.transaction, context.project_id, number)
    return held or Claim(number=number, project_id=context.project_id)


def get(context: Context, params: Params) -> Claim:
    """Return the claim on a ticket; raises NotFound."""
    return of_ticket(context, tickets.one(context, params.ids["number"]).number or 0)


def create(context: Context, params: Params) -> Claim:
    """Claim a ticket for a while, or renew one's claim.

    Raises NotFound, or Conflict if somebody else has claimed it or it is closed.
    """
    new, number = params.draft_of(Claim).new, params.ids["number"]
    transaction = context.transaction
    if not store.take(
        transaction,
        context.project_id,
        number,
        _holder(context, new.worker),
        minutes=new.minutes,
        expires_at=transaction.now + new.minutes * MINUTE,
    ):
        # Nothing else keeps it from being claimed.
        if tickets.one(context, number).closed:
            raise Conflict(f"#{number} is closed")
        raise _taken(of_ticket(context, number))
    return of_ticket(context, number)


def delete(context: Context, params: Params) -> None:
    """Release a ticket, which may be nobody's already; people also end the claims of others.

    Raises NotFound, or Conflict if a token gives back what others have claimed.
    """
    number = tickets.one(context, params.ids["number"]).number or 0
    if not context.author.token_id:
        store.end(context.transaction, context.project_id, number)
        return
    holder = _holder(context, str(params.extra_params.get("worker") or ""))
    store.give_back(context.transaction, context.project_id, number, holder)
    left = of_ticket(context, number)
    if left.expires_at:
        raise _taken(left)


def _holder(context: Context, worker: str) -> Holder:
    return Holder(context.author.user_id, context.author.token_id, one_line(worker).strip())


def _taken(claim: Claim) -> Conflict:
    worker = f" ({claim.worker})" if claim.worker else ""
    until = f"{claim.expires_at:%Y-%m-%dT%H:%M:%SZ}"
    return Conflict(f"#{claim.number} is claimed by {claim.user_name}{worker} until {until}")
