"""Texts of newcomers, which wait until a member of the project releases them.

A newcomer is somebody who signed up and of whom nothing was released yet. What waits is no ticket and no
comment: it is kept apart, so that nothing that reads tickets has to know of it. When it is released, the use
case of a ticket or a comment is done in the name of its author. It counts as changed now, so that lists and
searches keep their order, and as made when it was sent.

If the account marks texts of newcomers instead, they are tickets and comments at once, with a mark.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from skerry.database.database import Database
from skerry.database.transactions import microseconds
from skerry.errors import Forbidden, Invalid, NotFound, TooManyRequests
from skerry.resources.held_texts import HOLD, MARK, SHOW, HeldText, TextDecision
from skerry.resources.messages import Comment, Message
from skerry.resources.tickets import Ticket, Version
from skerry.store import accounts
from skerry.store import held_texts as store
from skerry.store.auth import sign_ups
from skerry.store.held_texts import Mark
from skerry.store.people import people
from skerry.tracker import access, messages, tickets, versions
from skerry.tracker.access import Permission
from skerry.tracker.changes import ticket_values
from skerry.tracker.context import Context, Params, Principal, ResultPage
from skerry.visibility import is_visible
from skerry.wire.record import changed

TICKET, COMMENT, MESSAGE_COMMENT = "ticket", "comment", "message_comment"

MOST = 20
"""How many texts of one newcomer may wait at the same time."""

AT_ONCE = 100
"""How many texts are decided at once."""

WAITS = "The text waits until a member of the project releases it"
"""What is said about a mail whose text waits."""

NO_FILES = "Files cannot be sent until a member has released one of your texts; send it without"
NO_EDITS = "Your texts wait until a member releases them, so this one cannot be changed yet"
NOWHERE = "No such text waits here"

_HOUR = 3600


def _choice(context: Context) -> str:
    """Return what happens to what the caller sends to the project; that of most people is shown."""
    principal = context.author
    if context.member or principal.role is not None:
        return SHOW
    transaction = context.transaction
    is_newcomer = sign_ups.is_newcomer(transaction, principal.user_id)
    return accounts.newcomers_of(transaction) if is_newcomer else SHOW


def _waits(context: Context) -> bool:
    """Return whether what the caller sends to the project waits for a member."""
    return _choice(context) == HOLD


def hold_ticket(context: Context, params: Params) -> HeldText | None:
    """Keep a new ticket of a newcomer; return None for anybody else.

    Raises Invalid or Forbidden as for a ticket, Invalid with files, TooManyRequests if too many wait.
    """
    if not _waits(context):
        return None
    draft = params.draft_of(Ticket)
    values = ticket_values.apply(context, ticket_values.opening(context), draft, creating=True)
    more = {"title": values.title, "tag": values.tag, "private": int(values.private)}
    return _keep(context, params, TICKET, draft.new.body, **more)


def hold_comment(context: Context, params: Params) -> HeldText | None:
    """Keep a newcomer's comment on a ticket, as ``hold_ticket`` does; raises NotFound as well."""
    if not _waits(context):
        return None
    ticket = tickets.one(context, params.ids["number"])
    if "body" not in params.draft or set(params.draft) - {"body"}:
        ticket_values.apply(context, ticket, params.draft_of(Ticket), creating=False)
    body = params.draft_of(Version).new.body
    if not is_visible(body):
        raise Invalid("Body can't be blank")
    return _keep(context, params, COMMENT, body, number=ticket.number)


def hold_message_comment(context: Context, params: Params) -> HeldText | None:
    """Keep a newcomer's comment on a message, as ``hold_ticket`` does; raises NotFound as well."""
    if not _waits(context):
        return None
    message = messages.one(context, params.ids["id"])
    if message.parent_id:
        raise NotFound("There is no such message in this project; a comment has no comments of its own")
    return _keep(context, params, MESSAGE_COMMENT, params.draft_of(Comment).new.body, number=message.id)


