"""The profile page: data, tokens, browsers and password."""

import re

import pytest

from skerry.store.auth import sessions, tokens
from skerry.text import passwords
from skerry.tracker.secrets import hash_token
from skerry.web.routes.pages import FORMS
from tests.conftest import PASSWORD
from tests.support.forms import file
from tests.support.resources import PICTURE


def test_the_profile_is_changed_and_says_what_does_not_fit(surfing, ben):
    web = surfing(ben)
    page = web.submit(web.get("/profile"), "/profile", **{"user[job]": "Tiler"})
    assert (page.path, page.status, "Saved." in page.text) == ("/profile?saved", 200, True)
    assert ben.get("/profile").item["job"] == "Tiler"
    page = web.submit(page, "/profile", **{"user[website]": "javascript:alert(1)"})
    assert page.status == 422
    assert "Website must be an http or https address" in page.text


def test_a_form_left_open_does_not_undo_a_newer_change_of_the_profile(surfing, ben):
    web = surfing(ben)
    page = web.get("/profile")
    ben.put("/profile", {"user": {"job": "Slater", "website": "https://ben.example"}})
    page = web.submit(page, "/profile", **{"user[job]": "Tiler"})
    assert page.status == 412
    assert "current version is shown below" in page.text
    assert (">Slater</pre>" in page.source, ">Ben</pre>" in page.source) == (True, False)
    assert ("user[job]", "Tiler") in page.form("/profile").fields
    assert ben.get("/profile").item["website"] == "https://ben.example"
    assert web.submit(page, "/profile").status == 200
    assert (ben.get("/profile").item["job"], ben.get("/profile").item["website"]) == ("Tiler", "")


@pytest.mark.parametrize(
    "changed", [{"name": "Benno"}, {"job": "Slater"}, {"website": "https://ben.example"}]
)
def test_each_part_of_the_profile_that_was_changed_meanwhile_is_told(surfing, ben, changed):
    web = surfing(ben)
    page = web.get("/profile")
    ben.put("/profile", {"user": changed})
    page = web.submit(page, "/profile")
    assert (page.status, *re.findall("<pre[^>]*>(.*)</pre>", page.source)) == (412, *changed.values())


def test_a_token_is_made_shown_once_and_revoked(surfing, ben):
    web = surfing(ben)
    page = web.submit(web.get("/profile"), "/profile/tokens", **{"token[note]": "build"})
    assert "shown only once" in page.text
    (value,) = re.findall(r'class="secret"><input value="([0-9a-f]{40})"', page.source)
    assert ben.speaking(**{"X-ServiceToken": value}).get("/profile").status == 200
    page = web.get("/profile")
    assert "build" in page.text
    assert value not in page.source
    actions = [form.action for form in page.reading.forms]
    address = next(each for each in actions if re.fullmatch(r"/profile/tokens/[0-9]+", each))
    page = web.submit(page, address, "delete")
    assert page.status == 200
    assert ben.speaking(**{"X-ServiceToken": value}).get("/profile").status == 401


def test_a_form_returns_to_the_heading_above_it(surfing, ben):
    headings = re.findall(r'<h2 id="(\w+)">', surfing(ben).get("/profile").source)
    parts = {form.then.removeprefix("/profile#") for form in FORMS if form.then.startswith("/profile#")}
    assert parts == {"picture", "providers", "tokens", "browsers", "factors", "passkeys"}
    # Providers stand there if there are any.
    assert parts - {"providers"} <= set(headings)


def test_a_token_for_one_project_names_it(surfing, ben, roof):
    web = surfing(ben)
    chosen = {"token[project_id]": str(roof), "token[read_only]": "1"}
    web.submit(web.get("/profile"), "/profile/tokens", **{"token[note]": "build"}, **chosen)
    page = web.get("/profile")
    assert "Roof read-only" in page.text
    assert f"/projects/{roof}" in page.links


