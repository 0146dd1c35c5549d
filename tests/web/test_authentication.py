"""Authentication over HTTP: all kinds of credentials, right and wrong."""

import base64
from importlib.util import find_spec, module_from_spec

import pytest

from skerry.store.auth import tokens
from skerry.tracker.people import people
from skerry.tracker.secrets import hash_password, hash_token
from tests.conftest import PASSWORD
from tests.support.client import NeverRead, basic, call, parse

pytestmark = pytest.mark.matrix("formats")

TICKET = {"ticket": {"title": "Leak"}}


def with_token(token):
    """Return every set of headers that carries a token."""
    return (
        {"X-ServiceToken": token},
        {"X-LighthouseToken": token},
        {"Authorization": f"Bearer {token}"},
        {"Authorization": f"bearer  {token} "},
        basic(token, "x"),
        basic(token, "x", scheme="basic"),
    )


@pytest.fixture
def token(world, ada):
    return world.token(ada.user_id)


# --- Forms -----------------------------------------------------------------------------------------


def test_signing_in_takes_a_login_and_a_password(world, ada, roof):
    answer = world.client(**basic(ada.email, PASSWORD)).post(f"/projects/{roof}/tickets", TICKET)
    assert (answer.status, answer.item["creator_id"]) == (201, ada.user_id)


def test_the_case_of_a_login_does_not_matter_and_that_of_a_password_does(world, ada, roof):
    assert world.client(**basic(ada.email.upper(), PASSWORD)).get(f"/projects/{roof}").status == 200
    assert world.client(**basic(ada.email, PASSWORD.upper())).get(f"/projects/{roof}").status == 401


def test_a_token_is_taken_in_every_form(world, ada, roof, token):
    for headers in with_token(token):
        answer = world.client(**headers).post(f"/projects/{roof}/tickets", TICKET)
        assert (answer.status, answer.item["creator_id"]) == (201, ada.user_id), headers


def test_a_token_is_taken_as_a_parameter_of_the_query(world, ada, roof, token):
    nobody = world.client()
    assert nobody.get(f"/projects/{roof}?_token={token}").status == 200
    answer = nobody.post(f"/projects/{roof}/tickets?_token={token}", TICKET)
    assert (answer.status, answer.item["creator_id"]) == (201, ada.user_id)


def test_a_header_wins_over_the_query_and_a_token_over_a_login(world, ada, ben, roof, token):
    bens = world.token(ben.user_id)
    client = world.client(**{"X-ServiceToken": bens}, **basic(ada.email, PASSWORD))
    answer = client.post(f"/projects/{roof}/tickets?_token={token}", TICKET)
    assert answer.item["creator_id"] == ben.user_id


# --- None, and wrong ones --------------------------------------------------------------------------


def test_without_credentials_a_private_project_is_401(nobody, roof):
    answers = (
        nobody.get(f"/projects/{roof}"),
        nobody.get("/projects"),
        nobody.get("/tickets"),
        nobody.get("/projects/999999"),
        nobody.post("/projects", {"project": {"name": "X"}}),
        nobody.delete(f"/projects/{roof}"),
    )
    for answer in answers:
        assert (answer.status, len(answer.errors)) == (401, 1)
        assert answer.headers["www-authenticate"].startswith("Basic realm=")


def test_wrong_credentials_are_refused_wherever_they_are_sent(world, ada, harbour, token):
    wrong = ("0" * 40, token[:-1], token.upper() + "0", "")
    clients = [world.client(**headers) for text in wrong for headers in with_token(text)]
    clients += [
        world.client(**basic(*pair)) for pair in ((ada.email, "wrong"), ("who@x.example", PASSWORD), ("", ""))
    ]
    for client in clients:
        for path in (f"/projects/{harbour}", "/projects", "/tickets", f"/projects/{harbour}/tickets"):
            answer = client.get(path)
            assert answer.status == 401, (client.headers, path)
            assert answer.headers["www-authenticate"].startswith("Basic")
    assert world.client().get(f"/projects/{harbour}").status == 200


def test_a_wrong_token_in_the_query_is_refused_on_a_public_project(nobody, harbour):
    for token in ("0" * 40, "", "x"):
        assert nobody.get(f"/projects/{harbour}?_token={token}").status == 401


