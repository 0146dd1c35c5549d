"""The pages of service users, and their mark on other pages."""

import pytest

from skerry.store.people import people

PLACE = "/people/service-users"


@pytest.fixture
def robot(world, roof):
    with world.write() as transaction:
        user_id = people.add_service_user(transaction, "Robot")
        people.join_account(transaction, user_id, "member")
        people.join_project(transaction, roof, user_id)
        return user_id


def test_an_administrator_makes_a_service_user_and_a_token_for_it(surfing, ada):
    web = surfing(ada)
    assert "Service users" in web.get("/administration").text
    page = web.submit(web.get(PLACE), PLACE, **{"service_user[name]": "Robot"})
    assert (page.status, page.path.startswith(f"{PLACE}/"), "Robot" in page.text) == (200, True, True)
    page = web.submit(page, f"{page.path}/tokens", **{"token[note]": "night build"})
    assert "The new token. Copy it now: it is shown only once." in page.text
    assert "night build" in web.get(PLACE + "/" + page.path.split("/")[3]).text
    assert "1 token" in web.get(PLACE).text


def test_a_token_of_a_service_user_is_replaced_and_revoked_on_its_page(surfing, ada, robot):
    web, place = surfing(ada), f"{PLACE}/{robot}"
    web.submit(web.get(place), f"{place}/tokens", **{"token[note]": "night build"})

    def action(page, end):
        return next(form.action for form in page.reading.forms if form.action.endswith(end))

    page = web.get(place)
    page = web.submit(page, action(page, "/replace"))
    assert "shown only once" in page.text
    page = web.get(place)
    token = action(page, "/replace").removesuffix("/replace")
    page = web.submit(page, token, "delete")
    assert (page.status, page.path) == (200, place)


def test_a_service_user_is_renamed_and_disabled_on_its_page(surfing, ada, robot):
    web, place = surfing(ada), f"{PLACE}/{robot}"
    page = web.submit(web.get(place), place, "put", **{"service_user[name]": "Night build"})
    assert ("Saved." in page.text, "Night build" in page.text) == (True, True)
    page = web.submit(page, f"/people/{robot}", "put")
    assert (page.path, "its tokens do not work" in page.text) == (f"{place}?saved", True)


def test_a_name_that_does_not_fit_is_said_beside_the_form(surfing, ada):
    web = surfing(ada)
    page = web.submit(web.get(PLACE), PLACE, **{"service_user[name]": "\u200b"})
    assert (page.status, "Name can't be blank" in page.text) == (422, True)


def test_a_service_user_is_marked_where_people_are_shown(surfing, ada, ben, robot, roof):
    ticket = {"title": "It leaks", "assigned_user_id": robot}
    number = ada.post(f"/projects/{roof}/tickets", {"ticket": ticket}).item["number"]
    web = surfing(ben)
    for path in ("tickets", f"tickets/{number}", "board", "memberships"):
        assert 'aria-label="Service user"' in web.get(f"/projects/{roof}/{path}").source, path
    page = web.get(f"/users/{robot}")
    assert "This is a service user: a program of the account, without a login." in page.text
    assert "Tokens and settings" not in page.text


def test_administrators_find_its_tokens_and_no_password(surfing, ada, robot):
    page = surfing(ada).get("/administration?q=Robot")
    assert ("service user" in page.text, "New password" in page.text) == (True, False)
    assert "Tokens and settings" in surfing(ada).get(f"/users/{robot}").text


def test_only_administrators_see_the_pages(surfing, ben, robot):
    assert [surfing(ben).get(each).status for each in (PLACE, f"{PLACE}/{robot}")] == [403, 403]
