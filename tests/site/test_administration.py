"""The pages of administrators and of invited people."""

import re
from urllib.parse import urlencode

import pytest

from skerry.store.auth import invitations
from skerry.store.people import people
from skerry.tracker.auth import invitations as invitation_rules
from skerry.tracker.secrets import hash_token
from tests.conftest import PASSWORD
from tests.support.client import basic

NEW = "a shed full of rope"


def test_somebody_is_invited_and_comes_in(surfing, world, ada):
    web = surfing(ada)
    email = f"dora@{world.host}"
    page = web.get("/administration")
    page = web.submit(page, "/invitations/batch", **{"invitation_batch[emails]": email})
    (path,) = re.findall(r'value="http://[^/"]+(/welcome/[0-9a-f]{40})"', page.source)
    assert email in page.text
    guest = surfing()
    page = guest.submit(guest.get(path), path, **{"welcome[name]": "Dora", "welcome[password]": "short"})
    assert page.status == 422
    assert "Password is too short" in page.text
    page = guest.submit(page, path, **{"welcome[name]": "Dora", "welcome[password]": NEW})
    assert page.path == "/"
    assert guest.get("/profile").status == 200
    assert guest.get(path).status == 404
    assert surfing().sign_in(email, NEW).path == "/"


def test_an_invited_person_with_a_login_signs_in_and_joins(world, surfing, ada, cy):
    made = ada.speaking(**basic(ada.email, PASSWORD)).post(
        "/invitations", {"invitation": {"email": cy.email, "role": "member"}}
    )
    path = "/welcome/" + made.item["url"].rpartition("/")[2]
    guest = surfing()
    assert f"/sign-in?next={path}" in guest.get(path).source
    guest.sign_in(cy.email, PASSWORD)
    page = guest.submit(guest.get(path), path)
    assert page.path == "/"
    assert cy.email in surfing(ada).get("/administration").text


def test_an_invitation_that_is_refused_is_made_out_as_it_was(surfing, ada, roof):
    web = surfing(ada)
    chosen = {"emails": " ", "role": "", "project_id": str(roof)}
    sent = {f"invitation_batch[{name}]": value for name, value in chosen.items()}
    page = web.submit(web.get("/administration"), "/invitations/batch", **sent)
    assert (page.status, "Emails can't be blank" in page.text) == (422, True)
    assert sent.items() <= dict(page.form("/invitations/batch").fields).items()


def test_each_of_several_addresses_is_judged_by_itself(surfing, world, ada, ben, roof):
    web = surfing(ada)
    typed = f"dora@{world.host}, eve@{world.host};\n nowhere \n{ben.email}"
    page = web.submit(
        web.get(f"/administration?for={roof}"), "/invitations/batch", **{"invitation_batch[emails]": typed}
    )
    assert len(re.findall(r'value="http://[^/"]+(/welcome/[0-9a-f]{40})"', page.source)) == 2
    assert "nowhere: Email must be an address" in page.text
    assert f"{ben.email}: This person is in the account already" in page.text
    left = dict(page.form("/invitations/batch").fields)
    assert left["invitation_batch[emails]"] == f"nowhere\n{ben.email}"
    assert left["invitation_batch[project_id]"] == str(roof)
    assert {each["project_id"] for each in ada.get("/invitations").items} == {roof}


def test_nobody_is_invited_to_no_project_by_accident(surfing, ada, roof):
    web = surfing(ada)
    form = web.get("/administration").form("/invitations/batch")
    assert ("invitation_batch[project_id]", str(roof)) in form.fields
    assert ada.post("/projects", {"project": {"name": "Cellar"}}).status == 201
    page = web.get("/administration")
    assert ("invitation_batch[project_id]", "") in page.form("/invitations/batch").fields
    assert 'name="invitation_batch[project_id]" required' in page.source


def test_an_invitation_that_starts_in_a_project_leads_there(surfing, ada, ben, fleet):
    web, project = surfing(ada), fleet[117]
    members = web.get(f"/projects/{project}/memberships")
    (link,) = (link for link in members.links if link.startswith("/administration?"))
    page = web.get(link.partition("#")[0])
    assert f'<option value="{project}" selected>' in page.source
    assert '<details class="fold" open>' in page.source
    form = dict(page.form("/invitations/batch").fields)
    assert form["invitation_batch[project_id]"] == str(project)
    assert not [link for link in surfing(ben).get("/projects").links if link.startswith("/administration")]