@pytest.mark.parametrize(
    "header",
    ["", " ", "Basic", "Basic ", "Basic !!!!", "Basic YQ", "Basic " + "A" * 5001, "Bearer", "Bearer ",
     "Digest a=b", "Negotiate abc", "Token abc", "Basic YWJj", "Basic Og==", "Basic YTpi YTpi", "YTpi",
     "\xff", "Bearer \xff\xfe", "Basic " + base64.b64encode(b"\xff\xfe:\xff").decode(),
     "Basic " + base64.b64encode(b"a\0b:c\0d").decode()],
)  # fmt: skip
def test_an_authorization_header_that_is_none_is_401(world, harbour, header):
    answer = world.client(Authorization=header).get(f"/projects/{harbour}")
    assert (answer.status, len(answer.errors)) == (401, 1)
    assert answer.headers["www-authenticate"].startswith("Basic")


def test_a_login_without_a_colon_or_with_many_is_read_up_to_the_first(world, ada, roof):
    with world.write() as transaction:
        people.change_password(transaction, ada.email, hash_password("with:two:colons"))
    assert world.client(**basic(ada.email, "with:two:colons")).get(f"/projects/{roof}").status == 200


def test_a_login_in_latin_1_is_accepted(world, roof, ada):
    with world.write() as transaction:
        people.change_password(transaction, ada.email, hash_password("Straßenschild"))
    for charset in ("utf-8", "latin-1"):
        encoded = base64.b64encode(f"{ada.email}:Straßenschild".encode(charset)).decode()
        assert world.client(Authorization=f"Basic {encoded}").get(f"/projects/{roof}").status == 200


def test_hashing_a_password_costs_as_much_as_is_recommended():
    # The passwords of these tests cost nothing, so this is the program's own way, loaded once more.
    way = find_spec("skerry.tracker.secrets")
    secrets = module_from_spec(way)
    way.loader.exec_module(secrets)
    assert secrets.hash_password(PASSWORD).startswith("$argon2id$v=19$m=19456,t=2,p=1$")


def test_an_error_never_repeats_what_was_sent(world, harbour):
    for headers in (*with_token("feedface" * 5), basic("who@x.example", "feedface" * 5)):
        answer = world.client(**headers).get(f"/projects/{harbour}")
        assert b"feedface" not in answer.body


# --- Changes ---------------------------------------------------------------------------------------


def test_a_change_of_the_password_takes_effect_at_once(world, ada, roof):
    old, new = (
        world.client(**basic(ada.email, PASSWORD)),
        world.client(**basic(ada.email, "another long one")),
    )
    assert (old.get(f"/projects/{roof}").status, new.get(f"/projects/{roof}").status) == (200, 401)
    with world.write() as transaction:
        people.change_password(transaction, ada.email, hash_password("another long one"))
    assert (old.get(f"/projects/{roof}").status, new.get(f"/projects/{roof}").status) == (401, 200)


def test_a_revoked_token_is_refused_at_once(world, roof, token):
    clients = [world.client(**headers) for headers in with_token(token)]
    assert {client.get(f"/projects/{roof}").status for client in clients} == {200}
    with world.write() as transaction:
        found = tokens.with_hash(transaction, hash_token(token))
        tokens.revoke(transaction, found[0].id)
    assert {client.get(f"/projects/{roof}").status for client in clients} == {401}


def test_a_token_is_kept_only_as_its_hash(world, token):
    with world.database.engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT * FROM tokens").all()
    assert token not in str(rows)
    assert len(token) == 40
    assert set(token) <= set("0123456789abcdef")


# --- Tokens with less than everything --------------------------------------------------------------


