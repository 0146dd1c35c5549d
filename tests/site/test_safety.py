"""Attacks by strangers and their pages: forgery, guessing, escalation and injection."""

import hashlib
import json
import re
from dataclasses import replace
from urllib.parse import urlencode

import pytest
from sqlalchemy import select

from skerry.database.statements import Statement
from skerry.store import accounts, tables
from skerry.store.people import people
from skerry.tracker.people import people as login_rules
from skerry.web.auth.browser import proof_of
from skerry.web.auth.guesses import GuessLimiter
from skerry.web.middleware import RequestInfo
from tests.conftest import PASSWORD
from tests.support.browser_client import WebClient
from tests.support.client import FORM, NeverRead, basic

NEW = "a shed full of rope"


@pytest.fixture
def reset(surfing, ada, ben):
    """The path of the link by which ben gets a new password from an administrator."""
    web = surfing(ada)
    page = web.get("/administration")
    page.reading.forms = [f for f in page.reading.forms if ("invitation[email]", ben.email) in f.fields]
    page = web.submit(page, "/invitations")
    (path,) = re.findall(r'value="http://[^/"]+(/welcome/[0-9a-f]{40})"', page.source)
    return path


def test_the_title_of_a_page_cannot_be_reversed(surfing, ada):
    project = ada.post("/projects", {"project": {"name": "Roof\u202e & yard"}}).item["id"]
    ada.post(f"/projects/{project}/tickets", {"ticket": {"title": "<b>\u2067gnp.\u202eexe"}})
    page = surfing(ada).get(f"/projects/{project}/tickets/1").source
    (title,) = re.findall(r"<title>(.*?)</title>", page, re.DOTALL)
    assert title.startswith("#1 &lt;b&gt;gnp.exe · Roof &amp; yard · ")


def test_the_link_of_an_administrator_is_void_once_the_person_is_an_owner(surfing, world, ben, reset):
    with world.write() as transaction:
        people.change_role(transaction, ben.user_id, "owner")
    assert surfing().get(reset).status == 404
    answer = world.client().post(reset, {"welcome": {"password": NEW}})
    assert answer.status == 404
    assert surfing(ben).get("/profile").status == 200


def test_a_link_of_one_account_opens_no_other_one(world, ben, reset):
    with world.database.write() as transaction:
        other = accounts.add(transaction, "Other", f"other-{world.host}")
    with world.database.write(other.id) as transaction:
        people.join_account(transaction, ben.user_id, "owner")
    assert world.client().post(reset, {"welcome": {"password": NEW}}).status == 200
    statuses = [
        replace(world.client(**basic(ben.email, NEW)), host=host).get("/profile").status
        for host in (world.host, f"other-{world.host}")
    ]
    assert statuses == [200, 401]


def test_a_link_ends_with_the_login_for_which_it_was_made(surfing, world, ben, reset):
    with world.write() as transaction:
        login_rules.change_email(transaction, ben.email, f"new-{ben.email}")
    heir = world.person("ben")
    assert heir.email == ben.email
    assert surfing().get(reset).status == 404
    assert world.client().post(reset, {"welcome": {"password": NEW}}).status == 404
    assert surfing(heir).get("/profile").status == 200


@pytest.mark.parametrize("after", ["member", None])
def test_links_end_with_the_right_to_make_them(surfing, world, ada, reset, after):
    with world.write() as transaction:
        people.leave_account(transaction, ada.user_id)
        if after:
            people.join_account(transaction, ada.user_id, after)
    assert surfing().get(reset).status == 404


def test_the_present_password_cannot_be_tried_without_end(surfing, ada):
    web = surfing(ada)
    sent = {"password[present]": "wrong horse", "password[new]": NEW}
    page = web.get("/profile")
    tries = [web.submit(page, "/profile/password", **sent).status for _ in range(11)]
    assert (set(tries[:10]), tries[10]) == ({422}, 429)
    right = web.submit(page, "/profile/password", **{**sent, "password[present]": PASSWORD})
    assert right.status == 429