def test_the_project_of_an_invitation_is_found_by_name_where_there_are_many(surfing, ada, fleet):
    web = surfing(ada)
    page = web.get("/administration")
    assert ("Boat 099" in page.text, "Boat 100" in page.text) == (True, False)
    assert "the first 100 of 120" in page.text
    page = web.get("/administration?project=boat+11")
    assert '<details class="fold" open>' in page.source
    assert ("Boat 109" in page.text, "Boat 110" in page.text) == (False, True)
    sent = {"invitation_batch[emails]": "nowhere", "invitation_batch[project_id]": str(fleet[117])}
    page = web.submit(page, "/invitations/batch", **sent)
    assert sent.items() <= dict(page.form("/invitations/batch").fields).items()
    assert [form.fields for form in page.reading.forms if ("project", "boat 11") in form.fields]
    form = web.get("/administration?project=boat+117").form("/invitations/batch")
    assert ("invitation_batch[project_id]", str(fleet[117])) in form.fields
    assert "No matching project." in web.get("/administration?project=coat").text


@pytest.fixture
def invited(ada, world):
    """The addresses of 120 people who are invited."""
    with world.write() as transaction:
        for number in range(120):
            invitations.add(
                transaction,
                hash_token(f"{world.host}{number}"),
                email=f"guest{number:03}@{world.host}",
                name="",
                role="member",
                project_id=None,
                user_id=None,
                creator_id=ada.user_id,
                expires_at=transaction.now + invitation_rules.LIFETIME,
            )
    return [f"guest{number:03}@{world.host}" for number in range(120)]


def test_many_invitations_have_a_page_of_their_own_and_are_found_by_address(surfing, ada, invited):
    web = surfing(ada)
    page = web.get("/administration")
    assert (invited[119] in page.text, invited[107] in page.text) == (True, False)
    assert "all 120" in page.text
    page = web.get("/invitations")
    assert "Page 1 of 3" in page.text
    assert (invited[70] in page.text, invited[69] in page.text) == (True, False)
    page = web.get("/invitations?page=3")
    *_, last = [form.action for form in page.reading.forms if form.action.startswith("/invitations/")]
    page = web.submit(page, last, "delete")
    assert (page.path, page.status) == ("/invitations?page=3", 200)
    assert (invited[0] in page.text, invited[1] in page.text) == (False, True)
    page = web.submit(page, "/invitations", q="guest117")
    assert (invited[117] in page.text, invited[118] in page.text) == (True, False)


def test_the_page_of_invitations_is_for_administrators(surfing, ada, ben):
    assert surfing(ben).get("/invitations").status == 403
    assert surfing().get("/invitations").path.startswith("/sign-in")
    assert "No open invitations." in surfing(ada).get("/invitations").text


def test_a_role_is_given_and_somebody_removed(surfing, ada, ben):
    web = surfing(ada)
    address = f"/people/{ben.user_id}"
    page = web.submit(web.get("/administration"), address, "put", **{"person[role]": "administrator"})
    assert (page.status, page.path) == (200, "/administration?saved")
    assert surfing(ben).get("/administration").status == 200
    page = web.remove(web.get("/administration"), address)
    assert f'href="/users/{ben.user_id}"' not in page.source


def test_before_somebody_is_removed_it_is_said_what_they_are_responsible_for(
    surfing, ada, ben, roof, harbour
):
    for project, count in ((roof, 2), (harbour, 1)):
        for _ in range(count):
            ticket = {"title": "It leaks", "assigned_user_id": ben.user_id}
            assert ada.post(f"/projects/{project}/tickets", {"ticket": ticket}).status == 201
    page = surfing(ada).get(f"/people/{ben.user_id}/delete")
    assert "Remove Ben from the account?" in page.text
    assert "Roof 2" in page.text
    assert "Harbour 1" in page.text
    assert ben.get("/projects").status == 200


def test_a_removal_with_a_successor_is_undone_by_a_button(surfing, ada, ben, roof):
    ticket = {"title": "It leaks", "assigned_user_id": ben.user_id}
    number = ada.post(f"/projects/{roof}/tickets", {"ticket": ticket}).item["number"]
    web, address = surfing(ada), f"/people/{ben.user_id}"
    page = web.remove(web.get("/administration"), address, successor_id=ada.user_id)
    assert "Ben no longer belongs to the account." in page.text
    assert ada.get(f"/projects/{roof}/tickets/{number}").item["assigned_user_id"] == ada.user_id
    assert "removed by Ada" in web.get("/people/removed").text
    page = web.submit(page, f"{address}/restore")
    assert (page.path, f'href="/users/{ben.user_id}"' in page.source) == ("/administration?saved", True)
    assert ada.get(f"/projects/{roof}/tickets/{number}").item["assigned_user_id"] == ben.user_id


