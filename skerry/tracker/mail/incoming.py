"""Actions of incoming mail: it comments on tickets and opens new ones.

A mail is processed for each signed address that it was sent to. Mail that is automatic, is a duplicate, or
comes too often is ignored and never answered; mail with an action that is not permitted is answered once,
with the reason.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256

from skerry.database.transactions import Transaction
from skerry.errors import (
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    SerializationFailure,
    SkerryError,
    TooLarge,
    TooManyRequests,
    Unauthenticated,
)
from skerry.resources.mail import IncomingMailResult
from skerry.resources.tickets import Ticket
from skerry.store import settings
from skerry.store import tickets as ticket_store
from skerry.store.mail import incoming_mails as store
from skerry.store.ticket_rows import moved_tickets
from skerry.store.ticket_rows.moved_tickets import Place
from skerry.text import mail_subjects
from skerry.tracker import access, held_texts, quotas, tickets, versions
from skerry.tracker.access import Permission
from skerry.tracker.context import Context, NewFile, Params, Rendered
from skerry.tracker.mail import answers, held_text_mails, incoming_mails, reply_addresses, senders
from skerry.tracker.mail.incoming_mails import IncomingMail, MailText
from skerry.tracker.mail.reply_addresses import REPLY, AddressTarget
from skerry.tracker.mail.senders import MailAuthor
from skerry.tracker.quotas import Quotas

COMMENT, TICKET, HELD, IGNORED, REFUSED = "comment", "ticket", "held", "ignored", "refused"

NOWHERE = "This mail has no recipient address that accepts mail"

MAX_REFUSED_PER_HOUR = 100
"""How many mails that nobody may have sent are listed in an hour; the log has them all."""

_REFUSALS = (Conflict, Forbidden, Invalid, NotFound, TooLarge, TooManyRequests, Unauthenticated)


@dataclass(frozen=True)
class ReceivedMail:
    """A mail to process: with the files for each address, the daily quotas of guests, and rendered texts."""

    mail: IncomingMail
    files: Mapping[AddressTarget, tuple[NewFile, ...]]
    quotas: Quotas
    rendered: Rendered


def receive(context: Context, params: Params) -> IncomingMailResult:
    """Process a mail for all of its addresses in the account, and return the first result.

    Raises Invalid if none of them accepts mail.
    """
    delivery = params.draft["delivery"]
    if not isinstance(delivery, ReceivedMail):
        raise Invalid(NOWHERE)
    done = [carry_out(context.transaction, delivery, target) for target in delivery.files]
    if not done:
        raise Invalid(NOWHERE)
    return next((result for result in done if result.number), done[0])


def carry_out(transaction: Transaction, delivery: ReceivedMail, target: AddressTarget) -> IncomingMailResult:
    """Process a mail for one address; list it for administrators if it is not used."""
    done = _carried_out(transaction, delivery, target)
    if not done.number and done.result != HELD:
        key = _key(delivery.mail, target)
        incoming_mails.note(transaction, key, delivery.mail, done.result, done.reason, answered=done.answered)
    return done


def note_refused(transaction: Transaction, mail: IncomingMail, reason: str) -> None:
    """Record a mail for administrators that was refused for a reason that does not depend on its addresses.

    One without a Message-ID is recognized by its sender and the reason. As anybody can send as many as they
    like, only the first of an hour are listed.
    """
    if incoming_mails.within_hour(transaction) < MAX_REFUSED_PER_HOUR:
        named = mail.message_id or f"{mail.sender}\n{reason}"
        key = sha256(named.encode("utf-8", "replace")).hexdigest()
        incoming_mails.note(transaction, key, mail, REFUSED, reason, answered=False)


def _carried_out(
    transaction: Transaction, delivery: ReceivedMail, target: AddressTarget
) -> IncomingMailResult:
    mail = delivery.mail
    if not reply_addresses.is_genuine(transaction, target):
        return _result(mail, REFUSED, NOWHERE)
    reason = _automatic(transaction, mail, target)
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
    except SerializationFailure:
        raise
    except _REFUSALS as failure:
        return _refused(transaction, key, sender, failure)


def _automatic(transaction: Transaction, mail: IncomingMail, target: AddressTarget) -> str:
    """Return the reason to believe that a program sent a mail; empty if it may be from a person.

    Groups and mailing lists may write to a project, but only people reply.
    """
    own = "own message" if answers.is_own(transaction, mail.message_id) else ""
    return mail.automatic or own or (mail.bulk if target.kind == REPLY else "")


def _key(mail: IncomingMail, target: AddressTarget) -> str:
    """Return a key that identifies the same message to the same ticket or project."""
    named = f"{mail.message_id}\n{target.project_id}\n{target.number}"
    return sha256(named.encode("utf-8", "replace")).hexdigest()


def _result(mail: IncomingMail, result: str, reason: str) -> IncomingMailResult:
    return IncomingMailResult(message_id=mail.message_id, result=result, reason=reason)


def _refused(
    transaction: Transaction, key: str, sender: MailAuthor, failure: SkerryError
) -> IncomingMailResult:
    reason = str(failure)
    answered = senders.may_be_answered(transaction, sender) and answers.refuse(transaction, sender, reason)
    if answered:
        store.note_answered(transaction, key)
    return IncomingMailResult(
        answered=answered, message_id=sender.mail.message_id, reason=reason, result=REFUSED
    )


def _done(
    transaction: Transaction, delivery: ReceivedMail, target: AddressTarget, sender: MailAuthor
) -> IncomingMailResult:
    if delivery.mail.problem:
        raise Invalid(delivery.mail.problem)
    act = _comment if target.kind == REPLY else _open
    return act(transaction, delivery, target, sender)


def _comment(
    transaction: Transaction, delivery: ReceivedMail, target: AddressTarget, sender: MailAuthor
) -> IncomingMailResult:
    if sender.person is None:
        raise Forbidden("Reply from the address that the mail was sent to")
    place = moved_tickets.present(transaction, target.project_id, target.number)
    try:
        return _comment_at(place, transaction, delivery, target, sender)
    except NotFound:
        if moved_tickets.present(transaction, *place) == place:
            # That it was moved is for those who see it there.
            if place != (target.project_id, target.number):
                raise NotFound(tickets.NOWHERE) from None
            raise
        # It was moved since it was looked for.
        raise SerializationFailure from None


def _comment_at(
    place: Place, transaction: Transaction, delivery: ReceivedMail, target: AddressTarget, sender: MailAuthor
) -> IncomingMailResult:
    arrived = _arrived(transaction, delivery, sender)
    context = access.enter(arrived, place.project_id, Permission.COMMENT, writes=True)
    ticket = tickets.one(context, place.number)
    files, text = delivery.files[target], delivery.mail.reply
    params = _drafted(text, delivery.mail.subject, ticket.title)
    params = replace(params, ids={"number": place.number}, files=files)
    if not params.draft["body"] and not files:
        raise Invalid("The mail contains nothing except quoted text")
    _count(context, delivery, params)
    if held_texts.hold_comment(context, params):
        held_text_mails.tell(context)
        return _result(delivery.mail, HELD, held_texts.WAITS)
    changed = tickets.update(context, params)
    held_texts.mark(context, params, changed)
    if text.quoted:
        versions.keep_quoted(context, changed, text.quoted)
    last = ticket_store.one(transaction, *place)
    return IncomingMailResult(
        message_id=delivery.mail.message_id,
        number=place.number,
        project_id=context.project_id,
        result=COMMENT,
        version=last.version if last else None,
    )


def _open(
    transaction: Transaction, delivery: ReceivedMail, target: AddressTarget, sender: MailAuthor
) -> IncomingMailResult:
    context = _entered(transaction, delivery, target, sender)
    mail = delivery.mail
    is_reply = any(answers.is_own(transaction, reference) for reference in mail.references)
    text = mail.reply if is_reply else mail.whole
    title, own = mail_subjects.opening(mail.subject, text.own)
    params = _drafted(replace(text, own=own), mail.subject)
    params = replace(params, draft={**params.draft, "title": title}, files=delivery.files[target])
    _count(context, delivery, params)
    if held_texts.hold_ticket(context, params):
        held_text_mails.tell(context)
        return _result(mail, HELD, held_texts.WAITS)
    ticket: Ticket = tickets.create(context, params)
    held_texts.mark(context, params, ticket)
    if text.quoted:
        versions.keep_quoted(context, ticket, text.quoted)
    return IncomingMailResult(
        message_id=delivery.mail.message_id,
        number=ticket.number,
        project_id=context.project_id,
        result=TICKET,
        version=1,
    )


def _drafted(text: MailText, subject: str, title: str = "") -> Params:
    """Return params with the text of a mail, and the commands of its subject below."""
    command = mail_subjects.command_of(subject, text.commands, title)
    body = f"{text.own}\n\n{command}".strip("\n").rstrip()
    return Params(draft={"body": body}, commands=f"{text.commands}\n{command}")


def _arrived(transaction: Transaction, delivery: ReceivedMail, sender: MailAuthor) -> Context:
    return Context(transaction, senders.principal(sender.person), rendered=delivery.rendered, via="mail")


def _entered(
    transaction: Transaction, delivery: ReceivedMail, target: AddressTarget, sender: MailAuthor
) -> Context:
    """Return the context in which a sender opens a ticket: with their own permissions, or as anybody may."""
    arrived = _arrived(transaction, delivery, sender)
    try:
        return access.enter(arrived, target.project_id, Permission.COMMENT, writes=True)
    except (NotFound, Unauthenticated):
        if not settings.takes_mail_from_anyone(transaction, target.project_id):
            senders.refuse_unproven(transaction, delivery.mail)
        context = access.enter_by_mail(arrived, target.project_id)
    if arrived.principal is None:
        context.principal = senders.stranger(transaction, delivery.mail)
    return context


def _count(context: Context, delivery: ReceivedMail, params: Params) -> None:
    """Raise TooLarge or TooManyRequests if this exceeds the quota of a guest."""
    quotas.check(context, delivery.quotas, sum(file.size for file in params.files))
    quotas.take(context, delivery.quotas, params)
