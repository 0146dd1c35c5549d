"""Small changes by programs: received first, then authenticated and applied at once."""

import io
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Event

import pytest

from skerry.database import locks
from skerry.database.database import Database
from skerry.errors import SerializationFailure
from skerry.store.auth import tokens
from skerry.text import markdown
from skerry.tracker import quotas
from skerry.web import changes, write_handler
from skerry.web.changes import Changes
from skerry.web.write_handler import WriteHandler
from tests.conftest import PASSWORD
from tests.support.browser_client import WebClient
from tests.support.client import TYPES, basic, call, encode
from tests.support.forms import KIND, field, form
from tests.support.processes import PATIENCE

pytestmark = pytest.mark.matrix("formats")

WRONG = {"X-ServiceToken": "0" * 40}
DRAFT = {"ticket": {"title": "Wet"}}


@pytest.fixture
def at_once(monkeypatch):
    """The paths of the requests that were applied in one go."""
    paths, real = [], WriteHandler._write_at_once

    async def spy(self, routed, body):
        paths.append(routed.info.path)
        return await real(self, routed, body)

    monkeypatch.setattr(WriteHandler, "_write_at_once", spy)
    return paths


UNREADABLE = {
    "syntax": (b"{<", {}, 400),
    "an unknown type": (b"wet", {"Content-Type": "text/plain"}, 415),
    "compression": (b"{}", {"Content-Encoding": "gzip"}, 415),
}


@pytest.mark.matrix("both")
@pytest.mark.parametrize("what", UNREADABLE)
def test_nothing_is_said_about_a_body_before_the_caller_is_known(world, ada, cy, tickets, at_once, what):
    raw, headers, status = UNREADABLE[what]
    senders = (world.client(**WRONG), cy, ada)
    kind = headers.get("Content-Type", TYPES[ada.format])
    statuses = [each.send("POST", tickets, raw=raw, kind=kind, **headers).status for each in senders]
    assert (statuses, len(at_once)) == ([401, 404, status], 3)


def test_a_body_that_is_too_long_is_not_mentioned_to_strangers(world, cy, tickets):
    headers = {"Host": world.host, "Content-Length": str(1 << 40), "Content-Type": TYPES[world.format]}
    for sent, status in ((WRONG, 401), (cy.headers, 404)):
        answer = call(world.instance.application, "POST", tickets, body=b"{", headers={**headers, **sent})
        assert answer.status == status


def test_a_body_that_does_not_arrive_is_not_mentioned_to_strangers(world, ada, tickets, at_once):
    headers = {"Host": world.host, "Content-Length": "100", "Content-Type": TYPES[world.format]}
    for sent, status in ((WRONG, 401), (ada.headers, 400)):
        answer = call(world.instance.application, "POST", tickets, body=b"{", headers={**headers, **sent})
        assert answer.status == status
    assert len(at_once) == 2


def test_strangers_do_not_wait_for_the_writer_of_sqlite(world, cy, tickets, at_once):
    with world.write():
        assert world.client(**WRONG).post(tickets, DRAFT).status == 401
        assert cy.post(tickets, DRAFT).status == 404
    assert len(at_once) == 2


@pytest.mark.matrix("databases")
def test_strangers_do_not_wait_for_a_whole_project(world, cy, roof, tickets):
    project = tickets.removesuffix("/tickets")
    with world.write() as transaction:
        locks.lock_shared(transaction, roof)
        for stranger, status in ((world.client(**WRONG), 401), (cy, 404)):
            assert stranger.put(project, {"project": {"name": "Mine"}}).status == status
            assert stranger.post(tickets, DRAFT, **{"If-Match": '"x"'}).status == status


@pytest.mark.matrix("databases")
def test_no_text_is_rendered_for_strangers(world, ada, cy, tickets, monkeypatch):
    rendered, real = [], markdown.render
    monkeypatch.setattr(markdown, "render", lambda text, *known: rendered.append(text) or real(text, *known))
    draft = {"ticket": {"title": "Wet", "body": "*Wet* through"}}
    statuses = [each.post(tickets, draft).status for each in (world.client(**WRONG), cy)]
    assert (statuses, rendered) == ([401, 404], [])
    assert (ada.post(tickets, draft).status, rendered) == (201, ["*Wet* through"])


