"""A small IMAP server with one folder, for one user, which behaves as badly as it is told to."""

import re
import socketserver
import ssl
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Thread

USER, PASSWORD = "skerry@mail.example", 'a "shed" @ full/of:rope'
_FETCH = re.compile(r"BODY\.PEEK\[\]<0\.(\d+)>")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')


@dataclass
class Folder:
    """The mails by their numbers, the flags of each, and what clients asked.

    A command that begins with ``breaks_at`` ends the connection; ``sizes`` are those that it lies about.
    """

    name: str = "INBOX"
    port: int = 0
    mails: dict = field(default_factory=dict)
    flags: dict = field(default_factory=dict)
    asked: list = field(default_factory=list)
    breaks_at: str = "nothing"
    can: str = "IMAP4rev1"
    sizes: dict = field(default_factory=dict)

    def add(self, raw):
        uid = max(self.mails, default=10) + 1
        self.mails[uid], self.flags[uid] = raw, set()
        return uid

    @property
    def unread(self):
        return [uid for uid, flags in self.flags.items() if r"\Seen" not in flags]

    def answer(self, command):
        """Return the answer to a command, without its tag, and the lines before."""
        if command.startswith(self.breaks_at):
            raise ConnectionAbortedError
        quoted = [re.sub(r"\\(.)", r"\1", part) for part in _QUOTED.findall(command)]
        lines, said = [], "OK done"
        match command.split():
            case ["LOGIN", *_] if quoted != [USER, PASSWORD]:
                said = f"NO [AUTHENTICATIONFAILED] {quoted[-1]} is no password"
            case ["SELECT" | "EXAMINE", *_] if quoted != [self.name]:
                said = "NO [NONEXISTENT] No such folder"
            case ["CAPABILITY"]:
                lines = [f"* CAPABILITY {self.can}".encode()]
            case ["EXAMINE", *_]:
                said = "OK [READ-ONLY] done"
            case ["UID", "SEARCH", "UNSEEN"]:
                lines = [b"* SEARCH " + " ".join(map(str, self.unread)).encode()]
            case ["UID", "FETCH", uids, *_]:
                lines = [self._fetched(int(uid), command) for uid in uids.split(",")]
            case ["UID", "STORE", uid, "+FLAGS.SILENT", *flags]:
                self.flags[int(uid)] |= set(" ".join(flags).strip("()").split())
        return lines, said

    def _fetched(self, uid, command):
        number, raw = list(self.mails).index(uid) + 1, self.mails[uid]
        if part := _FETCH.search(command):
            content = raw[: int(part[1])]
            found = b"* %d FETCH (UID %d BODY[]<0> {%d}\r\n%b)" % (number, uid, len(content), content)
        else:
            found = b"* %d FETCH (RFC822.SIZE %d UID %d)" % (number, self.sizes.get(uid, len(raw)), uid)
        # Servers tell at any time what else happens in the folder.
        return b"* %d FETCH (FLAGS (\\Recent))\r\n" % number + found


class _Handler(socketserver.StreamRequestHandler):
    def handle(self):
        folder = self.server.folder
        self.wfile.write(b"* OK Ready\r\n")
        while line := self.rfile.readline():
            tag, _, command = line.decode().strip().partition(" ")
            folder.asked.append(command)
            try:
                lines, said = folder.answer(command)
            except ConnectionAbortedError:
                return
            self.wfile.write(b"".join(line + b"\r\n" for line in lines) + f"{tag} {said}\r\n".encode())
            if command == "LOGOUT":
                return
            if command == "STARTTLS":
                self._encrypt()

    def _encrypt(self):
        self.connection = self.server.later.wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)

    def finish(self):
        super().finish()
        self.connection.close()


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    context = later = None

    def get_request(self):
        connection, address = super().get_request()
        if self.context:
            connection = self.context.wrap_socket(connection, server_side=True)
        return connection, address

    def handle_error(self, *_where):
        """Ignore clients that disconnect."""


@contextmanager
def running(port=0, *, authority=None, starttls=False):
    """Run a server until the end of the block.

    With an ``authority`` of trustme it speaks TLS, with ``starttls`` only once it is asked to.
    """
    with _Server(("localhost", port), _Handler) as server:
        server.folder = Folder(port=server.server_address[1])
        if authority:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            authority.issue_cert("localhost").configure_cert(context)
            server.context, server.later = (None, context) if starttls else (context, None)
        if starttls:
            server.folder.can += " STARTTLS"
        thread = Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server.folder
        finally:
            server.shutdown()
            thread.join()
