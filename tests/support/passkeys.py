"""Passkeys of the cast, made and used by an authenticator in software."""

import json

from skerry.store.auth import sessions
from skerry.tracker.secrets import hash_token
from skerry.web.auth import browser
from tests.support.authenticator import Authenticator


def in_person(world, person):
    """Return somebody at a browser in which they signed in, as tokens may not make passkeys."""
    secret = browser.new_secret()
    with world.write() as transaction:
        sessions.add(transaction, person.user_id, hash_token(secret), agent="", address="")
    return world.client(**{"Cookie": f"skerry={secret}", "X-CSRF-Token": browser.proof_of(secret)})


def make(client, device, name="Telephone", **more):
    """Let an authenticator make a passkey for somebody, and return the answer of the server."""
    answer = device.make(client.get("/profile/passkeys/new").item["options"], **more)
    return client.post("/profile/passkeys", {"passkey": {"name": name, "answer": answer}})


def passkey_of(world, person, **more):
    """Return an authenticator with a new passkey of somebody's."""
    device = Authenticator(world.host, **more)
    made = make(in_person(world, person), device)
    assert made.status == 201, made.body
    return device


def asked(web):
    """Return what the sign-in page asks authenticators in a browser."""
    return json.loads(web.get("/sign-in/passkey").source)


def sign_in(web, device, wanted="/", **more):
    """Sign in with a passkey, as the script of the sign-in page does, and return the page that follows."""
    page = web.get(f"/sign-in?next={wanted}")
    return web.submit(page, "/sign-in", passkey=device.use(asked(web), **more))
