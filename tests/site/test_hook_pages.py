"""The pages of hooks, and pausing of background sending."""

import re

import pytest

from skerry import languages
from skerry.hooks.problems import SENTENCES
from tests.conftest import PASSWORD
from tests.support.client import basic

URL = "https://receiver.example/hook"


@pytest.fixture
def place(roof):
    return f"/projects/{roof}/hooks"


@pytest.fixture
def made(surfing, ben, place):
    """A page of a hook that Ben made, and his browser."""
    web = surfing(ben)
    page = web.submit(
        web.get(place),
        place,
        **{"hook[url]": URL, "hook[note]": "chat", "hook[events][]": ["", "ticket.created"]},
    )
    return web, page


def test_a_hook_is_made_and_its_secret_is_shown_once(made, ben, place):
    web, page = made
    assert "whsec_" in page.source
    (hook,) = ben.get(place).items
    assert (hook["note"], hook["events"]) == ("chat", ["ticket.created"])
    assert "whsec_" not in web.get(place).source
    assert "chat" in web.get(place).text


def test_an_invalid_hook_is_explained_and_its_values_stay(surfing, ben, place):
    web = surfing(ben)
    page = web.submit(web.get(place), place, **{"hook[url]": "https://10.0.0.1/x", "hook[note]": "chat"})
    assert "not a public address" in page.text
    assert 'value="https://10.0.0.1/x"' in page.source


def test_a_hook_is_changed_tested_given_a_secret_and_removed(made, ben, place):
    web, _ = made
    (hook,) = ben.get(place).items
    at = f"{place}/{hook['id']}"
    page = web.submit(web.get(at), at, "put", **{"hook[note]": "build"})
    assert "Saved." in page.text
    page = web.submit(page, f"{at}/ping")
    assert (page.path.partition("#")[0], "ping" in page.text, "waiting" in page.text) == (at, True, True)
    page = web.submit(page, f"{at}/deliveries/1/redeliver")
    page = web.submit(page, f"{at}/redeliver", **{"redelivery[since]": "2026-03-14T00:00"})
    assert page.status == 200
    assert "whsec_" in web.submit(page, f"{at}/secret").source
    assert web.submit(web.get(at), at, "delete").path == place
    assert ben.get(place).items == []


def test_the_pages_of_hooks_are_for_those_who_manage_them(surfing, cy, ben, harbour):
    assert surfing(cy).get(f"/projects/{harbour}/hooks").status == 403
    assert surfing(ben).get("/hooks").status == 403
    assert "Hooks of this project" in surfing(ben).get(f"/projects/{harbour}/settings").text


def test_an_administrator_pauses_and_resumes_what_is_sent(surfing, ada):
    web = surfing(ada)
    page = web.submit(web.get("/administration"), "/sending", "put")
    assert "Nothing has been sent for" in page.text
    assert ada.get("/sending").item["paused"] is True
    page = web.submit(page, "/sending", "put")
    assert ada.get("/sending").item == {"paused": False, "paused_at": None}


def test_hooks_of_the_account_have_a_page(surfing, world, ada):
    web = surfing(ada)
    page = web.submit(web.get("/hooks"), "/hooks", **{"hook[url]": URL})
    assert "whsec_" in page.source
    assert world.client(**basic(ada.email, PASSWORD)).get("/hooks").items[0]["url"] == URL


def test_types_are_chosen_by_boxes_and_deliveries_found_by_ticket_and_state(made, ben, place):
    web, _ = made
    (hook,) = ben.get(place).items
    at = f"{place}/{hook['id']}"
    page = web.submit(web.get(at), at, "put", **{"hook[events][]": ["ticket.closed", "bin.created"]})
    assert ben.get(at).item["events"] == ["bin.created", "ticket.closed"]
    assert "account.updated" not in page.source
    web.submit(page, f"{at}/ping")
    assert "ping" in web.get(f"{at}?state=waiting").text
    assert "No matches." in web.get(f"{at}?state=waiting&ticket=7").text
    assert web.get(f"{at}?state=eaten").status == 422


def test_what_is_wrong_with_sending_is_said_in_the_readers_language(surfing, ada):
    web = surfing(ada)
    web.cookies["skerry-language"] = "de"
    page = web.submit(web.get("/administration"), "/sending", "put")
    assert re.search(r"Seit \d+ Sekunden? wird nichts gesendet", page.text)
    web.cookies["skerry-language"] = "en"
    assert re.search(r"has been sent for \d+ seconds?\.", web.get("/administration").text)


@pytest.mark.parametrize("sentence", dict(SENTENCES).values())
def test_errors_of_connections_are_translated(sentence):
    assert languages.translator("de")(sentence) != sentence