def test_a_stored_form_does_not_help_to_guess_a_password(surfing, world, ada):
    web = surfing(ada)
    web.submit(
        web.get("/profile"), "/profile/password", **{"password[present]": PASSWORD, "password[new]": NEW}
    )
    form = {"_method": "PUT", "password": {"present": PASSWORD, "new": NEW}}
    said = json.dumps(["PUT", "/profile/password.html", form, []], sort_keys=True)
    kept = Statement(select(tables.repeats.c.fingerprint), across_accounts=True)
    with world.database.read() as transaction:
        found = {row[0] for row in transaction.all(kept)}
    assert found
    assert hashlib.sha256(said.encode()).hexdigest() not in found


@pytest.mark.parametrize("path", ["/sign-in", "/sign-out", "/preferences"])
@pytest.mark.parametrize("body", [b"", b"_csrf=" + b"0" * 32, b"_csrf[a]=1"])
def test_a_forged_form_beside_the_interface_is_refused_as_one(surfing, path, body):
    web = surfing()
    web.get("/sign-in")
    page = web.send("POST", path, body, FORM)
    assert page.status == 403
    assert "Reload the page" in page.text


def test_each_page_has_a_different_csrf_token_and_all_of_them_are_valid(surfing, ada):
    web = surfing(ada)
    pages = [web.get("/projects/new") for _ in range(3)]
    proofs = {dict(page.form("/projects").fields)["_csrf"] for page in pages}
    assert len(proofs) == len(pages)
    for page in pages:
        assert web.submit(page, "/projects", **{"project[name]": "Roof"}).status == 200
    assert len(ada.get("/projects").items) == len(pages)


@pytest.mark.parametrize("secret", ["", "x" * 40])
def test_a_csrf_token_for_a_foreign_secret_signs_nobody_in(surfing, ada, secret):
    web = surfing()
    web.cookies["skerry"] = secret
    fields = {"_csrf": proof_of(secret), "email": ada.email, "password": PASSWORD}
    assert web.send("POST", "/sign-in", urlencode(fields).encode(), FORM).status == 403


def test_signing_in_by_a_page_of_another_site_is_refused(world, ada):
    web = WebClient(world.instance.application, world.host)
    page = web.get("/sign-in")
    web.headers["Origin"] = "https://evil.example"
    assert web.submit(page, "/sign-in", email=ada.email, password=PASSWORD).status == 403
    assert web.get("/profile").path.startswith("/sign-in")


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/json", b'{"_csrf": "\\ud800"}'),
        ("text/xml", b"<["),
        (FORM, b"email=%ff"),
        ("image/png", b"x"),
    ],
)
def test_a_malformed_sign_in_is_a_client_error(surfing, kind, body):
    assert surfing().send("POST", "/sign-in", body, kind).status in (400, 415)


@pytest.mark.parametrize("path", ["/sign-in", "/sign-out", "/preferences", f"/welcome/{'0' * 40}.json"])
def test_only_short_bodies_of_strangers_are_read(surfing, path):
    assert surfing().send("POST", path, NeverRead(), "text/xml", Content_Length="65537").status == 413


def test_a_failed_sign_in_is_stored_with_a_short_key(surfing, monkeypatch):
    kept = []
    monkeypatch.setattr(GuessLimiter, "failed", lambda _self, *marks: kept.extend(marks))
    web = surfing()
    web.submit(web.get("/sign-in"), "/sign-in", email="a" * 50_000, password="wrong")
    assert 0 < max(map(len, kept)) < 1000


def test_wrong_passwords_count_for_a_network_wherever_they_are_sent(world, surfing, ben, monkeypatch):
    kept = []
    monkeypatch.setattr(GuessLimiter, "_count", lambda _self, marks, step: kept.append((marks[1], step)))
    monkeypatch.setattr(RequestInfo, "network", "2001:db8::/64")
    stranger, web = surfing(), surfing(ben)
    stranger.submit(stranger.get("/sign-in"), "/sign-in", email=ben.email, password="wrong")
    passwords = {"password[present]": "wrong", "password[new]": NEW}
    web.submit(web.get("/profile"), "/profile/password", "put", **passwords)
    world.client(**basic(ben.email, "wrong")).get("/projects")
    assert kept == [("address 2001:db8::/64", 1)] * 3
