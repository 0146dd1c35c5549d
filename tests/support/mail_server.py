"""A mail server that takes mails, or behaves as badly as it is told to."""

import asyncio
import ssl
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

from skerry import mail_settings
from skerry.mail.sender import MailSender
from skerry.mail_settings import MailSettings
from tests.support.processes import PATIENCE, free_port

SENDER = "Skerry <skerry@tracker.example>"
BASE = "https://tracker.example"
LOGIN = (b"skerry@mail.example", b"a shed @ full/of:rope")


@dataclass
class Server:
    """What the server was handed, and what it says to recipients: ``{"ben@…": "550 No such user"}``."""

    port: int = 0
    messages: list = field(default_factory=list)
    contents: list = field(default_factory=list)
    answers: dict = field(default_factory=dict)
    seconds: float = 0
    breaks_at: str = ""

    async def handle_RCPT(self, server, session, envelope, address, options):  # noqa: N802 - the library's name
        del server, session, options
        if address in self.answers:
            return self.answers[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):  # noqa: N802 - the library's name
        del session
        if self.breaks_at in envelope.rcpt_tos:
            server.transport.abort()
            return "421 Broken"
        await asyncio.sleep(self.seconds)
        self.contents.append(envelope.content)
        message = message_from_bytes(envelope.content, policy=policy.default)
        self.messages.append((envelope.rcpt_tos, message))
        return "250 OK"

    @property
    def recipients(self):
        return [recipient for recipients, _ in self.messages for recipient in recipients]


@contextmanager
def running(port=0, *, authority=None, tls=False, password=False):
    """Run a server until the end of the block; with an ``authority`` of trustme it speaks TLS."""
    server = Server(port or free_port())
    options = {"ready_timeout": PATIENCE}
    if authority:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("localhost").configure_cert(context)
        options |= {"ssl_context": context} if tls else {"tls_context": context, "require_starttls": True}
    if password:
        options |= {"authenticator": _is_login, "auth_required": True, "auth_require_tls": not tls}
    controller = Controller(server, hostname="localhost", port=server.port, **options)
    controller.start()
    try:
        yield server
    finally:
        controller.stop()


def _is_login(server, session, envelope, mechanism, data):
    del server, session, envelope, mechanism
    return AuthResult(success=(data.login, data.password) == LOGIN)


class Everything:
    """A lease of every account."""

    class accounts:  # noqa: N801 - stands for a set
        def __contains__(self, account_id):
            return True

    accounts = accounts()

    def confirm(self, transaction):
        pass


class Post:
    """Mail as it goes out of a world: what waits is sent when a test says so."""

    def __init__(self, world, server, url=""):
        self.world, self.server = world, server
        url = url or f"smtp://localhost:{server.port}"
        self.settings = MailSettings(mail_settings.smtp_server(url), mail_settings.sender(SENDER), BASE)

    def deliver(self):
        """Send what waits, and return the messages that the server was handed, with their recipients."""
        before = len(self.server.messages)
        MailSender(self.world.database, self.settings, self._failed)(Only(self.world.account_id))
        return self.server.messages[before:]

    def _failed(self, name, error):
        raise AssertionError(name) from error


class Only(Everything):
    """The lease of one account."""

    def __init__(self, account_id):
        self.accounts = {account_id}


def link_in(message):
    """Return the path of the first link in the plain text of a message."""
    text = message.get_body(("plain",)).get_content()
    return text.partition(BASE)[2].split()[0]