def test_the_day_on_which_a_token_ends_is_the_one_that_was_chosen_in_every_zone(surfing, ben):
    web = surfing(ben)
    web.cookies["skerry-zone"] = "America/New_York"
    web.submit(web.get("/profile"), "/profile/tokens", **{"token[expires_at]": "2199-08-01"})
    page = web.get("/profile")
    assert "Aug 1, 2199" in page.text
    assert "Jul 31, 2199" not in page.text


def test_a_refused_token_form_keeps_its_values(surfing, ben, roof):
    web = surfing(ben)
    chosen = {"project_id": str(roof), "days": "30", "expires_at": "2001-01-01", "read_only": "true"}
    sent = {f"token[{name}]": value for name, value in chosen.items()}
    page = web.submit(web.get("/profile"), "/profile/tokens", **sent)
    assert (page.status, "Expires at must be in the future" in page.text) == (422, True)
    assert sent.items() <= dict(page.form("/profile/tokens").fields).items()


def test_the_project_of_a_token_is_found_by_name_where_there_are_many(surfing, ada, fleet):
    web = surfing(ada)
    assert "the first 100 of 120" in web.get("/profile").text
    page = web.get("/profile?project=boat+11")
    assert '<details class="fold" open>' in page.source
    assert ("Boat 109" in page.text, "Boat 110" in page.text) == (False, True)
    chosen = {"token[project_id]": str(fleet[117]), "token[expires_at]": "2001-01-01"}
    page = web.submit(page, "/profile/tokens", **chosen)
    assert page.status == 422
    assert chosen.items() <= dict(page.form("/profile/tokens").fields).items()
    page = web.submit(page, "/profile/tokens", **{"token[expires_at]": ""})
    assert "shown only once" in page.text
    assert f"/projects/{fleet[117]}" in web.get("/profile").links


def test_many_tokens_have_a_page_of_their_own_and_are_found_by_their_notes(surfing, world, ada, roof):
    with world.write() as transaction:
        for number in range(120):
            tokens.add(
                transaction,
                ada.user_id,
                hash_token(f"{world.host}{number}"),
                project_id=roof if number == 3 else None,
                read_only=False,
                note=f"Robot {number:03}",
            )
    web = surfing(ada)
    page = web.get("/profile")
    assert ("Robot 119" in page.text, "Robot 107" in page.text) == (True, False)
    page = web.get(next(href for href, text in page.reading.links if text == "all 121"))
    assert ("Robot 070" in page.text, "Robot 069" in page.text) == (True, False)
    page = web.get("/profile/tokens?page=3")
    assert "Robot 003 Roof" in page.text
    actions = [form.action for form in page.reading.forms]
    address = next(each for each in actions if re.fullmatch(r"/profile/tokens/[0-9]+", each))
    page = web.submit(page, address, "delete")
    assert (page.path, page.status) == ("/profile/tokens?page=3", 200)
    assert ("Robot 019" in page.text, "Robot 018" in page.text) == (False, True)
    page = web.submit(page, "/profile/tokens", q="117")
    assert ("Robot 117" in page.text, "Robot 118" in page.text) == (True, False)


@pytest.mark.parametrize("address", ["/profile", "/profile/tokens"])
def test_an_anonymous_caller_has_no_profile(surfing, address):
    assert surfing().get(address).path.startswith("/sign-in")


def test_another_browser_is_signed_out_at_once(surfing, ben):
    here, there = surfing(ben), surfing(ben)
    page = here.get("/profile")
    (address,) = [form.action for form in page.reading.forms if form.action.startswith("/profile/sessions/")]
    assert "this one" in page.text
    here.submit(page, address, "delete")
    assert there.get("/profile").path.startswith("/sign-in")
    assert here.get("/profile").status == 200


def test_the_browsers_used_last_are_shown_and_all_others_are_signed_out(surfing, world, ben):
    here = surfing(ben)
    with world.write() as transaction:
        for number in range(60):
            hashed = hash_token(f"{world.host}{number}")
            sessions.add(transaction, ben.user_id, hashed, agent="", address=f"10.0.0.{number}")
    page = here.get("/profile")
    assert page.text.count("An unknown browser") == 50
    assert ("this one" in page.text, "11 more browsers, used less recently" in page.text) == (True, True)
    page = here.submit(page, "/profile/sessions", "delete")
    assert ("this one" in page.text, page.text.count("An unknown browser")) == (True, 1)
    assert "more browser" not in page.text


