"""Pictures of people over HTTP."""

import io
from datetime import timedelta

import pytest
from PIL import Image

from skerry.store.checks.recount import recount
from skerry.store.file_cleanup import clean_up
from skerry.store.people import avatars
from tests.support.client import Upload

pytestmark = pytest.mark.matrix("formats")


def picture(kind="PNG", size=(64, 48), color="red"):
    kept = io.BytesIO()
    Image.new("RGB", size, color).save(kept, kind)
    return kept.getvalue()


def wear(client, content, **how):
    return client.put("/profile/avatar", Upload("avatar", content, **how))


def address_of(client, project_id, person):
    items = client.get(f"/projects/{project_id}/memberships").items
    (address,) = [item["user"]["avatar_url"] for item in items if item["user_id"] == person.user_id]
    return address.removeprefix(f"http://{client.host}")


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_a_picture_is_shown_in_the_memberships_and_fetched_by_everybody_who_sees_them(
    ben, nobody, harbour, kind
):
    answer = wear(ben, picture(kind), filename="x.html")
    assert (answer.status, answer.item["name"]) == (200, "Ben")
    path = address_of(nobody, harbour, ben)
    assert path.startswith(f"/avatars/{ben.user_id}-")
    found = nobody.raw(path)
    assert (found.status, found.body) == (200, picture(kind))
    assert found.headers["content-type"] == f"image/{kind.lower()}"
    assert found.headers["x-content-type-options"] == "nosniff"
    assert found.headers["cache-control"] == "private, max-age=31536000, immutable"
    assert "sandbox" in found.headers["content-security-policy"]


def test_a_new_picture_has_another_address_and_the_old_one_is_gone(world, ben, harbour):
    wear(ben, picture())
    first = address_of(ben, harbour, ben)
    wear(ben, picture(color="blue"))
    second = address_of(ben, harbour, ben)
    assert first != second
    assert (ben.get(f"{first}!").status, ben.raw(second).body) == (404, picture(color="blue"))
    assert world.instance.blobs.size(f"0/{first.partition('-')[2]}") is None


def test_a_picture_can_be_removed(world, ben, harbour):
    wear(ben, picture())
    path = address_of(ben, harbour, ben)
    assert [ben.delete("/profile/avatar").status for _ in range(2)] == [200, 200]
    assert address_of(ben, harbour, ben) == ""
    assert ben.get(f"{path}!").status == 404
    assert world.instance.blobs.size(f"0/{path.partition('-')[2]}") is None


WRONG = {
    "a page": (b"<html><script>alert(1)</script></html>", "PNG, JPEG, GIF or WebP"),
    "a drawing": (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "PNG, JPEG, GIF or WebP"),
    "a kind that browsers do not show": (picture("BMP"), "PNG, JPEG, GIF or WebP"),
    "too many pixels": (picture(size=(2001, 5)), "at most 2000 by 2000 pixels"),
    "too many bytes": (picture() + bytes(2 * 1024 * 1024), "at most 2 MiB"),
}


@pytest.mark.parametrize("what", WRONG)
def test_an_invalid_picture_is_refused_and_the_present_one_stays(world, ben, harbour, what):
    wear(ben, picture())
    path = address_of(ben, harbour, ben)
    files = sorted(kept.key for batch in world.instance.blobs.list_all() for kept in batch)
    content, sentence = WRONG[what]
    answer = wear(ben, content)
    assert answer.status == 422
    assert sentence in answer.errors[0]
    assert address_of(ben, harbour, ben) == path
    assert sorted(kept.key for batch in world.instance.blobs.list_all() for kept in batch) == files


def test_a_picture_must_come_as_one_file(ben):
    for answer in (ben.put("/profile/avatar"), ben.put("/profile/avatar", {"user": {"avatar": "x"}})):
        assert (answer.status, answer.errors) == (422, ["Choose one picture"])


def test_only_the_exact_address_leads_to_a_picture(ben, cy, harbour):
    wear(ben, picture())
    code = address_of(ben, harbour, ben).partition("-")[2]
    for wrong in (ben.user_id, f"{ben.user_id}-", f"{cy.user_id}-{code}", code, f"{ben.user_id}-{code[:-1]}"):
        assert ben.get(f"/avatars/{wrong}!").status == 404


def test_the_sweep_and_the_deep_check_know_pictures(world, ben, harbour):
    wear(ben, picture())
    path = address_of(ben, harbour, ben)
    clean_up(world.database, world.instance.blobs, timedelta(0))
    assert ben.raw(path).body == picture()
    key = f"{avatars.SERVICE}/{path.partition('-')[2]}"
    world.instance.blobs.remove([key])
    assert f"The picture of user {ben.user_id} is missing" in said(world)
    ben.delete("/profile/avatar")
    assert not any(f"picture of user {ben.user_id} " in sentence for sentence in said(world))


def said(world):
    checks = recount(world.database, world.instance.blobs)
    return [sentence for check in checks if "picture" in check.title for sentence in check.differences]