@pytest.mark.matrix("databases")
def test_a_caller_whose_token_is_revoked_while_waiting_changes_nothing(
    world, ben, roof, tickets, monkeypatch
):
    world.join(roof, ben)
    waits = Event()
    for where, name in ((Changes, "apply"), (changes, "_lock_first")):
        real = getattr(where, name)
        monkeypatch.setattr(where, name, lambda *given, real=real: waits.set() or real(*given))
    url = world.database.engine.url.render_as_string(hide_password=False)
    with ThreadPoolExecutor() as pool, closing(Database(url)) as elsewhere:
        with elsewhere.write(world.account_id) as transaction:
            locks.lock_exclusive(transaction, roof)
            tokens.revoke_all(transaction, ben.user_id)
            later = pool.submit(ben.post, tickets, DRAFT)
            assert waits.wait(PATIENCE)
        assert later.result().status == 401


@pytest.mark.matrix("databases")
def test_a_conflict_is_tried_again_and_leaves_nothing(ada, tickets, monkeypatch):
    tries, real = [], quotas.take

    def take(context, *limits):
        tries.append(context)
        if len(tries) != 3:
            raise SerializationFailure
        real(context, *limits)

    monkeypatch.setattr(quotas, "take", take)
    assert [ada.post(tickets, DRAFT).status for _ in range(2)] == [201, 409]
    assert len(ada.get(tickets).items) == 1


def with_expect(ada, tickets):
    return ada.post(tickets, DRAFT, Expect="100-continue")


def without_length(ada, tickets):
    headers = {
        **ada.headers,
        "Host": ada.host,
        "Content-Type": TYPES[ada.format],
        "Transfer-Encoding": "chunked",
    }
    body = io.BytesIO(encode(ada.format, DRAFT))
    return call(ada.application, "POST", ada.address(tickets), body=body, headers=headers)


def with_a_file(ada, tickets):
    return ada.send("POST", tickets, raw=form(field("ticket[title]", "Wet")), kind=KIND)


def with_a_password(ada, tickets):
    return ada.speaking(**basic(ada.email, PASSWORD)).post(tickets, DRAFT)


def with_a_long_text(ada, tickets):
    return ada.post(tickets, {"ticket": {"title": "Wet", "body": "Wet. " * 1000}})


def in_a_browser(ada, tickets):
    web = WebClient(ada.application, ada.host)
    web.sign_in(ada.email, PASSWORD)
    return web.submit(web.get(f"{tickets}/new"), tickets, **{"ticket[title]": "Wet"})


def as_a_mail(ada, _tickets):
    return ada.send("POST", "/mail", raw=b"Subject: Wet\r\n\r\nWet", kind="message/rfc822")


def as_a_dry_run(ada, tickets):
    edit = {"bulk_edit": {"query": "all", "command": "state:open", "dry_run": True}}
    return ada.post(f"{tickets.removesuffix('/tickets')}/bulk_edit", edit)


def with_preparation(ada, tickets):
    draft = {"changeset": {"revision": "1f", "title": "Wet", "changes": "[['M', 'roof']]"}}
    return ada.post(tickets.replace("tickets", "changesets"), draft)


IN_STEPS = (
    with_expect,
    without_length,
    with_a_file,
    with_a_password,
    with_a_long_text,
    with_preparation,
    in_a_browser,
    as_a_mail,
    as_a_dry_run,
)


@pytest.mark.parametrize("send", IN_STEPS)
def test_slow_authentication_comes_before_the_body(ada, tickets, at_once, send):
    assert send(ada, tickets).status in (200, 201, 422)
    assert at_once == []


def test_a_change_without_a_body_is_applied_in_one_go(ada, tickets, at_once):
    ada.post(tickets, DRAFT)
    assert (ada.delete(f"{tickets}/1").status, at_once) == (200, [tickets, f"{tickets}/1"])


def test_bodies_of_unauthenticated_callers_share_a_limit(world, ada, tickets, at_once, monkeypatch):
    monkeypatch.setattr(write_handler, "MAX_SMALL", len(encode(ada.format, DRAFT)))
    for _ in range(2):
        assert [each.post(tickets, DRAFT).status for each in (ada, world.client(**WRONG))] == [201, 401]
    assert len(at_once) == 4
    monkeypatch.setattr(write_handler, "MAX_SMALL", 1)
    assert (ada.post(tickets, DRAFT).status, len(at_once)) == (201, 4)
