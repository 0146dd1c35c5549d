"""People and invitations of an account."""

import pytest

from skerry.store.auth import logins
from tests.conftest import PASSWORD, build_world
from tests.support.client import basic

pytestmark = pytest.mark.matrix("formats")

NEW = "a shed full of rope"


def login(client, email, password=PASSWORD):
    return client.speaking(**basic(email, password))


@pytest.fixture
def admin(ada):
    return login(ada, ada.email)


@pytest.fixture
def owner(world):
    client = world.person("olga", "owner")
    return login(client, client.email)


def invite(client, email, **fields):
    return client.post("/invitations", {"invitation": {"email": email, **fields}})


def path_of(answer):
    return "/welcome/" + answer.item["url"].rpartition("/")[2]


def accept(client, path, **fields):
    return client.post(path, {"welcome": {"name": "Dora", "password": NEW, **fields}})


def test_an_invitation_works_once(world, admin, nobody):
    email = f"dora@{world.host}"
    made = invite(admin, email, role="member")
    assert made.status == 201
    assert nobody.get(path_of(made)).item["email"] == email
    assert accept(nobody, path_of(made)).status == 200
    assert login(nobody, email, NEW).get("/profile").item["name"] == "Dora"
    assert accept(nobody, path_of(made)).status == 404
    assert [each["role"] for each in admin.get("/people").items if each["email"] == email] == ["member"]


def test_the_body_of_an_accepted_invitation_is_limited(world, admin, nobody):
    path = path_of(invite(admin, f"dora@{world.host}", role="member"))
    assert accept(nobody, path, other="x" * 64_000).status == 200
    assert accept(nobody, path, other="x" * 66_000).status == 413


def test_the_link_stands_in_one_answer_and_in_no_log(world, admin, nobody):
    made = invite(admin, f"dora@{world.host}", role="member")
    nobody.get(path_of(made))
    assert [("url" in each) for each in admin.get("/invitations").items] == [False]
    assert "url" not in admin.get(f"/invitations/{made.item['id']}").item
    assert made.item["url"].rpartition("/")[2] not in world.log.getvalue()


def test_somebody_can_be_invited_to_one_project_only(world, admin, nobody, roof, harbour):
    email = f"dora@{world.host}"
    accept(nobody, path_of(invite(admin, email, project_id=roof)))
    dora = login(nobody, email, NEW)
    assert dora.get(f"/projects/{roof}").status == 200
    assert dora.post("/projects", {"project": {"name": "Mine"}}).status == 403


def test_an_invitation_into_a_project_alone_ends_with_it(world, admin, nobody, roof):
    email = f"dora@{world.host}"
    into_both = invite(admin, f"eve@{world.host}", project_id=roof, role="member")
    alone = invite(admin, email, project_id=roof)
    assert admin.delete(f"/projects/{roof}").status == 200
    assert nobody.get(path_of(alone)).status == 404
    assert accept(nobody, path_of(alone)).status == 404
    # There is no login that nobody in the account could see.
    assert invite(admin, email, role="member").status == 201
    assert accept(nobody, path_of(into_both)).status == 200


def test_an_invitation_ends(world, admin, nobody, monkeypatch):
    made = invite(admin, f"dora@{world.host}", role="member")
    now = world.database.clock()
    monkeypatch.setattr(world.database, "clock", lambda: now + 8 * 86_400_000_000)
    assert accept(nobody, path_of(made)).status == 404


def test_an_invitation_ends_when_its_inviter_could_no_longer_send_it(world, admin, owner, ada, nobody):
    (olga,) = [each for each in admin.get("/people").items if each["role"] == "owner"]
    invited = [invite(owner, f"{role}@{world.host}", role=role) for role in ("owner", "member")]
    owner.put(f"/people/{ada.user_id}", {"person": {"role": "owner"}})
    statuses = []
    for role in ("owner", "administrator", "member"):
        admin.put(f"/people/{olga['id']}", {"person": {"role": role}})
        statuses.append([nobody.get(path_of(each)).status for each in invited])
    assert statuses == [[200, 200], [404, 200], [404, 404]]