def test_a_successor_who_does_not_fit_is_said_beside_the_choice(surfing, ada, ben, cy, roof):
    ticket = {"title": "It leaks", "assigned_user_id": ben.user_id}
    assert ada.post(f"/projects/{roof}/tickets", {"ticket": ticket}).status == 201
    web = surfing(ada)
    page = web.remove(web.get("/administration"), f"/people/{ben.user_id}", successor_id=cy.user_id)
    assert (page.status, page.form(f"/people/{ben.user_id}").method) == (422, "post")
    assert "Successor is not a member of the project Roof" in page.text
    assert ben.get("/projects").status == 200


def test_after_somebody_is_removed_it_is_offered_to_disable_the_login(surfing, ada, ben):
    web, address = surfing(ada), f"/people/{ben.user_id}"
    page = web.remove(web.get("/administration"), address)
    assert f"The login {ben.email} still exists" in page.text
    web.press(page, "Disable login")
    assert surfing().sign_in(ben.email, PASSWORD).status == 401
    page = web.get("/people/removed")
    assert (ben.email in page.text, "login disabled" in page.text) == (True, True)
    page = web.press(page, "Enable login")
    assert (page.path, "login disabled" in page.text) == ("/people/removed?saved", False)
    assert surfing().sign_in(ben.email, PASSWORD).status == 200


def test_the_page_of_a_person_disables_the_login(surfing, ada, ben, cy):
    web, guest = surfing(ada), surfing(ben)
    page = web.press(web.get(f"/users/{ben.user_id}"), "Disable login")
    assert (page.path, "This login is disabled" in page.text) == (f"/users/{ben.user_id}?saved", True)
    assert guest.get("/profile").path.startswith("/sign-in")
    web.press(page, "Enable login")
    # A session does not come back: its owner signs in anew.
    assert guest.get("/profile").path.startswith("/sign-in")
    assert guest.sign_in(ben.email, PASSWORD).status == 200
    assert "Disable login" not in guest.get(f"/users/{ada.user_id}").text
    assert "Disable login" not in web.get(f"/users/{ada.user_id}").text


def test_a_link_gives_somebody_a_new_password(surfing, ada, ben):
    web = surfing(ada)
    page = web.get("/administration")
    form = next(f for f in page.reading.forms if ("invitation[email]", ben.email) in f.fields)
    page.reading.forms = [form]
    page = web.submit(page, "/invitations")
    (path,) = re.findall(r'value="http://[^/"]+(/welcome/[0-9a-f]{40})"', page.source)
    guest = surfing()
    page = guest.get(path)
    assert "Also revoke 1 valid token." in page.text
    guest.submit(page, path, **{"welcome[password]": NEW, "welcome[revoke_tokens]": "true"})
    assert (guest.get("/profile").status, ben.get("/profile").status) == (200, 401)
    assert surfing().sign_in(ben.email, PASSWORD).status == 401


def test_the_administration_page_is_for_administrators(surfing, ben, cy):
    assert [surfing(client).get("/administration").status for client in (ben, cy)] == [403, 403]
    assert surfing().get("/administration").path.startswith("/sign-in")


def test_the_account_gets_another_name(surfing, ada):
    web = surfing(ada)
    page = web.submit(web.get("/administration"), "/account", "put", **{"account[name]": " "})
    assert page.status == 422
    page = web.submit(page, "/account", "put", **{"account[name]": "Old lighthouse"})
    assert (page.status, page.path) == (200, "/administration?saved")
    assert "Old lighthouse" in web.get("/projects").text


def test_the_health_and_all_projects_are_shown(surfing, ada, roof, harbour):
    ada.put(f"/projects/{roof}", {"project": {"archived": True}})
    page = surfing(ada).get("/administration")
    assert {f"/projects/{roof}", f"/projects/{harbour}"} <= set(page.links)
    assert "Roof archived" in page.text
    assert "Free disk space" in page.text


