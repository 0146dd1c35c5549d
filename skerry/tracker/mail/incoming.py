"""Actions of incoming mail: it comments on tickets and opens new ones.

A mail is processed for each signed address that it was sent to. Mail that seems automatic, is a duplicate, or
comes too often is ignored and never answered; mail with an action that is not permitted is answered once,
with the reason.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from skerry.errors import (
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    SkerryError,
    TooLarge,
    TooManyRequests,
    Unauthenticated,
)
from skerry.resources.sending.incoming_mails import IncomingMailResult
from skerry.resources.tickets import Ticket
from skerry.store import tickets as ticket_store
from skerry.store.engine.transactions import Transaction
from skerry.store.mail import incoming_mails as store
from skerry.text import mail_subjects
from skerry.tracker import access, tickets
from skerry.tracker.access import Permission
from skerry.tracker.auth import quotas
from skerry.tracker.auth.quotas import Quotas
from skerry.tracker.context import Context, NewFile, Params, Rendered
from skerry.tracker.mail import answers, reply_addresses, senders
from skerry.tracker.mail.messages import IncomingMail
from skerry.tracker.mail.reply_addresses import REPLY, Target
from skerry.tracker.mail.senders import Sender

COMMENT, TICKET, IGNORED, REFUSED = "comment", "ticket", "ignored", "refused"

NOWHERE = "This mail has no recipient address that accepts mail"

_REFUSALS = (Conflict, Forbidden, Invalid, NotFound, TooLarge, TooManyRequests, Unauthenticated)


@dataclass(frozen=True)
class Delivery:
    """A mail to process: with the files for each address, the daily quotas of guests, and rendered texts."""

    mail: IncomingMail
    files: Mapping[Target, tuple[NewFile, ...]]
    quotas: Quotas
    rendered: Rendered = field(default_factory=dict)


def receive(context: Context, params: Params) -> IncomingMailResult:
    """Process a mail for all of its addresses in the account, and return the first result.

    Raises Invalid if none of them accepts mail.
    """
    delivery = params.draft["delivery"]
    if not isinstance(delivery, Delivery):
        raise Invalid(NOWHERE)
    done = [carry_out(context.transaction, delivery, target) for target in delivery.files]
    if not done:
        raise Invalid(NOWHERE)
    return next((result for result in done if result.number), done[0])


def carry_out(transaction: Transaction, delivery: Delivery, target: Target) -> IncomingMailResult:
    """Process a mail for one address."""
    mail = delivery.mail
    if not reply_addresses.is_genuine(transaction, target):
        return _result(mail, REFUSED, NOWHERE)
    reason = mail.automatic or ("own message" if answers.is_own(transaction, mail.message_id) else "")
    if reason:
        return _result(mail, IGNORED, f"The mail seems to have been sent by a program ({reason})")
    key = _key(mail, target)
    sender = senders.find(transaction, mail, target)
    too_many = senders.too_many(transaction, sender, target)
    if too_many:
        return _result(mail, IGNORED, too_many)
    if not store.claim(transaction, key, sender.key):
        return _result(mail, IGNORED, "The mail was already received")
    if target.number:
        senders.note_answer(transaction, sender, target)
    try:
        return _done(transaction, delivery, target, sender)
    except _REFUSALS as failure:
        return _refused(transaction, key, sender, failure)


def _key(mail: IncomingMail, target: Target) -> str:
    """Return a key that identifies the same message to the same ticket or project."""
    named = f"{mail.message_id}\n{target.project_id}\n{target.number}"
    return sha256(named.encode("utf-8", "replace")).hexdigest()


def _result(mail: IncomingMail, result: str, reason: str) -> IncomingMailResult:
    return IncomingMailResult(message_id=mail.message_id, result=result, reason=reason)


def _refused(transaction: Transaction, key: str, sender: Sender, failure: SkerryError) -> IncomingMailResult:
    reason = str(failure)
    answered = senders.may_be_answered(transaction, sender) and answers.refuse(transaction, sender, reason)
    if answered:
        store.note_answered(transaction, key)
    return IncomingMailResult(
        answered=answered, message_id=sender.mail.message_id, reason=reason, result=REFUSED
    )


def _done(transaction: Transaction, delivery: Delivery, target: Target, sender: Sender) -> IncomingMailResult:
    if delivery.mail.problem:
        raise Invalid(delivery.mail.problem)
    act = _comment if target.kind == REPLY else _open
    return act(transaction, delivery, target, sender)


def _comment(
    transaction: Transaction, delivery: Delivery, target: Target, sender: Sender
) -> IncomingMailResult:
    if sender.person is None:
        raise Forbidden("Reply from the address that the mail was sent to")
    arrived = _arrived(transaction, delivery, sender)
    context = access.enter(arrived, target.project_id, Permission.COMMENT, writes=True)
    ticket = tickets.one(context, target.number)
    text = mail_subjects.with_commands(delivery.mail.text, delivery.mail.subject, ticket.title)
    files = delivery.files[target]
    if not text.strip() and not files:
        raise Invalid("The mail contains nothing except quoted text")
    params = Params(ids={"number": target.number}, draft={"body": text}, files=files)
    _count(context, delivery, params)
    tickets.update(context, params)
    last = ticket_store.one(transaction, context.project_id, target.number)
    return IncomingMailResult(
        message_id=delivery.mail.message_id,
        number=target.number,
        project_id=context.project_id,
        result=COMMENT,
        version=last.version if last else None,
    )


def _open(transaction: Transaction, delivery: Delivery, target: Target, sender: Sender) -> IncomingMailResult:
    context = _entered(transaction, delivery, target, sender)
    title, text = mail_subjects.title_and_text(delivery.mail.subject, delivery.mail.text)
    params = Params(draft={"title": title, "body": text}, files=delivery.files[target])
    _count(context, delivery, params)
    ticket: Ticket = tickets.create(context, params)
    return IncomingMailResult(
        message_id=delivery.mail.message_id,
        number=ticket.number,
        project_id=context.project_id,
        result=TICKET,
        version=1,
    )


def _arrived(transaction: Transaction, delivery: Delivery, sender: Sender) -> Context:
    return Context(transaction, senders.principal(sender.person), rendered=delivery.rendered, via="mail")


def _entered(transaction: Transaction, delivery: Delivery, target: Target, sender: Sender) -> Context:
    """Return the context in which a sender opens a ticket: with their own permissions, or as anybody may."""
    arrived = _arrived(transaction, delivery, sender)
    try:
        return access.enter(arrived, target.project_id, Permission.COMMENT, writes=True)
    except (NotFound, Unauthenticated):
        context = access.enter_by_mail(arrived, target.project_id)
    if arrived.principal is None:
        context.principal = senders.stranger(transaction, delivery.mail)
    return context


def _count(context: Context, delivery: Delivery, params: Params) -> None:
    """Raise TooLarge or TooManyRequests if this exceeds the quota of a guest."""
    quotas.check(context, delivery.quotas, sum(file.size for file in params.files))
    quotas.take(context, delivery.quotas, params)
