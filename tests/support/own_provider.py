"""An OpenID Connect provider of our own that answers as a test wants, and the way to it and back."""

import json
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

from joserfc import jwk, jwt

from skerry import app
from skerry.oidc_settings import ProviderSettings
from skerry.web.log import Log
from tests.support.browser_client import WebClient
from tests.support.processes import PATIENCE

CLIENT = "skerry"


LEFT_OUT = object()
"""Stands for a claim that the provider does not make."""


@dataclass
class Provider:
    """A provider that answers as a test wants it to."""

    base: str = ""
    key: jwk.RSAKey = field(default_factory=lambda: jwk.RSAKey.generate_key(2048, {"kid": "one"}))
    listed: list = field(default_factory=list)
    claims: dict = field(default_factory=dict)
    info: dict = field(default_factory=dict)
    header: dict = field(default_factory=dict)
    token: str | None = None
    status: int = 200
    asked: list = field(default_factory=list)
    authorization: str = ""
    nonce: str = ""
    more: bytes = b""
    issuer: str = ""
    described: dict = field(default_factory=dict)
    goes_on: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self):
        self.goes_on.set()

    def answers(self, path, form):
        self.asked.append((path, form))
        self.goes_on.wait(PATIENCE)
        if path == "/.well-known/openid-configuration":
            places = ["authorization_endpoint", "token_endpoint", "jwks_uri", "end_session_endpoint"]
            places += ["userinfo_endpoint"] if self.info else []
            at = {name: f"{self.base}/{name}" for name in places}
            return {"issuer": self.issuer or self.base, **at, **self.described}
        if path == "/userinfo_endpoint":
            return self.info
        if path == "/jwks_uri":
            return {"keys": [key.as_dict(private=False) for key in self.listed or [self.key]]}
        return {"id_token": self.token or self.signed(), "token_type": "Bearer", "access_token": "a"}

    def signed(self):
        now = int(time.time())
        claims = {"iss": self.base, "aud": CLIENT, "sub": "1", "iat": now, "exp": now + 300}
        claims |= {"nonce": self.nonce, **self.claims}
        claims = {name: value for name, value in claims.items() if value is not LEFT_OUT}
        header = {"alg": "RS256", "kid": self.key.kid, **self.header}
        return jwt.encode(header, claims, self.key)


@contextmanager
def running(provider):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            length = int(self.headers.get("Content-Length") or 0)
            form = dict(parse_qsl(self.rfile.read(length).decode()))
            provider.authorization = self.headers.get("Authorization") or provider.authorization
            body = json.dumps(provider.answers(urlsplit(self.path).path, form)).encode() + provider.more
            self.send_response(provider.status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815 - as above

        def log_message(self, *_said):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.base = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        provider.goes_on.set()
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def served(world, provider, *others, **more):
    """Yield a browser at an instance with the provider, and perhaps others."""
    more = {"client_secret": "hidden", "label": "Corp", **more}
    given = ProviderSettings("corp", provider.base, CLIENT, **more)
    settings = replace(world.instance.settings, providers=(given, *others))
    with app.build(settings, Log(stream=world.log)) as instance:
        yield WebClient(instance.application, world.host)


def leave(web, provider, page, **values):
    """Press the button that leads to the provider, and return what the provider was asked."""
    left = web.submit(page, "/sign-in/with/corp", **values)
    assert left.status == 200, left.text
    asked = {name: value[0] for name, value in parse_qs(urlsplit(left.headers["refresh"]).query).items()}
    provider.nonce = asked["nonce"]
    return asked


def returning(asked, **more):
    """Return the address to which the provider sends the browser."""
    return f"/sign-in/with/corp/return?{urlencode({'state': asked['state'], 'code': 'code', **more})}"


def begin(web, provider):
    """Start a sign-in, and return what the provider was asked."""
    return leave(web, provider, web.get("/sign-in"))


def come_back(web, provider, **more):
    return web.get(returning(begin(web, provider), **more))
