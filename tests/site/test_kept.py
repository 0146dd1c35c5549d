"""Unsaved forms without scripts: the error page offers their content again."""

import html
import json
import re
import tracemalloc
from dataclasses import replace

import pytest

from skerry import app
from skerry.database.database import Database
from skerry.errors import (
    BadRequest,
    Forbidden,
    Gone,
    QueryTimeout,
    RequestTimeout,
    TooManyRequests,
    Unavailable,
)
from skerry.web.log import Log
from tests.conftest import PASSWORD
from tests.support import forms
from tests.support.browser_client import WebClient
from tests.support.client import FORM, JSON, NeverRead, call
from tests.support.forms import file

LONG = "A long *story*\nwith <b>two</b> lines"
WORDS = {"ticket[body]": LONG, "ticket[tag]": "wet, cold"}


def kept(page, wanted="ticket[body]"):
    """Return what stands in the fields of a form that was kept or is shown again."""
    return next(dict(form.fields) for form in page.reading.forms if wanted in dict(form.fields))


def signed_out(web):
    """End a session, as time and administrators do."""
    web.cookies.clear()


def away(*_arguments):
    """Be a database that is not there."""
    raise Unavailable


@pytest.mark.parametrize("files", [None, [file()]])
def test_a_signed_out_person_can_sign_in_and_send_the_text(surfing, ada, ticket, files):
    web = surfing(ada)
    page = web.get(ticket)
    signed_out(web)
    page = web.press(page, "_seen", files, **WORDS)
    assert page.status == 403
    assert "You are no longer signed in" in page.text
    assert LONG in html.unescape(page.source)
    # The cursor stands in the first field that is empty.
    assert re.findall(r'<input[^>]* name="(\w+)"[^>]* autofocus', page.source) == ["email"]
    page = web.submit(page, "/sign-in", email=ada.email, password="wrong")
    assert page.status == 401
    assert re.findall(r'<input[^>]* name="(\w+)"[^>]* autofocus', page.source) == ["password"]
    page = web.submit(page, "/sign-in", email=ada.email, password=PASSWORD)
    assert WORDS.items() <= kept(page).items()
    assert ada.get(ticket).item["version"] == 1
    assert web.press(page, "_seen").status == 200
    item = ada.get(ticket).item
    assert (item["version"], item["tag"]) == (2, "cold wet")
    assert item["versions"][1]["body"] == LONG


def test_a_press_of_a_button_is_kept_while_somebody_signs_in(surfing, ben, ticket):
    web = surfing(ben)
    page = web.get(ticket)
    signed_out(web)
    page = web.submit(web.press(page, "Watch"), "/sign-in", email=ben.email, password=PASSWORD)
    assert not ben.get(ticket).item["watchers_ids"].count(ben.user_id)
    web.submit(page, ticket)
    assert ben.user_id in ben.get(ticket).item["watchers_ids"]


@pytest.mark.parametrize(
    "unsaved", ["[]", "{", "[1, 2, 3]", '["//evil.example/x",false,[["a","b"]]]', "null", "[" * 50_000]
)
def test_a_saved_form_cannot_redirect_to_another_site(surfing, ada, unsaved):
    web = surfing()
    page = web.get("/sign-in")
    page = web.submit(page, "/sign-in", email=ada.email, password=PASSWORD, unsaved=unsaved)
    assert page.status == 200
    assert not [form.action for form in page.reading.forms if form.action.startswith("//")]


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        (TooManyRequests("Too many requests", 7), 429),
        (Unavailable(), 503),
        (QueryTimeout(), 503),
        (RequestTimeout(), 408),
        (BadRequest(), 400),
        (Forbidden(), 403),
        (Gone(), 410),
    ],
)
def test_nobody_who_is_signed_in_is_told_to_sign_in(surfing, ada, ticket, monkeypatch, failure, status):
    def fail(*_arguments):
        raise failure

    web = surfing(ada)
    page = web.get(ticket)
    monkeypatch.setattr(Database, "write", fail)
    page = web.press(page, "_seen", **WORDS)
    assert (page.status, "ign in" in page.text) == (status, False)
    assert WORDS.items() <= kept(page).items()
    wait = page.headers.get("retry-after")
    assert (status in (429, 503)) == bool(wait)
    assert not wait or f"You can send it again in {wait} seconds" in page.text


def test_a_form_sent_after_signing_in_again_keeps_its_values(surfing, ada, roof):
    web, messages = surfing(ada), f"/projects/{roof}/messages"
    page = web.get(f"{messages}/new")
    web.submit(page, "/sign-out")
    web.sign_in(ada.email, PASSWORD)
    said = {"message[title]": "News", "message[body]": LONG}
    page = web.submit(page, messages, **said)
    assert (page.status, said.items() <= kept(page, "message[body]").items()) == (403, True)
    assert web.submit(page, messages).status == 200
    assert [each["title"] for each in ada.get(messages).items] == ["News"]


@pytest.mark.parametrize("happened", ["archived", "removed", "expelled", "project removed"])
@pytest.mark.parametrize("files", [None, [file()]])
def test_a_text_for_a_ticket_that_became_inaccessible_is_not_lost(
    surfing, ada, ben, roof, ticket, happened, files
):
    web, project = surfing(ben), f"/projects/{roof}"
    page = web.get(ticket)
    if happened == "archived":
        ada.put(project, {"project": {"archived": True}})
    elif happened == "expelled":
        memberships = ada.get(f"{project}/memberships").items
        (his,) = [each["id"] for each in memberships if each["user_id"] == ben.user_id]
        ada.delete(f"{project}/memberships/{his}")
    else:
        ada.delete(ticket if happened == "removed" else project)
    page = web.press(page, "_seen", files, **WORDS)
    assert page.status == (403 if happened == "archived" else 404)
    assert WORDS.items() <= kept(page).items()
    assert kept(page)["_method"] == "PUT"


