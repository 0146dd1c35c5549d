"""Pages of changesets."""

import pytest


@pytest.fixture
def changesets(ben, harbour):
    """The address of the public project's changesets, one of which names a ticket."""
    ben.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Leak"}})
    changeset = {
        "revision": "4f1c2d9",
        "title": "Ben: seal",
        "body": "Seal the stairs [#1 state:resolved]",
        "changes": "M /roof/stairs.txt\nA /roof/tiles <1>.txt\nM /roof/a.txt",
    }
    assert ben.post(f"/projects/{harbour}/changesets", {"changeset": changeset}).status == 201
    return f"/projects/{harbour}/changesets"


def test_the_list_shows_revision_author_and_message(surfing, cy, changesets):
    page = surfing(cy).get(changesets)
    assert "4f1c2d9" in page.text
    assert "Ben: seal" in page.text
    assert "3 files" in page.text
    assert f"{changesets}/4f1c2d9" in page.links


@pytest.mark.parametrize("timestamp", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Etc/GMT+12"])
def test_a_commit_at_the_end_of_the_calendar_is_shown_in_every_zone(surfing, ben, roof, zone, timestamp):
    changeset = {"revision": "r1", "title": "Ben: far", "changed_at": timestamp, "changes": "M /roof"}
    assert ben.post(f"/projects/{roof}/changesets", {"changeset": changeset}).status == 201
    web = surfing(ben)
    web.cookies["skerry-zone"] = zone
    for place in ("/changesets", "/changesets/r1", "/activity", ""):
        assert web.get(f"/projects/{roof}{place}").status == 200
    assert web.get("/").status == 200


def test_an_empty_list_says_how_commits_are_reported(surfing, ben, cy, roof, harbour):
    page = surfing(ben).get(f"/projects/{roof}/changesets")
    assert f"/projects/{roof}/changesets.json" in page.text
    assert f"/projects/{roof}/changesets/new" in page.links
    assert "curl" not in surfing(cy).get(f"/projects/{harbour}/changesets").text


def test_a_changeset_shows_its_changes_by_kind_and_the_tickets_that_it_names(surfing, cy, changesets):
    page = surfing(cy).get(f"{changesets}/4f1c2d9")
    assert "A 1 file added /roof/tiles <1>.txt" in page.text
    assert "M 2 files changed /roof/a.txt /roof/stairs.txt" in page.text
    assert "#1 resolved Leak" in page.text
    assert f"{changesets.removesuffix('changesets')}tickets/1" in page.links


def test_a_changeset_is_entered_by_hand(surfing, ben, roof):
    changesets = f"/projects/{roof}/changesets"
    web = surfing(ben)
    fields = {
        "changeset[revision]": "r7+x",
        "changeset[body]": "Sealed",
        "changeset[changed_at]": "2026-03-14T09:26",
        "changeset[changes]": "M /a\nD /b",
    }
    page = web.submit(web.get(f"{changesets}/new"), changesets, **fields)
    assert page.path == f"{changesets}/r7%2Bx"
    assert "1 file removed /b" in page.text
    assert ben.get(f"{changesets}/r7%2Bx").item["changed_at"] == "2026-03-14T09:26:00Z"


def test_a_revision_with_dots_has_its_page(surfing, ben, roof):
    address = f"/projects/{roof}/changesets"
    ben.post(address, {"changeset": {"revision": "20080101-1f2e.gz", "title": "Ben: a patch"}})
    web = surfing(ben)
    assert "Ben: a patch" in web.get(f"{address}/20080101-1f2e.gz").text
    page = web.submit(web.get(f"{address}/new"), address, **{"changeset[revision]": "r1.b"})
    assert (page.status, page.path) == (200, f"{address}/r1.b")


def test_an_error_is_shown_with_the_entered_values(surfing, ben, changesets):
    web = surfing(ben)
    fields = {"changeset[revision]": "4f1c2d9", "changeset[changes]": "M /a"}
    page = web.submit(web.get(f"{changesets}/new"), changesets, **fields)
    assert page.status == 422
    assert "Revision has already been taken" in page.text
    assert ("changeset[changes]", "M /a") in page.form(changesets).fields


def test_a_changeset_is_deleted_only_after_a_question(surfing, ben, changesets):
    web = surfing(ben)
    page = web.submit(web.get(f"{changesets}/4f1c2d9/delete"), f"{changesets}/4f1c2d9")
    assert page.path == changesets
    assert ben.get(f"{changesets}/4f1c2d9").status == 404


def test_strangers_are_shown_no_way_to_change_anything(surfing, cy, changesets):
    web = surfing(cy)
    assert f"{changesets}/4f1c2d9/delete" not in web.get(f"{changesets}/4f1c2d9").links
    for path in (f"{changesets}/new", f"{changesets}/4f1c2d9/delete"):
        assert web.get(path).status == 403
