"""A program on the reader's machine asks for a token, and the browser takes a code for it to the program."""

from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from skerry.database.transactions import HOUR, SECOND
from skerry.tracker.auth import tokens
from tests.conftest import PASSWORD
from tests.support.resources import CHALLENGE, VERIFIER

PATH = "/profile/token-requests"
STATE = "0123456789abcdef"
ASKED = {"port": 4711, "state": STATE, "challenge": CHALLENGE, "note": "sk on lamp"}


def asking(**other):
    return f"{PATH}/new?{urlencode(ASKED | other)}"


def answered(page):
    """Return the address to which a page leads on, and what it says there."""
    (link,) = (href for href in page.links if href.startswith("http:"))
    place, _, query = link.partition("?")
    assert f'<meta http-equiv="refresh" content="0; url={link.replace("&", "&amp;")}">' in page.source
    return place, {name: values[0] for name, values in parse_qs(query).items()}


def exchange(client, code, verifier=VERIFIER):
    return client.post(f"{PATH}/{code}", {"token_proof": {"verifier": verifier}})


def test_the_page_says_who_asks_for_what_and_where_it_goes(surfing, ben):
    page = surfing(ben).get(asking())
    assert "sk on lamp asks for a token" in page.text
    assert all(said in page.text for said in ("Acts as Ben,", "for 365 days", "Goes to port 4711 of this"))
    assert f"http://127.0.0.1:4711/?error=access_denied&state={STATE}" in page.links


def test_one_click_makes_a_token_for_the_program_that_asked(surfing, ben, nobody):
    web = surfing(ben)
    page = web.submit(web.get(asking()), PATH)
    place, said = answered(page)
    assert (place, said["state"]) == ("http://127.0.0.1:4711/", STATE)
    assert page.headers["cache-control"] == "no-store"
    answer = exchange(nobody, said["code"])
    assert answer.headers["cache-control"] == "no-store"
    token = answer.item["token"]
    found = ben.get(f"/tokens/{token}", **{"X-ServiceToken": token}).item
    assert (found["note"], found["read_only"], found["user_id"]) == ("sk on lamp", False, ben.user_id)


@pytest.mark.parametrize(("seconds", "status"), [(299, 200), (300, 404)])
def test_the_code_of_the_page_ends_after_five_minutes(
    world, surfing, ben, nobody, monkeypatch, seconds, status
):
    web, now = surfing(ben), world.database.clock()
    monkeypatch.setattr(world.database, "clock", lambda: now)
    _, said = answered(web.submit(web.get(asking()), PATH))
    monkeypatch.setattr(world.database, "clock", lambda: now + seconds * SECOND)
    assert exchange(nobody, said["code"]).status == status


def test_the_token_may_be_made_to_read_only(surfing, ben, nobody):
    web = surfing(ben)
    page = web.submit(web.get(asking()), PATH, **{"token_request[read_only]": "true"})
    assert exchange(nobody, answered(page)[1]["code"]).item["read_only"]


@pytest.mark.parametrize(
    "wrong",
    [
        *({"port": port} for port in (80, "4711@evil.example", 65536, "٤٧١١")),
        *({"state": state} for state in ("short", "&next=" * 4)),
        *({"challenge": challenge} for challenge in ("", "=" * 43)),
    ],
    ids=str,
)
def test_nothing_is_handed_to_anything_but_a_port_of_the_reader(surfing, ben, wrong):
    web = surfing(ben)
    page = web.get(asking(**wrong))
    assert (page.status, "Programs such as sk open this page" in page.text) == (200, True)
    assert not [form for form in page.reading.forms if PATH in form.action]
    form = {f"token_request[{name}]": value for name, value in (ASKED | wrong).items()}
    page = web.submit(web.get(asking()), PATH, **form)
    assert (page.status, [href for href in page.links if "code=" in href]) == (422, [])


def test_an_anonymous_reader_must_sign_in_first(surfing):
    page = surfing().get(asking())
    assert page.path.startswith("/sign-in?next=%2Fprofile%2Ftoken-requests%2Fnew%3Fport%3D4711")


def test_a_note_is_shown_as_text_and_has_an_end(surfing, ben):
    page = surfing(ben).get(asking(note=f"<b>{'x' * 400}"))
    assert f"&lt;b&gt;{'x' * 252}<" in page.source
    assert urlsplit(page.form(PATH).action).path == PATH
    assert len(dict(page.form(PATH).fields)["token_request[note]"]) == tokens.MAX_NOTE_LENGTH


def test_after_an_old_sign_in_the_person_signs_in_again_and_the_program_is_told(
    world, surfing, ada, nobody, monkeypatch
):
    web = surfing(ada)
    page = web.get(asking())
    now = world.database.clock()
    monkeypatch.setattr(world.database, "clock", lambda: now + HOUR + 1)
    page = web.submit(page, PATH)
    assert (page.status, "Sign in again" in page.text) == (403, True)
    page = web.submit(page, "/sign-in", email=ada.email, password=PASSWORD)
    _, said = answered(web.submit(page, PATH))
    assert exchange(nobody, said["code"]).item["note"] == "sk on lamp"