def test_a_text_sent_while_the_database_was_down_is_sent_again_once(surfing, ada, tickets, monkeypatch):
    web = surfing(ada)
    page = web.get(f"{tickets}/new")
    with monkeypatch.context() as patch:
        patch.setattr(Database, "write", away)
        page = web.submit(page, tickets, "post", **{"ticket[title]": "Leak", **WORDS})
    assert (page.status, kept(page)["ticket[title]"]) == (503, "Leak")
    names = [name for name, _ in page.form(tickets).fields]
    assert len(names) == len(set(names))
    for _ in range(2):
        assert web.submit(page, tickets, "post").status == 200
    assert [each["tag"] for each in ada.get(tickets).items] == ["cold wet"]


def test_a_file_that_is_too_large_leaves_no_text_behind(world, ada, ticket):
    settings = replace(world.instance.settings, upload_limit=1000)
    with app.build(settings, Log(stream=world.log)) as instance:
        web = WebClient(instance.application, world.host)
        web.sign_in(ada.email, PASSWORD)
        page = web.press(web.get(ticket), "_seen", [file(b"x" * 2000)], **WORDS)
    assert page.status == 413
    assert "The file notes.txt is too large" in page.text
    assert kept(page)["ticket[body]"] == LONG


def test_a_form_sent_by_another_site_is_not_repeated(surfing, ada, ticket):
    web = surfing(ada)
    page = web.get(ticket)
    web.headers["Origin"] = "https://evil.example"
    page = web.press(page, "_seen", **WORDS)
    assert (page.status, "two" in page.source) == (403, False)


def test_a_password_is_not_repeated(surfing, ada):
    web = surfing(ada)
    page = web.get("/profile")
    signed_out(web)
    sent = {"password[present]": PASSWORD, "password[new]": "a shed full of rope"}
    page = web.submit(page, "/profile/password", **sent)
    assert page.path == "/sign-in"
    assert "rope" not in page.source


@pytest.mark.parametrize("said", [WORDS, {"ticket[title]": ""}])
def test_not_even_a_site_that_may_read_answers_has_its_form_shown_as_ours(world, ada, tickets, said):
    settings = replace(world.instance.settings, cors_origins=frozenset({"*"}))
    with app.build(settings, Log(stream=world.log)) as instance:
        web = WebClient(instance.application, world.host)
        web.sign_in(ada.email, PASSWORD)
        web.headers["Origin"] = "https://evil.example"
        page = web.submit(web.get(f"{tickets}/new"), tickets, "post", _csrf=None, **said)
    assert page.status == 403
    assert tickets not in [form.action for form in page.reading.forms if form.method == "post"]


def test_a_text_that_is_too_long_is_not_repeated_to_strangers(surfing, ada, ticket):
    web = surfing(ada)
    page = web.get(ticket)
    signed_out(web)
    assert web.press(page, "_seen", **{"ticket[body]": '"' * (1 << 20)}).path == "/sign-in"


@pytest.mark.parametrize("kind", [JSON, forms.KIND])
def test_a_small_document_of_a_stranger_takes_little_memory(surfing, kind):
    document = json.dumps({"other": {"title": "Leak", "k" * 30_000: [0] * 10_000}})
    form = forms.form(forms.field("all", document, JSON))
    body = document.encode() if kind == JSON else form
    tracemalloc.start()
    try:
        page = surfing().send("POST", f"/welcome/{'0' * 40}", body, kind)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert page.status == 400
    assert peak < 50_000_000


@pytest.mark.parametrize("said", ["long " * 200_000, " "])
def test_a_long_text_is_kept_and_so_is_an_empty_one(surfing, ada, roof, said):
    ada.post(f"/projects/{roof}/messages", {"message": {"title": "News"}})
    message = f"/projects/{roof}/messages/1"
    web = surfing(ada)
    page = web.get(message)
    signed_out(web)
    page = web.submit(page, f"{message}/comments", "post", **{"comment[body]": said})
    assert (page.status, said in page.source) == (403, True)
    assert not any(form.files for form in page.reading.forms)


def test_a_body_that_is_not_a_form_is_not_read_for_strangers(world, tickets):
    headers = {"Host": world.host, "Accept": "text/html", "Content-Type": "text/xml", "Content-Length": "9"}
    answer = call(world.instance.application, "POST", tickets, body=NeverRead(), headers=headers)
    assert answer.status == 303


def test_an_unsaved_form_is_sent_to_the_same_host(surfing, ada, tickets):
    web = surfing()
    page = web.send("POST", f"/{tickets}", b"ticket[title]=Leak", FORM)
    page.path = "/"
    page = web.submit(page, "/sign-in", email=ada.email, password=PASSWORD)
    assert kept(page, "ticket[title]")["ticket[title]"] == "Leak"
    assert page.form(tickets).action == tickets


def test_a_password_that_came_with_a_name_is_not_repeated(surfing, ada, monkeypatch):
    web, guest = surfing(ada), surfing()
    invited = {"invitation_batch[emails]": "dora@elsewhere.example"}
    page = web.submit(web.get("/administration"), "/invitations/batch", **invited)
    (path,) = re.findall(r'value="http://[^/"]+(/welcome/[0-9a-f]{40})"', page.source)
    page = guest.get(path)
    monkeypatch.setattr(Database, "write", away)
    sent = {"welcome[name]": "Dora", "welcome[password]": "a shed full of rope"}
    page = guest.submit(page, path, **sent)
    assert (page.status, "rope" in page.source) == (503, False)