def test_a_link_to_a_new_password_ends_with_the_address_and_the_login(world, admin, ben, nobody):
    path = path_of(invite(admin, ben.email))
    for disabled, status in ((True, 404), (False, 200)):
        admin.put(f"/people/{ben.user_id}", {"person": {"disabled": disabled}})
        assert nobody.get(path).status == status
    with world.write() as transaction:
        logins.change_email(transaction, logins.of_user(transaction, ben.user_id), f"new@{world.host}")
    assert (nobody.get(path).status, accept(nobody, path).status) == (404, 404)


def test_a_token_does_not_join_in_the_place_of_its_owner(world, admin, cy):
    path = path_of(invite(admin, cy.email, role="member"))
    refused = cy.post(path, {"welcome": {}})
    assert (refused.status, refused.errors) == (422, ["Password can't be blank"])
    assert login(cy, cy.email).post(path, {"welcome": {}}).status == 200


def test_an_invitation_is_revoked(world, admin, nobody):
    made = invite(admin, f"dora@{world.host}", role="member")
    assert admin.delete(f"/invitations/{made.item['id']}").status == 200
    assert accept(nobody, path_of(made)).status == 404
    assert admin.delete(f"/invitations/{made.item['id']}").status == 404


def test_a_new_link_takes_the_place_of_the_old(world, admin, nobody):
    old, new = (invite(admin, f"dora@{world.host}", role="member") for _ in range(2))
    assert nobody.get(path_of(old)).status == 404
    assert nobody.get(path_of(new)).status == 200


def test_an_invitation_of_an_existing_member_sets_a_new_password(admin, ben, nobody):
    made = invite(admin, ben.email)
    assert made.item["user_id"] == ben.user_id
    assert accept(nobody, path_of(made), password="short").status == 422
    assert accept(nobody, path_of(made)).item["name"] == "Ben"
    assert login(ben, ben.email).get("/profile").status == 401
    assert login(ben, ben.email, NEW).get("/profile").status == 200


@pytest.mark.parametrize("revoke", [False, True])
def test_a_person_who_sets_a_new_password_may_revoke_the_tokens(world, admin, ben, nobody, revoke):
    path = path_of(invite(admin, ben.email))
    assert nobody.get(path).item["tokens_count"] == 1
    assert accept(nobody, path, revoke_tokens=revoke).status == 200
    assert ben.get("/profile").status == (401 if revoke else 200)
    new = path_of(invite(admin, f"dora@{world.host}", role="member"))
    assert nobody.get(new).item["tokens_count"] == 0


def test_an_inviter_does_not_learn_who_has_a_login(world, admin, cy):
    other = build_world(world.instance, world.log, world.format)
    told = []
    for email in (cy.email, other.people["ben"].email, f"dora@{world.host}"):
        made = invite(admin, email, name="D", role="member")
        told.append({name: made.item[name] for name in ("name", "role", "project_id", "user_id")})
        assert made.status == 201
    assert told == [told[0]] * 3


def test_a_person_with_a_login_joins_with_it(world, admin, nobody, roof):
    other = build_world(world.instance, world.log, world.format)
    ben = other.people["ben"]
    path = path_of(invite(admin, ben.email.upper(), role="member", project_id=roof))
    here = login(nobody, ben.email)
    assert here.post(path, {"welcome": {"password": NEW}}).item["name"] == "Ben"
    assert login(nobody, ben.email, NEW).get("/profile").status == 401
    assert [each["role"] for each in admin.get("/people").items if each["email"] == ben.email] == ["member"]
    assert here.get(f"/projects/{roof}").status == 200
    assert accept(here, path).status == 404


def test_a_new_person_needs_a_password(world, admin, nobody):
    path = path_of(invite(admin, f"dora@{world.host}", role="member"))
    refused = nobody.post(path, {"welcome": {"name": "Dora"}})
    assert (refused.status, refused.errors) == (422, ["Password can't be blank"])