def test_a_new_password_signs_the_other_browsers_out(surfing, ben):
    here, there = surfing(ben), surfing(ben)
    values = {"password[present]": PASSWORD, "password[new]": "a shed full of rope"}
    page = here.submit(here.get("/profile"), "/profile/password", "put", **values)
    assert (page.status, page.path, "Saved." in page.text) == (200, "/profile?saved", True)
    assert there.get("/profile").path.startswith("/sign-in")


def test_a_new_password_offers_to_revoke_all_tokens(surfing, ben):
    web = surfing(ben)
    page = web.get("/profile")
    assert "Also revoke 1 valid token. Otherwise it keeps working." in page.text
    values = {"password[present]": PASSWORD, "password[new]": "a shed full of rope"}
    page = web.submit(page, "/profile/password", "put", **values, **{"password[revoke_tokens]": "true"})
    assert ("No tokens yet" in page.text, ben.get("/profile").status) == (True, 401)
    assert "valid token" not in page.text


def test_the_page_has_the_sentences_with_which_a_new_password_is_refused(surfing, ben):
    web = surfing(ben)
    page = web.get("/profile")
    for new in ("abcabcabcabc", "qwertyuiop12", ben.email):
        sentence = passwords.problem(new, [ben.email])
        assert f'"{sentence}"' in page.source
        values = {"password[present]": PASSWORD, "password[new]": new}
        assert sentence in web.submit(page, "/profile/password", "put", **values).text


def test_a_new_password_that_is_sent_twice_is_changed_once(surfing, ben):
    web = surfing(ben)
    values = {"password[present]": PASSWORD, "password[new]": "a shed full of rope"}
    page = web.get("/profile")
    for _ in range(2):
        answer = web.submit(page, "/profile/password", "put", **values)
        assert (answer.status, answer.path) == (200, "/profile?saved")


def test_a_wrong_present_password_is_said_and_never_shown(surfing, ben):
    web = surfing(ben)
    values = {"password[present]": "wrong horse", "password[new]": "a shed full of rope"}
    page = web.submit(web.get("/profile"), "/profile/password", "put", **values)
    assert page.status == 422
    assert "The current password is wrong" in page.text
    assert "wrong horse" not in page.source
    # Whoever reads another language better gets the page in it, and not the address of the form.
    page.reading.forms.reverse()
    page = web.submit(page, "/preferences", language="de")
    assert (page.status, page.path) == (200, "/profile")


def send_picture(web, page, content=PICTURE):
    files = [file(content, "ben.webp", "image/webp", "avatar")] if content else []
    return web.submit(page, "/profile/avatar", "put", files=files)


def test_a_picture_is_uploaded_shown_replaced_and_removed(surfing, ben, roof):
    ben.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "body": "Wet"}})
    web = surfing(ben)
    page = web.get("/profile")
    assert "<img" not in page.source
    page = send_picture(web, page)
    assert (page.path, page.status) == ("/profile", 200)
    (address,) = set(re.findall(r'<img class="avatar" src="([^"]+)"', page.source))
    assert ben.raw(address).body == PICTURE
    assert web.get(f"/projects/{roof}/tickets/1").source.count(f'src="{address}"') == 3
    page = send_picture(web, page, PICTURE + b"2")
    assert address not in page.source
    page = web.submit(page, "/profile/avatar", "delete")
    assert (page.status, "<img" in page.source) == (200, False)
    assert '<svg class="avatar' in page.source


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(b"<svg/>", "Picture must be in PNG, JPEG, GIF or WebP"), (b"", "Choose one picture")],
)
def test_a_file_that_is_no_picture_is_refused_on_the_profile(surfing, ben, content, sentence):
    web = surfing(ben)
    page = send_picture(web, web.get("/profile"), content)
    assert page.status == 422
    assert sentence in page.text
    assert "Your details" in page.text
