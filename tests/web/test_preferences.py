"""Private preferences: language, time zone and address."""

import pytest

from tests.conftest import PASSWORD
from tests.support.browser_client import WebClient

AT = "/profile/preferences"


@pytest.mark.matrix("both")
def test_somebody_chooses_language_and_time_zone(ada, in_person):
    before = {"due_reminders": True, "email": ada.email, "email_verified": False}
    before |= {"language": "", "mail": "at_once", "time_zone": ""}
    assert in_person.get(AT).item == before
    chosen = {"language": "de", "time_zone": "Europe/Berlin"}
    assert in_person.put(AT, {"preferences": chosen}).item == {**before, **chosen}
    assert in_person.get(AT).item == {**before, **chosen}


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"language": "xx"}, "Language is not one of en, de"),
        ({"time_zone": "Europe/Atlantis"}, "Time zone must be a name such as Europe/Berlin"),
        ({"time_zone": "../etc/passwd"}, "Time zone must be a name such as Europe/Berlin"),
    ],
)
def test_what_cannot_be_used_is_refused(in_person, sent, said):
    assert in_person.put(AT, {"preferences": sent}).errors == [said]
    assert in_person.get(AT).item["time_zone"] == ""


def test_a_client_cannot_mark_an_address_as_verified(in_person):
    in_person.put(AT, {"preferences": {"email_verified": True, "email": "x@example.org", "language": "en"}})
    assert in_person.get(AT).item["email_verified"] is False


def test_the_browser_tells_what_was_not_chosen(world, ada, in_person):
    web = WebClient(world.instance.application, world.host)
    web.cookies.update({"skerry-language": "de", "skerry-zone": "Europe%2FBerlin"})
    web.sign_in(ada.email, PASSWORD)
    assert in_person.get(AT).item["time_zone"] == "Europe/Berlin"
    in_person.put(AT, {"preferences": {"language": "en", "time_zone": "UTC"}})
    web.submit(web.get("/"), "/sign-out")
    web.sign_in(ada.email, PASSWORD)
    kept = in_person.get(AT).item
    assert (kept["language"], kept["time_zone"]) == ("en", "UTC")


def test_the_profile_has_a_form_for_it(world, ada, in_person):
    web = WebClient(world.instance.application, world.host)
    web.sign_in(ada.email, PASSWORD)
    page = web.get("/profile")
    assert "nicht bestätigt" in page.text or "not verified" in page.text
    web.submit(page, AT, "put", **{"preferences[language]": "de", "preferences[time_zone]": "Asia/Tokyo"})
    assert in_person.get(AT).item["time_zone"] == "Asia/Tokyo"


@pytest.mark.matrix("both")
def test_an_account_has_a_base_address(world, ada, in_person):
    assert in_person.get("/account").item["base_url"] == ""
    changed = in_person.put("/account", {"account": {"base_url": "https://tracker.example.org/"}}).item
    assert changed["base_url"] == "https://tracker.example.org"
    for wrong in ("tracker.example.org", "ftp://example.org", "https://a.example/?x=1", "https://ü.example"):
        assert in_person.put("/account", {"account": {"base_url": wrong}}).status == 422
    assert ada.get("/account").item == changed
