"""Saved views of the account, which search all projects that their reader sees."""

import pytest

from skerry.tracker import bins
from tests.web.test_bins import FIELDS

pytestmark = pytest.mark.matrix("both")


def add(client, name="Mine", **fields):
    answer = client.post("/bins", {"ticket_bin": {"name": name, **fields}})
    assert answer.status == 201, answer.body
    return answer.item


def names(client):
    return [found["name"] for found in client.get("/bins").items]


def count(client, found):
    return client.get(f"/bins/{found['id']}").item["tickets_count"]


@pytest.fixture
def guest(world, ada, roof):
    """Somebody who works in the roof, and is no member of the account."""
    guest = world.person("gil", None)
    world.join(roof, guest)
    return guest


def test_a_view_of_the_account_is_made_changed_and_removed(ada, roof):
    found = add(ada, query="state:hold", group="project", shared=True)
    assert list(found) == list(FIELDS)
    assert (found["project_id"], found["position"], found["group"]) == (None, 1, "project")
    path = f"/bins/{found['id']}"
    changed = ada.put(path, {"ticket_bin": {"name": "Ours", "default": True}}).item
    assert ada.get(path).item == changed == ada.get("/bins").items[0]
    assert (changed["name"], changed["default"]) == ("Ours", True)
    assert ada.get(f"/projects/{roof}/bins/{found['id']}").status == 404
    assert (ada.delete(path).status, ada.get(path).status) == (200, 404)


def test_each_reader_counts_the_tickets_that_they_see(ada, ben, cy, roof):
    hers = ada.post("/projects", {"project": {"name": "Vault"}}).item["id"]
    for project, tag in ((roof, "wet"), (roof, "dry"), (hers, "wet")):
        ada.post(f"/projects/{project}/tickets", {"ticket": {"title": "Leak", "tag": tag}})
    for query, both, one in (("tagged:wet", 2, 1), ("state:open", 3, 2), ("", 3, 2)):
        found = add(ada, query=query, shared=True)
        assert (count(ada, found), count(ben, found)) == (both, one), query
        listed = {each["id"]: each["tickets_count"] for each in ben.get("/bins").items}
        assert listed[found["id"]] == one
        assert count(cy, add(cy, query=query)) == 0


def test_a_count_follows_what_happens_in_any_project(ada, roof, harbour):
    found = add(ada, query="leak")
    for number, project in enumerate((roof, harbour), 1):
        ada.post(f"/projects/{project}/tickets", {"ticket": {"title": "Leak"}})
        assert count(ada, found) == number


def test_shared_views_are_for_members_of_the_account(ada, ben, cy, guest, nobody):
    ours, mine = add(ada, "Ours", shared=True), add(ben, "Mine")
    assert (names(ada), names(ben)) == (["Ours"], ["Ours", "Mine"])
    for outsider in (cy, guest):
        assert names(outsider) == []
        assert outsider.get(f"/bins/{ours['id']}").status == 404
        refused = outsider.post("/bins", {"ticket_bin": {"name": "His", "shared": True}})
        assert refused.errors == ["Only members of the account may share a saved view of all projects"]
        own = add(outsider, "Own")
        assert names(outsider) == ["Own"]
        assert outsider.put(f"/bins/{own['id']}", {"ticket_bin": {"shared": True}}).status == 403
    assert ada.get(f"/bins/{mine['id']}").status == nobody_sees(nobody, ours) == 404


def nobody_sees(nobody, found):
    assert nobody.get("/bins").status == nobody.get(f"/bins/{found['id']}").status == 401
    return 404


def test_members_change_a_shared_view_and_its_owner_stops_sharing_it(ada, ben):
    path = f"/bins/{add(ben, 'Ours', shared=True)['id']}"
    assert ada.put(path, {"ticket_bin": {"name": "All"}}).item["name"] == "All"
    assert ada.put(path, {"ticket_bin": {"shared": False}}).status == 403
    assert ben.put(path, {"ticket_bin": {"shared": False}}).item["shared"] is False
    assert ada.get(path).status == 404


def test_everybody_has_one_default_of_their_own(ada, ben):
    first, second = add(ada, "First", shared=True, default=True), add(ada, "Second")
    assert ben.get(f"/bins/{first['id']}").item["default"] is False
    ada.put(f"/bins/{second['id']}", {"ticket_bin": {"default": True}})
    assert [each["default"] for each in ada.get("/bins").items] == [False, True]


def test_views_of_the_account_have_an_order_of_their_own(ada, roof):
    add(ada, "First")
    add(ada, "Second")
    add(ada, "Before", position=2)
    assert [(each["name"], each["position"]) for each in ada.get("/bins").items] == [
        ("First", 1),
        ("Before", 2),
        ("Second", 3),
    ]
    assert [each["position"] for each in ada.get(f"/projects/{roof}/bins").items] == [1, 2, 3]


def test_a_person_can_have_only_so_many_views(ada, ben, monkeypatch):
    monkeypatch.setattr(bins, "MAX_OWN", 1)
    add(ada)
    refused = ada.post("/bins", {"ticket_bin": {"name": "More"}})
    assert (refused.status, refused.errors[0][:26]) == (409, "You already have 1 saved v")
    add(ben)


def test_events_of_a_private_view_are_its_owners(ada, ben):
    made, shared = add(ben, "Mine"), add(ben, "Ours", shared=True)
    ben.delete(f"/bins/{made['id']}")

    def seen(client):
        events = client.get("/events?limit=100").items
        return [(each["type"], each["subject_id"]) for each in events if each["type"].startswith("bin.")]

    of_ours = ("bin.created", shared["id"])
    assert of_ours in seen(ada)
    assert not [each for each in seen(ada) if each[1] == made["id"]]
    assert {("bin.created", made["id"]), ("bin.deleted", made["id"]), of_ours} <= set(seen(ben))