def refuse_edit(context: Context, _params: Params) -> None:
    """Raise Forbidden if a newcomer changes a text that everybody sees."""
    if _waits(context):
        raise Forbidden(NO_EDITS)


def _keep(context: Context, params: Params, kind: str, body: str, **values: Any) -> HeldText:
    if params.files:
        raise Invalid(NO_FILES)
    transaction, principal = context.transaction, context.author
    if store.count_of(transaction, principal.user_id) >= MOST:
        raise TooManyRequests(f"{MOST} of your texts wait already; try again when some were released", _HOUR)
    held_id = store.add(
        transaction,
        context.project_id,
        principal.user_id,
        kind=kind,
        via=context.via or ("web" if principal.session_id else "api"),
        **{**_EMPTY, "body": body, **values},
    )
    return get(context, Params(ids={"id": held_id}))


_EMPTY: dict[str, Any] = {"number": None, "title": "", "body": "", "tag": None, "private": 0}


def mark(context: Context, params: Params, made: Ticket | Version | Message) -> None:
    """Mark a text that the caller just wrote, if the account marks those of newcomers."""
    if _choice(context) != MARK:
        return
    is_opening = isinstance(made, Ticket) and made.version == 1
    if not (is_opening or params.files or is_visible(str(params.draft.get("body") or ""))):
        return
    transaction, user_id = context.transaction, context.author.user_id
    if isinstance(made, Message):
        kind, number, shown_as = MESSAGE_COMMENT, made.parent_id or 0, made.id or 0
    else:
        number, shown_as = made.number or 0, made.version or 0
        kind = TICKET if shown_as == 1 else COMMENT
    present = Mark(context.project_id, number, shown_as, int(kind == MESSAGE_COMMENT))
    if present not in store.marks(transaction, [(context.project_id, number)]):
        values = {**_EMPTY, "kind": kind, "number": number, "shown_as": shown_as, "via": ""}
        store.add(transaction, context.project_id, user_id, **values)


def with_marks(context: Context, result: Any) -> Any:
    """Return a result in which marked texts say so; only for accounts that mark them, as others have none."""
    records = result.records if isinstance(result, ResultPage) else [result]
    places = [(each.project_id or 0, number) for each in records if (number := _number_of(each))]
    marks = store.marks(context.transaction, places)
    if not marks:
        return result
    shown = [_with_mark(each, marks) for each in records]
    return replace(result, records=shown) if isinstance(result, ResultPage) else shown[0]


def _number_of(record: object) -> int:
    if isinstance(record, Message):
        return record.parent_id or record.id or 0
    return (record.number or 0) if isinstance(record, Ticket | Version) else 0


def _with_mark(record: Any, marks: set[Mark]) -> Any:
    """Return a record and those inside it with marks."""
    if not isinstance(record, Ticket | Version | Message):
        return record
    is_message = isinstance(record, Message)
    inside = "comments" if is_message else "versions"
    if parts := getattr(record, inside, None):
        record = changed(record, **{inside: [_with_mark(each, marks) for each in parts]})
    text_id = record.id if is_message else record.version
    shown_as = 1 if isinstance(record, Ticket) else text_id or 0
    own = Mark(record.project_id or 0, _number_of(record), shown_as, int(is_message))
    return changed(record, newcomer=True) if own in marks else record


def list_all(context: Context, params: Params) -> ResultPage[HeldText]:
    """Return a page of the texts that wait in the project, for others than its members only their own."""
    transaction, page, user_id = context.transaction, params.page, _seen_of(context)
    here = {"limit": page.limit, "offset": page.offset}
    texts = store.page(transaction, context.project_id, user_id, **here)
    return ResultPage(HeldText, texts, store.count(transaction, context.project_id, user_id))


def _seen_of(context: Context) -> int:
    """Return whose texts the caller sees, 0 for everybody's."""
    return 0 if context.member else context.author.user_id