def test_a_token_of_one_project_sees_only_that_project(world, ada, roof, harbour):
    for project in (roof, harbour):
        ada.post(f"/projects/{project}/tickets", TICKET)
    client = world.client(**{"X-ServiceToken": world.token(ada.user_id, project_id=roof)})
    assert [project["id"] for project in client.get("/projects").items] == [roof]
    assert [ticket["project_id"] for ticket in client.get("/tickets").items] == [roof]
    assert client.get("/tickets").headers["x-total-count"] == "1"
    assert client.put(f"/projects/{roof}/tickets/1", {"ticket": {"state": "open"}}).status == 200
    for path in ("", "/tickets", "/tickets/1"):
        assert client.get(f"/projects/{harbour}{path}").status == 404
    assert client.put(f"/projects/{harbour}/tickets/1", {"ticket": {"state": "open"}}).status == 404
    assert client.post("/projects", {"project": {"name": "X"}}).status == 403


def test_a_token_of_one_project_gives_no_more_than_its_owner_has(world, cy, roof, harbour):
    private = world.client(**{"X-ServiceToken": world.token(cy.user_id, project_id=roof)})
    public = world.client(**{"X-ServiceToken": world.token(cy.user_id, project_id=harbour)})
    assert private.get(f"/projects/{roof}").status == 404
    assert private.get(f"/projects/{harbour}").status == 404
    assert public.get(f"/projects/{harbour}").status == 200
    assert public.delete(f"/projects/{harbour}").status == 403


def test_a_read_only_token_reads_and_writes_nothing(world, ada, roof):
    ada.post(f"/projects/{roof}/tickets", TICKET)
    client = world.client(**{"X-ServiceToken": world.token(ada.user_id, read_only=True)})
    ticket = f"/projects/{roof}/tickets/1"
    for path in ("/projects", "/tickets", f"/projects/{roof}", ticket, f"{ticket}/versions"):
        assert client.get(path).status == 200
    for answer in (
        client.post("/projects", {"project": {"name": "X"}}),
        client.put(f"/projects/{roof}", {"project": {"name": "X"}}),
        client.delete(f"/projects/{roof}"),
        client.post(f"/projects/{roof}/tickets", TICKET),
        client.put(ticket, {"ticket": {"title": "X"}}),
        client.delete(ticket),
        client.post(f"{ticket}/versions", {"version": {"body": "X"}}),
        client.put(f"{ticket}/versions/1", {"version": {"body": "X"}}),
        client.delete(f"{ticket}/versions/1"),
        client.post(f"{ticket}?_method=delete"),
    ):
        assert (answer.status, answer.errors) == (403, ["This token is read-only"])
    assert [version["title"] for version in ada.get(ticket).item["versions"]] == ["Leak"]


def test_a_read_only_token_does_not_show_what_its_owner_cannot_see(world, cy, roof):
    client = world.client(**{"X-ServiceToken": world.token(cy.user_id, read_only=True)})
    assert client.put(f"/projects/{roof}", {"project": {"name": "X"}}).status == 404
    assert client.post(f"/projects/{roof}/tickets", TICKET).status == 404


def test_a_caller_without_permission_is_answered_before_the_body_is_read(world, ada, roof):
    read_only = {"X-ServiceToken": world.token(ada.user_id, read_only=True)}
    for more, status in (({}, 401), ({"X-ServiceToken": "x"}, 401), (read_only, 403)):
        headers = {"Host": world.host, "Content-Type": "application/json", "Content-Length": "99", **more}
        path = f"/projects/{roof}/tickets.json"
        answer = call(world.instance.application, "POST", path, body=NeverRead(), headers=headers)
        assert (answer.status, list(parse(answer.body))) == (status, ["errors"])


def test_a_password_is_the_same_however_its_characters_are_composed(world, ada):
    for stored, typed in (
        ("gr\u00fcn wie das Gras", "gru\u0308n wie das Gras"),
        ("gru\u0308n wie das Gras", "gr\u00fcn wie das Gras"),
    ):
        with world.write() as transaction:
            people.change_password(transaction, ada.email, hash_password(stored))
        assert {
            world.client(**basic(ada.email, each)).get("/projects").status for each in (stored, typed)
        } == {200}


def test_a_new_password_must_not_be_the_name_or_the_address(world, ada):
    client = world.client(**basic(ada.email, PASSWORD))
    for new in (ada.email, f"Ada {ada.email}", "abcabcabcabc", "Password 2026"):
        answer = client.put("/profile/password", {"password": {"present": PASSWORD, "new": new}})
        assert (answer.status, answer.errors[0][:9]) == (422, "Password ")