def test_people_come_in_pages_by_name(surfing, ada, crowd):
    web = surfing(ada)
    page = web.get("/administration")
    assert "Page 1 of 3" in page.text
    assert ("Ada" in page.text, "Person 119" in page.text) == (True, False)
    assert "#invite" in page.links
    assert "Back" not in page.text
    page = web.get(next(href for href, text in page.reading.links if text == "Next"))
    page = web.get(next(href for href, text in page.reading.links if text == "Next"))
    assert ("Ada" in page.text.partition("People")[2], "Person 119" in page.text) == (False, True)


def test_the_last_page_is_shown_in_place_of_one_after_the_end(surfing, world, ada, crowd):
    web = surfing(ada)
    page = web.get("/administration?q=person&page=9")
    assert ("Page 3 of 3" in page.text, "Person 119" in page.text) == (True, True)
    with world.write() as transaction:
        for user_id in crowd[101:]:
            people.leave_account(transaction, user_id)
    page = web.remove(page, f"/people/{crowd[100]}")
    assert page.path == f"/administration?q=person&page=3&removed={crowd[100]}"
    assert ("Page 2 of 2" in page.text, "Person 099" in page.text) == (True, True)
    page = web.remove(page, f"/people/{crowd[99]}")
    assert page.path == f"/administration?q=person&page=2&removed={crowd[99]}"


@pytest.mark.parametrize("sought", ["pers 107", "107 PERSON", "p107@place107", "Pérson 107"])
def test_somebody_is_found_by_name_or_address(surfing, ada, crowd, sought):
    web = surfing(ada)
    page = web.submit(web.get("/administration"), "/administration", q=sought)
    assert [href for href in page.links if href.startswith("/users/")] == [f"/users/{crowd[107]}"]
    assert page.form("/administration").fields == [("q", sought)]


@pytest.mark.parametrize("sought", ["erson 107", "person 107 108", "..."])
def test_an_unknown_name_is_reported(surfing, ada, crowd, sought):
    page = surfing(ada).get("/administration?" + urlencode({"q": sought}))
    assert "No matches" in page.text
    assert not [href for href in page.links if href.startswith("/users/")]


def test_a_search_text_counts_up_to_the_length_of_its_field(surfing, ada, crowd):
    sought, zeros = "p " * 100, "0" * 3000
    page = surfing(ada).get("/administration?" + urlencode({"q": sought + "q" * 3000, "page": zeros + "3"}))
    assert "Page 3 of 3" in page.text
    assert page.form("/administration").fields == [("q", sought)]
    place = urlencode({"q": sought, "page": 3})
    assert page.form(f"/people/{crowd[119]}", "put").action.endswith(f"?{place}")
    assert f"/people/{crowd[119]}/delete?{place}" in page.links


def test_a_form_on_a_later_page_returns_to_it(surfing, ada, crowd):
    web = surfing(ada)
    address = f"/people/{crowd[119]}"
    page = web.get("/administration?q=person&page=3")
    page = web.submit(page, address, "put", **{"person[role]": "administrator"})
    assert page.path == "/administration?q=person&page=3&saved"
    assert "Saved." in page.text
    assert ("person[role]", "administrator") in page.form(address, "put").fields
    page = web.remove(page, address)
    assert page.path == f"/administration?q=person&page=3&removed={crowd[119]}"
    assert [f'href="/users/{crowd[number]}"' in page.source for number in (118, 119)] == [True, False]


def test_a_role_that_is_refused_is_shown_as_it_was_chosen(surfing, ada, crowd):
    web = surfing(ada)
    address, chosen = f"/people/{ada.user_id}", ("person[role]", "member")
    page = web.get("/administration?q=ada")
    page = web.submit(page, address, "put", **dict([chosen]))
    assert page.status == 409
    assert "An account needs at least one administrator" in page.text
    assert "Person 000" not in page.text
    assert chosen in page.form(address, "put").fields
    assert chosen not in web.get("/administration?q=ada").form(address, "put").fields


def test_an_invitation_that_is_refused_stays_on_its_page(surfing, ada, crowd):
    web = surfing(ada)
    sent = {"invitation_batch[emails]": "nowhere", "invitation_batch[role]": "administrator"}
    page = web.submit(web.get("/administration?page=3"), "/invitations/batch", **sent)
    assert "nowhere: Email must be an address" in page.text
    assert "Person 119" in page.text
    assert sent.items() <= dict(page.form("/invitations/batch").fields).items()