def test_an_administrator_does_nothing_to_an_owner(world, admin, owner, ada):
    (olga,) = [each for each in admin.get("/people").items if each["role"] == "owner"]
    assert admin.put(f"/people/{olga['id']}", {"person": {"role": "member"}}).status == 403
    assert admin.delete(f"/people/{olga['id']}").status == 403
    assert invite(admin, olga["email"]).status == 403
    assert invite(admin, f"dora@{world.host}", role="owner").status == 403
    assert owner.put(f"/people/{ada.user_id}", {"person": {"role": "owner"}}).item["role"] == "owner"


def test_the_last_administrator_cannot_leave(admin, ada, ben):
    assert admin.put(f"/people/{ada.user_id}", {"person": {"role": "member"}}).status == 409
    assert admin.delete(f"/people/{ada.user_id}").status == 409
    assert admin.put(f"/people/{ben.user_id}", {"person": {"role": "administrator"}}).status == 200
    assert admin.put(f"/people/{ada.user_id}", {"person": {"role": "member"}}).status == 200
    assert admin.get("/people").status == 403


def test_a_removed_person_loses_access_at_once(admin, ada, ben, roof):
    assert admin.delete(f"/people/{ben.user_id}").status == 200
    assert ben.get(f"/projects/{roof}").status == 401
    assert login(ben, ben.email).get(f"/projects/{roof}").status == 404
    assert ben.user_id not in [each["id"] for each in admin.get("/people").items]


def test_a_token_does_not_sign_in_on_the_site(world, ada):
    answer = invite(ada, f"dora@{world.host}", role="member")
    assert answer.errors == ["Tokens cannot be used for this; sign in with a password"]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"email": "dora"}, "Email must be an address such as ada@example.org"),
        ({"email": "jörg@a.test"}, "Email must have only ASCII letters, digits and signs before the @"),
        ({"role": "captain"}, "Role is not one of member, administrator, owner"),
        ({"role": ""}, "An invitation needs a role or a project"),
        ({"project_id": 987654}, "Project is not in this account"),
    ],
)
def test_an_impossible_invitation_is_explained(world, admin, fields, sentence):
    answer = invite(admin, **{"email": f"dora@{world.host}", "role": "member", **fields})
    assert (answer.status, answer.errors) == (422, [sentence])


def test_an_address_is_tidied_and_found_however_it_is_typed(world, admin, nobody):
    made = invite(admin, f"\u200bDora@bücher.{world.host} ", role="member")
    stored = f"dora@xn--bcher-kva.{world.host}"
    assert made.item["email"] == stored
    accept(nobody, path_of(made))
    for typed in (stored, f"dora@Bücher.{world.host}", f"{stored}\u200b"):
        assert login(nobody, typed, NEW).get("/profile").status == 200


def test_the_account_is_renamed_in_person_by_who_administers_it(ada, admin, ben):
    assert ada.put("/account", {"account": {"name": "Mine"}}).status == 403
    assert login(ben, ben.email).put("/account", {"account": {"name": "Mine"}}).status == 403
    assert admin.put("/account", {"account": {"name": " Old lighthouse "}}).item["name"] == "Old lighthouse"
    assert ada.get("/account").item["name"] == "Old lighthouse"


@pytest.mark.parametrize("name", ["", " ", "a\nb", "a" * 256])
def test_an_account_needs_a_readable_name(admin, name):
    before = admin.get("/account").item
    assert admin.put("/account", {"account": {"name": name}}).status == 422
    assert admin.get("/account").item == before


def test_a_former_administrator_gets_no_new_tickets_outside_their_projects(world, ada, admin, roof, harbour):
    eve = world.person("eve", "administrator")
    world.join(harbour, eve)
    for project in (roof, harbour):
        settings = {"settings": {"default_assigned_user_id": eve.user_id}}
        assert ada.put(f"/projects/{project}/settings", settings).status == 200
    assert admin.put(f"/people/{eve.user_id}", {"person": {"role": "member"}}).status == 200
    opened = [
        ada.post(f"/projects/{each}/tickets", {"ticket": {"title": "Leak"}}).item for each in (roof, harbour)
    ]
    assert [ticket["assigned_user_id"] for ticket in opened] == [None, eve.user_id]
    assert opened[0]["watchers_ids"] == [ada.user_id]
