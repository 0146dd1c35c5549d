"""The page of imported people, and their mark on other pages."""

import pytest

from tests.support.resources import placeholder


@pytest.fixture
def emil(world):
    with world.write() as transaction:
        return placeholder(transaction, "Emil", "acme/8")


def test_an_administrator_gives_an_imported_person_to_somebody(surfing, ada, ben, emil):
    web = surfing(ada)
    assert "1 imported person without a login" in web.get("/administration").text
    page = web.get("/people/placeholders")
    assert "acme/8" in page.text
    given = {"placeholder[user_id]": str(ben.user_id)}
    page = web.submit(page, f"/people/placeholders/{emil}", "put", **given)
    assert ("Saved." in page.text, "acme/8" in page.text) == (True, False)
    assert "imported person" not in web.get("/administration").text
    assert web.get(f"/users/{emil}").status == 404


def test_the_page_of_an_imported_person_says_so(surfing, ada, ben, emil):
    assert "Give to a person" in surfing(ada).get(f"/users/{emil}").text
    page = surfing(ben).get(f"/users/{emil}")
    assert "This person was imported and has no login." in page.text
    assert "Give to a person" not in page.text


def test_only_administrators_see_the_imported_people(surfing, ben, emil):
    assert surfing(ben).get("/people/placeholders").status == 403


def test_a_placeholder_is_given_to_people_of_the_account_only(surfing, ada, cy, emil):
    web = surfing(ada)
    page = web.get("/people/placeholders")
    page = web.submit(
        page, f"/people/placeholders/{emil}", "put", **{"placeholder[user_id]": str(cy.user_id)}
    )
    assert (page.status, "User is not in this account" in page.text) == (422, True)
