"""Imported people without a login, and those to whom they are given."""

import pytest

from skerry.errors import Conflict, NotFound
from tests.cli import hosted
from tests.cli.archives import account_named, differences, exported, place_of
from tests.cli.hosted import packed, roof

pytestmark = pytest.mark.matrix("databases")

TICKET = "/projects/31/tickets/12"


@pytest.fixture
def user(source, run):
    """Runs a command about people of the world."""
    return lambda *words: run(place_of(source), "user", *words, "--account", account_named(source))


def waiting(user):
    """Return the ids of the placeholders by name."""
    return {line.split("\t")[1]: line.split("\t")[0] for line in user("placeholders").splitlines()}


def other_roof():
    project = {**hosted.PROJECT, "name": "Shed", "permalink": "shed", "id": 32}
    return roof(**{"projects/31-roof/project.json": {"project": project}})


def test_an_imported_person_without_an_address_has_no_login_and_no_membership(take, source, user):
    assert "1 membership of placeholders waits until they are given to somebody." in take(roof())
    ada = source.people["ada"]
    assert user("placeholders") == "7\tDora\tacme/7\n8\tEmil\tacme/8\n"
    assert "Emil" not in str(ada.get("/people").items) + str(ada.get("/projects/31/memberships").items)
    ticket = ada.get(TICKET).item
    assert (ticket["creator_name"], ticket["assigned_user_id"]) == ("Dora", 8)
    refused = ada.put(TICKET, {"ticket": {"assigned_user_id": 7}})
    assert refused.errors == ["Assignee is not a member of this project"]
    assert ada.put(TICKET, {"ticket": {"assigned_user_id": 8, "body": "Dry?"}}).status == 200


def test_everything_of_a_placeholder_becomes_that_of_the_person(take, source, user):
    take(roof())
    ada, ben = source.people["ada"], source.people["ben"]
    ada.put(TICKET, {"ticket": {"assigned_user_id": None}})
    ada.put(TICKET, {"ticket": {"body": "Dry?"}})
    assert f"acme/8, Emil, is user {ben.user_id} now." in user("assign", "--id", "8", "--email", ben.email)
    ticket = ben.get(TICKET).item
    assert [version["user_name"] for version in ticket["versions"][:2]] == ["Dora", "Ben"]
    assert set(ticket["watchers_ids"]) == {7, ben.user_id, ada.user_id}
    assert ticket["versions"][2]["diffable_attributes"]["assigned_user"] == ben.user_id
    assert ticket["attachments"][0]["uploader_id"] == ben.user_id
    assert ben.get("/projects/31/memberships").items[0]["user_id"] == ben.user_id
    assert [each["number"] for each in ben.get("/projects/31/tickets?q=watched:me").items] == [12]
    assert [each["id"] for each in ada.get("/people/placeholders").items] == [7]
    assert ada.get("/users/8").status == 404
    assert differences(source.instance) == []


def test_texts_that_mention_a_placeholder_mention_the_person(take, source, user):
    take(roof())
    ada, ben = source.people["ada"], source.people["ben"]
    ada.put("/projects/31", {"project": {"public": True}})
    ada.put(TICKET, {"ticket": {"body": "Is it dry, @Emil?"}})
    assert '<a href="/users/8"' in ada.get(TICKET).item["versions"][-1]["body_html"]
    user("assign", "--id", "8", "--email", ben.email)
    assert f'<a href="/users/{ben.user_id}"' in ada.get(TICKET).item["versions"][-1]["body_html"]
    assert differences(source.instance) == []


def test_the_event_says_to_whom_a_placeholder_was_given(take, source, user):
    take(roof())
    ada, ben = source.people["ada"], source.people["ben"]
    assert ada.put(TICKET, {"ticket": {"assigned_user_id": None}}).status == 200
    user("assign", "--id", "8", "--email", ben.email)
    *_, changed, given = ada.get("/projects/31/events").items
    assert changed["changes"]["assigned_user_id"] == [ben.user_id, None]
    assert (given["type"], given["subject_id"], given["via"]) == ("placeholder.given", 8, "cli")
    assert given["changes"] == {"user_id": [None, ben.user_id]}


def test_a_later_import_finds_the_person_and_other_placeholders(take, source, user):
    take(roof())
    user("assign", "--id", "8", "--email", source.people["ben"].email)
    assert "0 people" in take(other_roof())
    shed = next(each for each in source.people["ada"].get("/projects").items if each["name"] == "Shed")
    first, second = source.people["ada"].get(f"/projects/{shed['id']}/tickets/12").item["versions"]
    assert (first["user_id"], second["user_id"]) == (7, source.people["ben"].user_id)
    assert waiting(user) == {"Dora": "7"}


def test_a_list_gives_several_by_their_ids_in_the_archive_or_none(take, source, user, tmp_path):
    take(roof())
    ben, people = source.people["ben"], tmp_path / "people.csv"
    people.write_text(f"7,{ben.email}\n8,nobody@example.org\n")
    with pytest.raises(NotFound, match="There is nobody with the e-mail address nobody"):
        user("assign", "--people", people, "--source", "acme")
    assert len(waiting(user)) == 2
    people.write_text(f"7,{ben.email}\n8,{ben.email}\n")
    assert user("assign", "--people", people, "--source", "acme").count("is user") == 2
    assert waiting(user) == {}


def test_a_placeholder_is_given_once(take, source, user):
    take(roof())
    user("assign", "--id", "8", "--email", source.people["ben"].email)
    user("assign", "--id", "8", "--email", source.people["ben"].email)
    with pytest.raises(Conflict, match="Emil was given to Ben already"):
        user("assign", "--id", "8", "--email", source.people["ada"].email)


def test_an_export_has_the_memberships_of_placeholders(take, source, run, tmp_path):
    take(roof())
    run(place_of(source), "export", tmp_path / "all.tar.gz", "--account", account_named(source))
    files = exported(tmp_path / "all.tar.gz")
    joined = next(files[name] for name in files if name.endswith("31-roof/memberships.json"))
    assert [each["membership"]["user_id"] for each in joined["memberships"]] == [8]
    assert '"email": ""' in str(files).replace("'", '"')


def test_two_archives_of_one_name_share_their_placeholders(source, run, tmp_path):
    for files in (roof(), other_roof()):
        path = packed(tmp_path / "some.tar.gz", files)
        run(place_of(source), "import", path, "--account", account_named(source))
    names = [each["name"] for each in source.people["ada"].get("/people/placeholders").items]
    assert names == ["Dora", "Emil"]
