"""The page of a project's members."""

import pytest


@pytest.fixture
def dee(world):
    return world.person("dee", "member")


@pytest.fixture
def address(roof):
    return f"/projects/{roof}/memberships"


def number_of(voice, address, somebody):
    listed = voice.get(address).items
    return next(item["id"] for item in listed if item["user_id"] == somebody.user_id)


def test_somebody_is_added_and_removed(surfing, ben, dee, address):
    surfer = surfing(ben)
    page = surfer.submit(surfer.get(address), address, **{"membership[user_id]": dee.user_id})
    assert (page.status, page.path) == (200, address)
    assert "Everybody in the account is a member already" in page.text
    assert dee.get(address).status == 200
    page = surfer.submit(page, f"{address}/{number_of(ben, address, dee)}", "delete")
    assert (page.status, page.path) == (200, address)
    assert dee.get(address).status == 404


def test_who_cannot_be_added_is_said(surfing, ben, dee, cy, address):
    surfer = surfing(ben)
    page = surfer.submit(surfer.get(address), address, **{"membership[user_id]": cy.user_id})
    assert page.status == 422
    assert "User is nobody of this account" in page.text
    page = surfer.submit(page, address, **{"membership[user_id]": ""})
    assert (page.status, page.form(address).fields[-1]) == (422, ("membership[user_id]", ""))


def test_a_member_leaves_and_is_led_to_his_other_projects(surfing, ben, address):
    surfer = surfing(ben)
    page = surfer.submit(surfer.get(address), f"{address}/{number_of(ben, address, ben)}", "delete")
    assert (page.status, page.path) == (200, "/projects")
    assert surfer.get(address).status == 404


def test_others_see_the_members_of_a_public_project_and_change_nothing(surfing, world, cy, harbour):
    address = f"/projects/{harbour}/memberships"
    for surfer in (surfing(cy), surfing()):
        page = surfer.get(address)
        assert "Ada" in page.text
        assert "Ben" in page.text
        assert world.host not in page.text
        assert not [form for form in page.reading.forms if form.action.startswith(address)]


def test_a_private_project_shows_its_members_to_nobody_else(surfing, cy, address):
    assert surfing(cy).get(address).status == 404
    assert surfing().get(address).path.startswith("/sign-in")


def test_an_archived_project_keeps_its_members(surfing, ben, dee, roof, address):
    ben.put(f"/projects/{roof}", {"project": {"archived": True}})
    page = surfing(ben).get(address)
    assert "Ada" in page.text
    assert not [form for form in page.reading.forms if form.action.startswith(address)]
