"""Receivers of hooks: real servers on this machine that do what a test tells them."""

import json
import socket
import ssl
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import NamedTuple


class Received(NamedTuple):
    """A request that came."""

    path: str
    headers: dict
    body: bytes

    @property
    def message(self):
        return self.headers["webhook-id"]

    @property
    def data(self):
        return json.loads(self.body)

    @property
    def type(self):
        return self.data["event"]["type"]

    @property
    def number(self):
        return self.data["event"].get("number")


class Receiver:
    """What came, in order; ``answer`` gives the status and the body, or writes something of its own."""

    def __init__(self, server, scheme):
        self._server, self._scheme = server, scheme
        self.received = []
        self.answer = lambda _request: 204
        self.headers = {}

    @property
    def port(self):
        return self._server.server_address[1]

    @property
    def url(self):
        return f"{self._scheme}://127.0.0.1:{self.port}/hook"

    @property
    def numbers(self):
        return [request.number for request in self.received]

    @property
    def types(self):
        return [request.type for request in self.received]

    def then(self, *answers):
        """Answer with these one after the other, the last one from then on."""
        left = list(answers)
        self.answer = lambda _request: left.pop(0) if len(left) > 1 else left[0]


@contextmanager
def receiving(context=None, port=0):
    """Receive on a port of this machine, by TLS if there is a context."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            length = int(self.headers["content-length"])
            body = self.rfile.read(length)
            if len(body) < length:
                # Whoever sends was killed in the middle.
                return
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Received(self.path, headers, body)
            receiver.received.append(request)
            answered = receiver.answer(request)
            status, content = answered if isinstance(answered, tuple) else (answered, b"")
            self.send_response(status)
            for name, value in receiver.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_arguments):
            pass

        def setup(self):
            super().setup()
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, _request, _address):
            """Ignore clients that disconnect."""

    with Server(("127.0.0.1", port), Handler) as server:
        if context:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        receiver = Receiver(server, "https" if context else "http")
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield receiver
        finally:
            server.shutdown()
            thread.join()


def certified(authority, *names):
    """Return a context that shows a certificate of an authority for some names."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(*names).configure_cert(context)
    return context
