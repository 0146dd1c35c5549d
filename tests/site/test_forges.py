"""The page of the forges that push to a project, and the pages of what they push."""

import pytest

from tests.mail.mails import verify
from tests.support.pushes import FIRST, SECOND, hook, push, pushed, sample


@pytest.mark.parametrize("kind", ["github", "gitlab", "forgejo", "gitea"])
def test_a_forge_is_added_with_its_address_and_a_secret_that_is_shown_once(surfing, ben, roof, kind):
    web, place = surfing(ben), f"/projects/{roof}/forges"
    page = web.submit(web.get(place), place, **{"forge[kind]": kind, "forge[note]": "tiles"})
    (forge,) = ben.get(place).items
    assert page.status == 200
    assert f"/projects/{roof}/pushes/{kind}" in page.source
    secret = next(each for each in page.source.split('"') if len(each) == 40 and each.isalnum())
    assert pushed(ben, {**forge, "secret": secret}, push()).status == 200
    assert secret not in web.get(place).source
    assert "last push" in web.get(place).text


def test_a_secret_is_renewed_and_a_forge_removed(surfing, ben, roof):
    forge, web, place = hook(ben, roof, "github"), surfing(ben), f"/projects/{roof}/forges"
    page = web.submit(web.get(place), f"{place}/{forge['id']}/secret")
    assert "shown only once" in page.text
    assert pushed(ben, forge, push()).status == 403
    page = web.submit(web.get(place), f"{place}/{forge['id']}")
    assert page.path == place
    assert "No forges yet." in page.text


def test_a_commit_shows_its_committer_beside_the_owner_of_the_forge(world, surfing, ada, ben, roof):
    verify(world, ben)
    pushed(ada, hook(ada, roof, "github"), sample("github", ben.email, 9))
    web, place = surfing(ben), f"/projects/{roof}/changesets"
    assert "Ben, reported by Ada" in web.get(f"{place}/{FIRST}").text
    assert f"/users/{ben.user_id}" in web.get(f"{place}/{FIRST}").links
    page = web.get(f"{place}/{SECOND}").text
    assert "Dora Tiler, reported by Ada" in page
    assert "Dora Tiler, reported by Ada" in web.get(place).text


def test_the_settings_and_the_empty_list_of_commits_lead_to_the_forges(surfing, ben, roof):
    web = surfing(ben)
    for place in ("settings", "changesets"):
        assert f"/projects/{roof}/forges" in web.get(f"/projects/{roof}/{place}").links


def test_a_forge_of_no_known_kind_is_refused_with_the_form(surfing, ben, roof):
    web, place = surfing(ben), f"/projects/{roof}/forges"
    page = web.submit(web.get(place), place, **{"forge[kind]": "cvs"})
    assert page.status == 422
    assert "Kind must be one of" in page.text


def test_outsiders_do_not_see_forges(surfing, cy, harbour):
    assert surfing(cy).get(f"/projects/{harbour}/forges").status == 403
