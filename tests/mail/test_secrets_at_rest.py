"""What a copy of the database gives away: no secret, wherever one could be written."""

import re

import pytest
from sqlalchemy import Text, inspect, text

from skerry.store import accounts
from skerry.store.sealed_columns import SEALED
from skerry.store.tables import metadata
from tests.conftest import PASSWORD
from tests.mail.test_account_mails import verify
from tests.support.browser_client import WebClient
from tests.support.client import basic
from tests.support.mail_server import link_in

pytestmark = pytest.mark.matrix("both")

# Columns whose names sound like secrets, besides hashes and those that are sealed, and why they are readable.
PLAIN = {
    "accounts.key": "it signs what only this server reads again and what lets nobody in: challenges, cursors",
    "accounts.secrets_key": "names the key that seals",
    "attachments.code": "the name of a file in the storage, which no address accepts",
    "audit_entries.credential": "the kind of credential",
    "audit_entries.personal_hash": "is what binds the log to what can be erased",
    "imports.code": "the name of a file in the storage",
    "incoming_mails.key": "the hash of a Message-ID",
    "mail_preferences.unsubscribe_code": "ends mail of one person, and reads nothing",
    "passkeys.credential": "an id that browsers tell to everybody who asks",
    "passkeys.public_key": "public",
    "removed_files.code": "the name of a file in the storage",
    "repeats.fingerprint": "a hash",
    "repeats.key": "a client's own name for a request",
    "sign_in_steps.credential": "the kind of credential",
    "users.avatar_code": "the name of a file in the storage",
}


def test_each_column_that_may_hold_a_secret_is_hashed_or_sealed_or_plain_for_a_reason():
    named = {
        f"{table.name}.{column.name}"
        for table in metadata.tables.values()
        for column in table.c
        if isinstance(column.type, Text)
        and re.search("secret|code|key|token|password|credential|fingerprint|personal_", column.name)
        and not column.name.endswith("password_hash")
    }
    sealed = {f"{each.table.name}.{column}" for each in SEALED for column in each.columns}
    assert named - sealed == PLAIN.keys()


def everything_in(database):
    """Return all rows of all tables as one text."""
    with database.engine.connect() as connection:
        names = inspect(connection).get_table_names()
        assert {*metadata.tables} <= {*names}
        return str([connection.execute(text(f'SELECT * FROM "{name}"')).all() for name in names])


def test_no_secret_stands_anywhere_in_the_database(world, ada, ben, roof, post, code_app):
    verify(world, ada, post)
    verify(world, ben, post)
    owner = world.client(**basic(ada.email, PASSWORD))
    secrets = {"password": PASSWORD, "url": "s3cr3ts3cr3t"}
    secrets["token"] = owner.post("/profile/tokens", {"token": {"note": "build"}}).item["token"]
    hook = {"hook": {"url": "https://hooks.example/T0/s3cr3ts3cr3t", "events": ["*"]}}
    once = world.client(**basic(ada.email, PASSWORD), **{"Idempotency-Key": "once"})
    made = once.post(f"/projects/{roof}/hooks", hook).item
    secrets["hook"] = made["secret"]
    secrets["newer"] = owner.post(f"/projects/{roof}/hooks/{made['id']}/secret").item["secret"]
    secrets["forge"] = owner.post(f"/projects/{roof}/forges", {"forge": {"kind": "github"}}).item["secret"]
    feed = owner.post("/profile/feeds", {"feed": {"kind": "activity"}}).item
    secrets["feed"] = feed["url"].rpartition("/")[2].partition(".")[0]
    owner.post("/invitations", {"invitation": {"email": "dee@example.org", "role": "member"}})
    world.client().post("/password-reset", {"password_reset": {"email": ben.email}})
    mailed = [link_in(message).rpartition("/")[2] for _, message in post.deliver()]
    secrets |= {f"mailed {code[:4]}": code for code in mailed if len(code) == 40}
    web = WebClient(world.instance.application, world.host)
    web.sign_in(ada.email, PASSWORD)
    code_app.set_up(web)
    secrets |= {f"cookie {name}": value for name, value in web.cookies.items() if len(value) > 20}
    secrets |= {"time codes": code_app.secret} | dict(enumerate(code_app.recovery))
    with world.write() as transaction:
        secrets |= {f"mail {at}": each for at, each in enumerate(accounts.mail_secrets(transaction))}
    kept = everything_in(world.database)
    assert ("github" in kept, len(secrets)) == (True, 24)
    assert [name for name, secret in secrets.items() if secret in kept] == []
