"""Quoted text left out of comments from mail: stored for members only."""

import re
from urllib.parse import urlsplit

import pytest

from skerry.mail.texts import REPLY_LINE
from skerry.tracker.access import Permission
from skerry.tracker.mail import reply_addresses
from skerry.web.routes.table import ROUTES
from tests.conftest import MAIL_HOST, PASSWORD
from tests.mail.mails import address_of, mail, reply_to, verify, with_proof
from tests.support.browser_client import WebClient
from tests.support.mail_server import BASE
from tests.web.test_events import happened

pytestmark = pytest.mark.matrix("both")

QUOTED = f"> {REPLY_LINE}\n> Umbrella [state:invalid]"


@pytest.fixture
def answered(ada, ben, reply, ticket):
    """A comment of Ben's by mail, with what it quotes; gives its address."""
    text = f"Since May.\n\nAda, jana 10:02:\n{QUOTED}\n> {reply}\n> https://x.example/unsubscribe/abcdefghij"
    assert ada.post("/mail", mail(ben.email, reply, text)).item["result"] == "comment"
    return f"{ticket}/versions/2"


def test_members_read_the_quoted_text_without_its_secrets(ada, reply, answered):
    version = ada.get(answered).item
    masked = f"Ada, jana 10:02:\n{QUOTED}\n> reply+…@{MAIL_HOST}\n> https://x.example/unsubscribe/…"
    assert (version["body"], version["quoted_body"]) == ("Since May.", masked)


def test_only_members_read_the_quoted_text(world, ada, ben, cy, harbour):
    ada.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "The quay"}})
    ada.post("/mail", mail(ben.email, reply_to(world, ben, harbour, 1), f"Yes.\n\n{QUOTED}"))
    at = f"/projects/{harbour}/tickets/1/versions/2"
    assert "quoted_body" in ada.get(at).item
    for client in (cy, world.client()):
        assert client.get(at).item["body"] == "Yes."
        assert "quoted_body" not in client.get(at).item


def test_quoted_text_is_not_searched_or_mailed_and_contains_no_commands(world, ada, roof, ticket, answered):
    assert ada.get(f"/projects/{roof}/tickets?q=umbrella").items == []
    assert ada.get(ticket).item["state"] == "new"
    assert "Umbrella" not in ada.get(ticket).body.decode() + str(happened(world))


def test_quoted_text_is_folded_on_the_page(world, ada, ticket, answered):
    web = WebClient(world.instance.application, world.host)
    web.sign_in(ada.email, PASSWORD)
    (folded,) = re.findall('<details class="quoted.*?</details>', web.get(ticket).source, re.DOTALL)
    assert "Umbrella [state:invalid]" in folded


def test_quoted_text_moves_and_is_deleted_with_its_comment(ada, roof, ticket, answered):
    target = ada.post("/projects", {"project": {"name": "Cellar"}}).item["id"]
    move = {"bulk_edit": {"query": "number:1", "command": f"project:{target}"}}
    assert ada.post(f"/projects/{roof}/bulk_edit", move).status == 200
    at = f"/projects/{target}/tickets/1/versions/2"
    assert "quoted_body" in ada.get(at).item
    ada.put(at, {"version": {"body": "Since June."}})
    assert "quoted_body" in ada.get(at).item
    ada.delete(at)
    assert "quoted_body" not in ada.get(at).item


def test_a_mail_that_answers_nothing_opens_a_ticket_with_all_of_its_text(world, ada, roof):
    verify(world, ada)
    text = f"In the log of 2026-11-27 the daemon wrote:\n\ndisk full\n\nFrom: a\n\n{QUOTED}\n\n-- \nA"
    made = ada.post("/mail", with_proof(mail(ada.email, address_of(world, roof), text))).item
    ticket = ada.get(f"/projects/{roof}/tickets/{made['number']}").item
    assert (ticket["body"], ticket["state"]) == (text, "new")


def test_an_answer_to_our_mail_at_the_address_of_a_project_is_a_ticket_without_the_quote(
    world, ada, roof, post
):
    verify(world, ada)
    references = f"<ticket.{world.account_id}.{roof}.1@{urlsplit(BASE).hostname}>"
    text = f"Another leak.\n\n{QUOTED}"
    message = mail(ada.email, address_of(world, roof), text, References=references)
    made = ada.post("/mail", with_proof(message)).item
    assert ada.get(f"/projects/{roof}/tickets/{made['number']}").item["body"] == "Another leak."


LINKS = sorted(
    {
        route.path
        for route in ROUTES
        if route.permission is Permission.CAPABILITY_LINK
        and route.path.endswith("/{code}")
        and not route.writes
    }
)


@pytest.mark.parametrize("path", LINKS)
def test_every_link_that_lets_somebody_in_is_masked(path):
    code = "0123456789abcdef0123456789abcdef01234567"
    for base in ("https://x.example", "https://x.example/tracker"):
        said = reply_addresses.masked(f"See {base}{path.replace('{code}', code)} soon")
        assert said == f"See {base}{path.replace('{code}', '…')} soon"
