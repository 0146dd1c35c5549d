"""Replies to mail that was refused."""

import re
from urllib.parse import urlsplit

from skerry.database.transactions import Transaction
from skerry.store import accounts
from skerry.store.mail.mails import QueuedMail
from skerry.text.rendered_html import shortened
from skerry.tracker.mail import letters, queue
from skerry.tracker.mail.letters import Letter, Recipient
from skerry.tracker.mail.senders import MailAuthor

KIND = "refusal"

_MAX_SUBJECT_LENGTH = 200
_OWN_ID = re.compile(r"<(?:\d+\.)*[a-z_]+(?:\.\d+)+@([^<>@\s]+)>", re.IGNORECASE)


def is_own(transaction: Transaction, message_id: str) -> bool:
    """Return whether a Message-ID is one that this server generates."""
    host = urlsplit(queue.base_url(transaction)).hostname
    match = _OWN_ID.fullmatch(message_id)
    return bool(host and match and match[1].lower() == host)


def refuse(transaction: Transaction, sender: MailAuthor, reason: str) -> bool:
    """Reply to a mail with the reason for its refusal; return whether mail is sent at all."""
    content = {
        "reason": reason,
        "subject": shortened(sender.mail.subject, _MAX_SUBJECT_LENGTH),
        "message_id": sender.mail.message_id,
        "user_id": sender.person.id if sender.person else None,
    }
    queue.put(transaction, KIND, content, email=sender.mail.sender)
    return queue.is_on(transaction)


def composed(transaction: Transaction, mail: QueuedMail) -> Letter:
    """Return the reply to a refused mail, marked so that no program replies to it."""
    user_id = int(str(mail.content["user_id"] or 0))
    known = letters.reader(transaction, user_id, verified=False) if user_id else None
    to = Recipient(mail.email or "", language=known.language if known else "")
    refused = str(mail.content["message_id"])
    headers = {"In-Reply-To": refused, "References": refused, "Auto-Submitted": "auto-replied"}
    base = queue.base_url(transaction)
    return Letter(KIND, to, accounts.name_of(transaction), base, mail.content, headers)
