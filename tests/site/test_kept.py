"""What somebody wrote in a form that came to nothing, without scripts: it is on the page that says why."""

import json
import re
import tracemalloc
from dataclasses import replace

import pytest

from skerry import app
from skerry.errors import Unavailable
from skerry.store.engine.database import Database
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
def test_who_is_signed_out_signs_in_elsewhere_and_sends_what_he_wrote(surfing, ada, ticket, files):
    web = surfing(ada)
    page = web.get(ticket)
    signed_out(web)
    page = web.press(page, "_seen", files, **WORDS)
    assert page.status == 403
    assert "You are no longer signed in. Your text is below" in page.text
    assert WORDS.items() <= kept(page).items()
    web.sign_in(ada.email, PASSWORD)
    page = web.press(page, "_seen")
    assert "You signed in again after this page was opened" in page.text
    assert ada.get(ticket).item["version"] == 1
    assert web.press(page, "_seen").status == 200
    item = ada.get(ticket).item
    assert (item["version"], item["tag"]) == (2, "cold wet")
    assert item["versions"][1]["body"] == LONG


def test_who_is_signed_out_and_wrote_nothing_is_led_to_sign_in(surfing, ada, ben, ticket):
    web = surfing(ben)
    page = web.get(ticket)
    signed_out(web)
    assert web.press(page, "Watch").path == "/sign-in"


def test_who_signed_in_anew_in_between_finds_the_form_as_he_filled_it_in(surfing, ada, roof):
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
def test_what_was_written_for_a_ticket_that_is_closed_to_him_is_not_lost(
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


def test_what_was_written_while_the_database_is_away_is_sent_again_once(surfing, ada, tickets, monkeypatch):
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


def test_a_file_that_is_too_large_takes_no_words_along(world, ada, ticket):
    settings = replace(world.instance.settings, upload_limit=1000)
    with app.build(settings, Log(stream=world.log)) as instance:
        web = WebClient(instance.application, world.host)
        web.sign_in(ada.email, PASSWORD)
        page = web.press(web.get(ticket), "_seen", [file(b"x" * 2000)], **WORDS)
    assert page.status == 413
    assert "The file notes.txt is too large" in page.text
    assert WORDS.items() <= kept(page).items()


def test_what_a_page_of_another_site_sends_is_not_repeated(surfing, ada, ticket):
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
    assert tickets not in [form.action for form in page.reading.forms]


def test_what_is_too_long_to_be_shown_again_is_not_repeated_to_strangers(surfing, ada, ticket):
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


@pytest.mark.parametrize(("said", "shown"), [("long " * 200_000, True), (" ", False)])
def test_a_long_text_is_kept_and_an_empty_one_is_not(surfing, ada, roof, said, shown):
    ada.post(f"/projects/{roof}/messages", {"message": {"title": "News"}})
    message = f"/projects/{roof}/messages/1"
    web = surfing(ada)
    page = web.get(message)
    signed_out(web)
    page = web.submit(page, f"{message}/comments", "post", **{"comment[body]": said})
    assert (page.path != "/sign-in", said in page.source) == (shown, True)
    assert not any(form.files for form in page.reading.forms)


def test_what_is_no_form_is_not_read_for_a_stranger(world, tickets):
    headers = {"Host": world.host, "Accept": "text/html", "Content-Type": "text/xml", "Content-Length": "9"}
    answer = call(world.instance.application, "POST", tickets, body=NeverRead(), headers=headers)
    assert answer.status == 303


def test_what_was_written_is_sent_again_to_the_same_host(surfing, tickets):
    page = surfing().send("POST", f"/{tickets}", b"ticket[title]=Leak", FORM)
    assert kept(page, "ticket[title]")["ticket[title]"] == "Leak"
    assert page.form(tickets).action == tickets


def test_a_password_that_came_with_a_name_is_not_repeated(surfing, ada, monkeypatch):
    web, guest = surfing(ada), surfing()
    invited = {"invitation[email]": "dora@elsewhere.example", "invitation[role]": "member"}
    page = web.submit(web.get("/administration"), "/invitations", **invited)
    (path,) = re.findall(r'value="http://[^/"]+(/welcome/[0-9a-f]{40})"', page.source)
    page = guest.get(path)
    monkeypatch.setattr(Database, "write", away)
    sent = {"welcome[name]": "Dora", "welcome[password]": "a shed full of rope"}
    page = guest.submit(page, path, **sent)
    assert (page.status, "rope" in page.source) == (503, False)
