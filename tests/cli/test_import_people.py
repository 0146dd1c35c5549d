"""The people of an imported archive, and lists of their logins."""

import pytest

from skerry.errors import Invalid
from tests.cli import hosted
from tests.cli.archives import account_named, place_of
from tests.cli.hosted import packed, roof, ticket


def somebody(number, name, **details):
    """The file of somebody, with what stands beside it."""
    said = {"user": {"id": number, "name": name}, "details": details}
    return {f"users/{number}-x/user.json": said}


def test_a_sender_with_a_login_here_is_recognised(take, source, tmp_path):
    (tmp_path / "people.csv").write_text(f"id,email,name\n7,{source.people['ben'].email.upper()},Somebody\n")
    assert "2 people were made" not in take(roof(), "--people", tmp_path / "people.csv")
    first, _ = source.people["ada"].get("/projects/31/tickets/12").item["versions"]
    assert (first["user_id"], first["user_name"]) == (source.people["ben"].user_id, "Ben")


def test_an_imported_person_with_an_address_cannot_sign_in_without_a_new_password(take, source, run):
    said = take(roof(**somebody(8, "Emil", email="emil@example.org")))
    assert "1 person was added who cannot sign in yet." in said
    assert "1 person without an address was added as a placeholder" in said
    assert source.client(Authorization="Basic !").get("/projects").status == 401
    run(place_of(source), "user", "password", "--email", "emil@example.org", "--password", "correct horse")
    assert source.people["ada"].get("/projects/31/memberships").items[0]["user"]["name"] == "Emil"


def test_roles_come_and_nobody_gets_another_one(take, source):
    mine, ben = source.people["ada"], source.people["ben"]
    details = {"role": "owner", "email": ben.email}
    emil = {"role": "administrator", "email": "emil@example.org"}
    files = {
        "users/7-x/user.json": {"user": {"id": 7, "name": "Ben"}, "details": details},
        "users/8-x/user.json": {"user": {"id": 8, "name": "Emil"}, "details": emil},
    }
    assert "1 person got a role in the account" in take(roof(**files))
    roles = {each["name"]: each["role"] for each in mine.get("/people").items}
    assert (roles["Ben"], roles["Emil"]) == ("member", "administrator")


@pytest.mark.parametrize("options", [("--dry-run",), ()])
def test_people_who_become_administrators_are_listed(take, source, options):
    eve = {"user": {"id": 9, "name": "Eve"}, "details": {"email": "eve@example.org", "role": "owner"}}
    said = take(roof(**{"users/9-eve/user.json": eve}), *options)
    assert "Eve, eve@example.org, got the role owner in the account." in said
    assert "1 person got a role in the account." in said


def test_archives_of_one_name_have_the_same_people_and_those_of_others_have_their_own(source, run, tmp_path):
    roofers = "roofers-of-northern-england"
    for number, root in enumerate(("acme", "acme", roofers, roofers.replace("england", "ireland"), "Крыша")):
        project = {"project": {**hosted.PROJECT, "name": f"Roof {number}", "permalink": f"roof-{number}"}}
        files = roof(**{"projects/31-roof/project.json": project})
        path = packed(tmp_path / "some.tar.gz", files, root=root)
        said = run(place_of(source), "import", path, "--account", account_named(source))
        assert f"{0 if number == 1 else 2} people and 1 file." in said


def test_two_with_one_address_are_one_person_with_one_role(take, source):
    both = {
        **somebody(7, "Dora", role="member", email="d@e"),
        **somebody(8, "Emil", role="owner", email="d@e"),
    }
    assert "1 person got a role in the account." in take(roof(**both))
    first, second = source.people["ada"].get("/projects/31/tickets/12").item["versions"]
    assert first["user_id"] == second["user_id"]


def test_a_missing_author_is_called_unknown(take, source):
    unknown = ticket(versions=[{**hosted.VERSION, "user_id": None}])
    said = take(roof(**somebody(0, "Zero", email=source.people["ben"].email), **{hosted.LEAK: unknown}))
    assert "1 file is of an unknown kind and was left out." in said
    (version,) = source.people["ada"].get("/projects/31/tickets/12").item["versions"]
    assert version["user_name"] == "Unknown"


def test_the_number_of_a_folder_says_who_it_is(take, source):
    other = {"users/7-x/user.json": {"user": {"id": 8, "name": "Dörte"}}}
    take(roof(**other))
    first, second = source.people["ada"].get("/projects/31/tickets/12").item["versions"]
    assert (first["user_name"], second["user_name"]) == ("Dörte", "Emil")


def test_a_list_that_names_somebody_else_is_noticed(take, tmp_path):
    (tmp_path / "people.csv").write_text("7,dora@example.org\n70,emil@example.org\n")
    said = take(roof(), "--people", tmp_path / "people.csv")
    assert "1 person of the list does not occur in the imported part of the archive." in said


@pytest.mark.parametrize(
    ("raw", "match"),
    [
        (b"7,nobody", "Line 1 of the list of people, column 2, must be an e-mail address"),
        (
            b"name;id;email\n\nDora;7;dora",
            "Line 3 of the list of people, column 3, must be an",
        ),
        (b"sep=|\n7|@", "The list of people names 7 with no e-mail address: @"),
        (b"0,dora@example.org", "Line 1 of the list of people, column 1, must be an id"),
        (b"9" * 5000 + b",dora@example.org", "Line 1 of the list of people, column 1, must be an id"),
        (b"email,name\ndora@example.org,Dora", "Line 1 of the list of people, column 1, must be an id"),
        (b"7,a@b\n7,c@d", "Line 2 of the list of people, column 1, names 7 again"),
    ],
    ids=["address", "header", "separator", "nobody", "number", "columns", "twice"],
)
def test_a_list_that_cannot_be_used_is_refused(take, source, tmp_path, raw, match):
    (tmp_path / "people.csv").write_bytes(raw)
    with pytest.raises(Invalid, match=match):
        take(roof(), "--people", tmp_path / "people.csv")
    assert source.people["ada"].get("/projects").items == []
