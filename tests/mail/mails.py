"""Raw mails to signed addresses, for the tests of what they do."""

from itertools import count

from skerry.store.people import preferences
from skerry.tracker.mail.reply_addresses import project_address, reply_address
from tests.conftest import MAIL_HOST, MAIL_SERVER
from tests.support.client import Mail

_ids = count(1)


def proven(address, result="pass"):
    """Return the header in which the trusted mail server says whether a sender is who they say."""
    return f"Authentication-Results: {MAIL_SERVER}; dmarc={result} header.from={address.rpartition('@')[2]}"


def mail(sender, to, text="Rain comes in", subject="The roof leaks", **headers):
    """Return a mail; underscores in names of headers stand for hyphens."""
    headers = {"Message-ID": f"<test-{next(_ids)}@example.org>", **headers}
    more = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    head = [f"From: Somebody <{sender}>", f"To: {to}", f"Subject: {subject}", *more]
    return Mail("\n".join([*head, "", text, ""]).encode())


def with_proof(mail, result="pass"):
    """Return a mail as the trusted mail server passes it on."""
    sender = mail.raw.partition(b"<")[2].partition(b">")[0].decode()
    return Mail(f"{proven(sender, result)}\n".encode() + mail.raw)


def reply_to(world, client, project_id, number):
    """Return the address at which somebody answers a ticket."""
    with world.database.read(world.account_id) as transaction:
        return reply_address(transaction, project_id, number, client.user_id, MAIL_HOST)


def address_of(world, project_id):
    """Return the address of a project."""
    with world.database.read(world.account_id) as transaction:
        return project_address(transaction, project_id, MAIL_HOST)


def verify(world, *clients):
    """Note that mails to people's addresses reach them."""
    with world.write() as transaction:
        for client in clients:
            preferences.verify(transaction, client.user_id, client.email)