def count(context: Context) -> int:
    """Return how many texts wait in the project."""
    return store.count(context.transaction, context.project_id, 0)


def get(context: Context, params: Params) -> HeldText:
    """Return a text that waits; raises NotFound, also for one of others unless the caller is a member."""
    held = store.one(context.transaction, context.project_id, _seen_of(context), params.ids["id"])
    if held is None:
        raise NotFound(NOWHERE)
    return held


def decide(context: Context, params: Params) -> TextDecision:
    """Release texts, so that everybody sees them, or remove them; those that no longer wait are left out.

    Of a text that everybody sees already, the mark is removed, or the text. The author of a released text is
    no newcomer any more. Raises Invalid for no texts, or too many.
    """
    new, done = params.draft_of(TextDecision).new, []
    if not new.ids:
        raise Invalid("Ids can't be blank; choose at least one text")
    if len(new.ids) > AT_ONCE:
        raise Invalid(f"Ids are too many (at most {AT_ONCE} at once)")
    for held, via, shown_as in store.some(context.transaction, context.project_id, sorted(set(new.ids))):
        if shown_as:
            is_done = _accept(context, held) if new.release else _remove_shown(context, held, shown_as)
        else:
            is_done = not new.release or _release(context, held, via)
        if not is_done:
            continue
        store.remove(context.transaction, context.project_id, held.id or 0)
        done.append(held.id or 0)
    return TextDecision(release=new.release, count=len(done), ids=done)


_RELEASES: Mapping[str, tuple[Callable[[Context, Params], Ticket | Message], str]] = {
    TICKET: (tickets.create, ""),
    COMMENT: (tickets.update, "number"),
    MESSAGE_COMMENT: (messages.comment, "id"),
}
"""The use case of each kind of text, and the name under which it takes what is commented on."""


def _release(context: Context, held: HeldText, via: str) -> bool:
    """Do what the author of a text wanted to do; return whether that is still possible."""
    author = people.person(context.transaction, held.user_id or 0)
    if author is None:
        return False
    as_author = Context(
        context.transaction,
        Principal(author.id, author.name, author.role),
        rendered=context.rendered,
        via=via,
    )
    use_case, subject = _RELEASES[held.kind]
    values: dict[str, object] = {"body": held.body}
    if held.kind == TICKET:
        values |= {"title": held.title, "tag": held.tag, "private": held.private}
    ids = {subject: held.number or 0} if subject else {}
    try:
        with context.transaction.seeing(context.transaction.sight):
            inside = access.enter(as_author, context.project_id, Permission.COMMENT, writes=True)
            made = use_case(inside, Params(ids=ids, draft=values))
    except (Forbidden, Invalid, NotFound):
        # The ticket is gone or private, or the project has other rules now; nothing has been written.
        return False
    sent_at = microseconds(held.created_at) if held.created_at else context.transaction.now
    store.date(context.transaction, made, sent_at)
    sign_ups.trust(context.transaction, author.id)
    return True


def _accept(context: Context, held: HeldText) -> bool:
    """Trust the author of a text that everybody sees already."""
    sign_ups.trust(context.transaction, held.user_id or 0)
    return True


def _remove_shown(context: Context, held: HeldText, shown_as: int) -> bool:
    """Remove a text that everybody sees already; return False for a ticket in which others wrote."""
    number = held.number or 0
    if held.kind == MESSAGE_COMMENT:
        messages.delete(context, Params(ids={"id": shown_as}))
    elif held.kind == COMMENT:
        versions.delete(context, Params(ids={"number": number, "version": shown_as}))
    elif store.others_wrote(context.transaction, context.project_id, number, held.user_id or 0):
        return False
    else:
        tickets.delete(context, Params(ids={"number": number}))
    return True


def remove_old(database: Database) -> int:
    """Remove texts that waited for too long; return their number."""
    with database.write() as transaction:
        return store.remove_old(transaction)
