"""The page of a project's members."""

from urllib.parse import urlsplit

import pytest

from skerry.store.people import people


@pytest.fixture
def dee(world):
    return world.person("dee", "member")


@pytest.fixture
def address(roof):
    return f"/projects/{roof}/memberships"


def number_of(client, address, somebody):
    listed = client.get(address).items
    return next(item["id"] for item in listed if item["user_id"] == somebody.user_id)


def test_somebody_is_added_and_removed(surfing, ben, dee, address):
    web = surfing(ben)
    page = web.get(address)
    assert "#add" not in page.links
    page = web.submit(page, address, **{"membership[user_id]": dee.user_id})
    assert (page.status, page.path) == (200, f"{address}?added={dee.user_id}")
    assert "Dee is now a member." in page.text
    assert "Everybody in the account is already a member" in page.text
    assert dee.get(address).status == 200
    number = number_of(ben, address, dee)
    page = web.remove(page, f"{address}/{number}")
    assert (page.status, page.path) == (200, f"{address}?removed={number}")
    assert dee.get(address).status == 404


def test_a_removal_asks_first_and_is_undone_by_a_button(surfing, ada, ben, dee, roof, address):
    ticket = {"title": "It leaks", "assigned_user_id": ben.user_id}
    number = ada.post(f"/projects/{roof}/tickets", {"ticket": ticket}).item["number"]
    ada.put(f"/projects/{roof}/settings", {"settings": {"default_assigned_user_id": ben.user_id}})
    web, member = surfing(ada), f"{address}/{number_of(ada, address, ben)}"
    page = web.get(f"{member}/delete")
    assert "Remove Ben from Roof?" in page.text
    assert "1 open ticket is assigned to Ben." in page.text
    assert "New tickets are assigned to Ben by default." in page.text
    assert ben.get(address).status == 200
    page = web.remove(web.get(address), member, successor_id=ada.user_id)
    assert "Ben is no longer a member." in page.text
    assert "1 ticket went to Ada" in page.text
    page = web.submit(page, f"{member}/restore")
    assert "Ben is now a member." in page.text
    assert ben.get(f"/projects/{roof}/tickets/{number}").item["assigned_user_id"] == ben.user_id


def test_a_person_who_cannot_be_added_is_reported(surfing, ben, dee, cy, address):
    web = surfing(ben)
    page = web.submit(web.get(address), address, **{"membership[user_id]": cy.user_id})
    assert page.status == 422
    assert "User is not in this account" in page.text
    page = web.submit(page, address, **{"membership[user_id]": ""})
    assert (page.status, page.form(address).fields[-1]) == (422, ("membership[user_id]", ""))


def test_a_member_who_leaves_is_redirected_to_the_list_of_projects(surfing, ben, address):
    web = surfing(ben)
    page = web.remove(web.get(address), f"{address}/{number_of(ben, address, ben)}")
    assert (page.status, page.path) == (200, "/projects")
    assert web.get(address).status == 404


def test_others_see_the_members_of_a_public_project_and_change_nothing(surfing, world, cy, harbour):
    address = f"/projects/{harbour}/memberships"
    for web in (surfing(cy), surfing()):
        page = web.get(address)
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


def test_administrators_give_roles_where_the_members_stand(surfing, ada, ben, address):
    web, person = surfing(ada), f"/people/{ben.user_id}"
    page = web.submit(web.get(address), person, "put", **{"person[role]": "administrator"})
    assert (page.path, "Saved." in page.text) == (f"{address}?saved", True)
    assert ada.get(person).item["role"] == "administrator"
    assert ("person[role]", "administrator") in page.form(person, "put").fields
    web.submit(page, person, "put", **{"person[role]": "member"})
    assert "person[role]" not in surfing(ben).get(address).source


@pytest.fixture
def full(world, roof, crowd):
    """The project with everybody in it."""
    with world.write() as transaction:
        for user_id in crowd:
            people.join_project(transaction, roof, user_id)
    return crowd


def test_members_come_in_pages_by_name_and_are_found_by_it(surfing, ben, full, address):
    web = surfing(ben)
    page = web.get(address)
    assert "Page 1 of 3" in page.text
    assert ("Ada" in page.text, "Person 119" in page.text) == (True, False)
    assert "#add" in page.links
    page = web.submit(page, address, "get", q="person 11")
    assert ("Person 109" in page.text, "Person 110" in page.text) == (False, True)
    link = next(href for href in page.links if "/delete" in href)
    removed = urlsplit(link).path.removesuffix("/delete")
    page = web.remove(page, removed)
    assert page.path == f"{address}?q=person+11&removed={removed.rpartition('/')[2]}"
    assert not {f"/users/{full[109]}", f"/users/{full[110]}"} & {*page.links}
    assert f"/users/{full[111]}" in page.links


def test_a_new_member_is_shown_on_their_page_of_the_list(surfing, ada, ben, full, address):
    web = surfing(ben)
    (kept,) = [each["id"] for each in ben.get(address).items if each["user_id"] == full[60]]
    page = web.remove(web.get(f"{address}?q=060"), f"{address}/{kept}")
    page = web.submit(page, address, "post", **{"membership[user_id]": full[60]})
    assert page.status == 200
    assert "Person 060 is now a member." in page.text
    assert "Page 2 of 3" in page.text
    (line,) = [line for line in page.source.split("<li") if line.startswith(' class="added"')]
    assert f"/users/{full[60]}" in line
    (kept,) = [each["id"] for each in ben.get(address).items if each["user_id"] == full[61]]
    assert web.remove(page, f"{address}/{kept}").path == f"{address}?page=2&removed={kept}"
    page = web.get(f"{address}?added={full[61]}")
    assert ("is a member now" in page.text, "Page 1 of 3" in page.text) == (False, True)


def test_people_to_add_are_found_by_name(surfing, ben, crowd, address):
    web = surfing(ben)
    page = web.get(address)
    assert "120 people are not members yet; the first 100 are listed below." in page.text
    assert ("Person 099" in page.text, "Person 100" in page.text) == (True, False)
    page = web.submit(page, address, "get", whom="Pers 117")
    assert "Person 117" in page.form(address, "post").text
    page = web.submit(page, address, "post", **{"membership[user_id]": ""})
    assert page.status == 422
    assert ("whom", "Pers 117") in page.form(address, "get").fields
    assert "Person 117" in page.form(address, "post").text
    page = web.submit(page, address, "post", **{"membership[user_id]": crowd[117]})
    assert (page.status, page.path) == (200, f"{address}?added={crowd[117]}")
    assert crowd[117] in [item["user_id"] for item in ben.get(address).items]
    assert "No matching person to add" in web.get(f"{address}?whom=pers+117").text


def test_a_search_for_people_does_not_reveal_addresses(surfing, world, cy, crowd, harbour):
    address = f"/projects/{harbour}/memberships"
    with world.write() as transaction:
        people.join_project(transaction, harbour, crowd[7])
    for sought, found in (("person 007", True), ("place7", False), ("p7", False)):
        page = surfing(cy).get(f"{address}?q={sought.replace(' ', '+')}")
        assert ("Person 007" in page.text) == found
