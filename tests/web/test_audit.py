"""The log of security events: what is recorded, by whom and from where, and that it is sealed."""

import pytest

from skerry.database.transactions import DAY
from skerry.store import audit as store
from skerry.store.auth import account_logins
from skerry.tracker.audit import audit, chain
from skerry.tracker.audit.audit import Kind
from tests.conftest import PASSWORD
from tests.support.browser_client import WebClient
from tests.support.client import basic

pytestmark = pytest.mark.matrix("databases")

DAYS = 365


def entries(world):
    """Seal what was recorded and return everything in the log, each as exports have it."""
    chain.seal_new(world.database, [world.account_id])
    with world.database.read(world.account_id) as transaction:
        return [chain.whole(world.account_id, each) for each in store.all_after(transaction, 0)]


def last(world, kind):
    return [each for each in entries(world) if each["kind"] == kind][-1]


def verdict(world, **anchors):
    with world.database.read(world.account_id) as transaction:
        return chain.verify(transaction, DAYS, **anchors)


def in_person(client):
    return client.speaking(**basic(client.email, PASSWORD))


def session_of(world, client):
    web = WebClient(world.instance.application, world.host)
    assert web.sign_in(client.email, PASSWORD).status == 200
    return web


# --- What is recorded ------------------------------------------------------------------------------


def test_an_entry_says_who_did_what_when_from_where_and_by_which_credential(world, ada):
    made = in_person(ada).post("/profile/tokens", {"token": {"note": "build"}}).item
    entry = last(world, Kind.TOKEN_CREATED)
    assert (entry["user_id"], entry["subject_id"]) == (ada.user_id, str(made["id"]))
    assert (entry["credential"], entry["personal"]["name"]) == ("password", "Ada")
    assert entry["personal"]["address"]
    assert entry["happened_at"][:10] == made["created_at"][:10]


def test_the_credential_is_named_by_its_id(world, ada, roof):
    hook = {"hook": {"url": "https://example.org/hooks/T0/B0/hook-secret", "events": ["*"]}}
    ada.post(f"/projects/{roof}/hooks", hook)
    by_token = last(world, Kind.HOOK_CREATED)
    assert by_token["credential"].startswith("token ")
    assert by_token["project_id"] == roof
    web = session_of(world, ada)
    web.submit(web.get("/profile"), "/profile/tokens", **{"token[note]": "ci"})
    assert last(world, Kind.TOKEN_CREATED)["credential"].startswith("session ")


def test_signing_in_and_out_is_recorded(world, ben):
    web = session_of(world, ben)
    began = last(world, Kind.SESSION_CREATED)
    assert (began["user_id"], began["credential"]) == (ben.user_id, "password")
    web.submit(web.get("/"), "/sign-out")
    ended = last(world, Kind.SESSION_ENDED)
    assert (ended["user_id"], ended["subject_id"]) == (ben.user_id, began["subject_id"])


def test_a_password_without_a_session_is_recorded_once_a_day_for_each_network(world, ben, monkeypatch):
    for _ in range(3):
        assert in_person(ben).get("/profile").status == 200
        world.instance.last_used.write(world.database)
    entry = last(world, Kind.SIGN_IN_ACCEPTED)
    assert (entry["user_id"], entry["credential"]) == (ben.user_id, "password")
    assert (entry["personal"]["name"], bool(entry["personal"]["address"])) == ("Ben", True)
    now = world.database.clock()
    monkeypatch.setattr(world.database, "clock", lambda: now + DAY + 1)
    in_person(ben).get("/profile")
    world.instance.last_used.write(world.database)
    assert [each["kind"] for each in entries(world)].count(Kind.SIGN_IN_ACCEPTED) == 2


def test_refused_sign_ins_of_a_minute_are_one_entry_that_names_nothing_typed(
    world, ada, ben, nobody, monkeypatch
):
    # What other tests were refused is of another minute.
    world.instance.refusals.write(ending=True)
    now = world.database.clock()
    monkeypatch.setattr(world.database, "clock", lambda: now)
    for login in (ada.email, ada.email, ben.email, "nobody@example.org"):
        assert nobody.speaking(**basic(login, "typed by mistake")).get("/profile").status == 401
    assert nobody.speaking(**{"X-ServiceToken": "a" * 40}).get("/profile").status == 401
    refusals = world.instance.refusals
    assert refusals.write() == 0
    assert refusals.write(ending=True) >= 1
    (entry,) = [each for each in entries(world) if each["kind"] == Kind.SIGN_IN_REFUSED]
    details = entry["details"]
    assert (details["password"], details["token"]) == (4, 1)
    assert details["user_ids"] == f"{ada.user_id} {ben.user_id}"
    assert "typed" not in str(entry)
    assert "nobody@" not in str(entry)


def test_people_of_other_accounts_are_not_named_in_refusals(world, cy, nobody):
    with world.write() as transaction:
        account_logins.disable(transaction, cy.user_id)
        account_logins.enable(transaction, cy.user_id)
    assert nobody.speaking(**basic(cy.email, "wrong")).get("/profile").status == 401
    world.instance.refusals.write(ending=True)
    assert last(world, Kind.SIGN_IN_REFUSED)["details"]["user_ids"] == ""


def test_changes_of_tickets_are_no_security_events(world, ada, tickets):
    before = len(entries(world))
    ada.post(tickets, {"ticket": {"title": "Leak"}})
    ada.put(f"{tickets}/1", {"ticket": {"title": "A leak"}})
    assert len(entries(world)) == before


def test_making_a_project_public_is_recorded_but_not_renaming_it(world, ada, roof):
    ada.put(f"/projects/{roof}", {"project": {"name": "Roofs"}})
    ada.put(f"/projects/{roof}", {"project": {"public": True}})
    changes = [each["details"] for each in entries(world) if each["kind"] == Kind.PROJECT_UPDATED]
    assert changes == [{"public": [False, True]}]


def test_a_refused_request_leaves_no_entry(world, ada, ben, roof):
    before = len(entries(world))
    assert ada.put(f"/projects/{roof}/memberships/999", {}).status in (404, 405)
    assert in_person(ben).put(f"/people/{ada.user_id}", {"person": {"role": "member"}}).status == 403
    assert in_person(ada).post("/profile/tokens", {"token": {"days": 0}}).status == 422
    assert len(entries(world)) == before


# --- No secrets ------------------------------------------------------------------------------------


def test_no_entry_holds_a_secret(world, ada, ben, roof):
    admin, secrets = in_person(ada), [PASSWORD, "hook-secret"]
    secrets.append(admin.post("/profile/tokens", {"token": {"note": "build"}}).item["token"])
    hook = {"hook": {"url": "https://example.org/hook-secret", "events": ["*"]}}
    made = admin.post(f"/projects/{roof}/hooks", hook).item
    secrets.append(made["secret"])
    at = f"/projects/{roof}/hooks/{made['id']}"
    secrets.append(admin.post(f"{at}/secret").item["secret"])
    admin.put(at, {"hook": {"url": "https://example.net/hook-secret", "active": False}})
    forge = admin.post(f"/projects/{roof}/forges", {"forge": {"kind": "github"}}).item
    secrets.append(forge["secret"])
    feed = admin.post("/profile/feeds", {"feed": {"kind": "activity"}}).item
    secrets.append(feed["url"].rpartition("/")[2].partition(".")[0])
    invited = admin.post("/invitations", {"invitation": {"email": "dee@example.org", "role": "member"}}).item
    secrets.append(invited["url"].rpartition("/")[2])
    welcome = {"welcome": {"name": "Dee", "password": "another long one"}}
    assert world.client().post(f"/welcome/{secrets[-1]}", welcome).status == 200
    web = session_of(world, ben)
    secrets += ["another long one", *(value for value in web.cookies.values() if len(value) > 20)]
    change = {"password": {"present": PASSWORD, "new": "yet another one", "revoke_tokens": True}}
    assert in_person(ben).put("/profile/password", change).status == 200
    secrets.append("yet another one")
    written = entries(world)
    assert len({each["kind"] for each in written}) > 9
    assert [secret for secret in secrets if secret and secret in str(written)] == []
    assert "@" not in str([each["details"] for each in written])


# --- The chain -------------------------------------------------------------------------------------


@pytest.fixture
def chained(world, ada):
    """A world with a sealed log of five entries."""
    for number in range(5):
        in_person(ada).post("/profile/tokens", {"token": {"note": f"n{number}"}})
    assert [each["number"] for each in entries(world)] == [1, 2, 3, 4, 5]
    assert verdict(world).problems == []
    return world


def tamper(world, sql):
    with world.write() as transaction:
        transaction.sql(sql.replace("ACCOUNT", str(world.account_id)) + " RETURNING number", ())


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("SET kind = 'token.revoked'", "entry 3 was changed, or does not follow the one before it"),
        ("SET details = '{}x'", "entry 3 was changed, or does not follow the one before it"),
        ("SET user_id = 99", "entry 3 was changed, or does not follow the one before it"),
        ("SET happened_at = happened_at - 1", "entry 3 was changed, or does not follow the one before it"),
        ("SET personal = '{}'", "what is personal in entry 3 was changed"),
        ("SET hash = 'x'", "entry 3 was changed, or does not follow the one before it"),
    ],
)
def test_an_edited_entry_is_found(chained, sql, problem):
    tamper(chained, f"UPDATE audit_entries {sql} WHERE account_id = ACCOUNT AND number = 3")
    assert verdict(chained).problems[0] == problem


def test_a_removed_entry_is_found(chained):
    tamper(chained, "DELETE FROM audit_entries WHERE account_id = ACCOUNT AND number = 3")
    assert verdict(chained).problems[0] == "entry 3 is missing"


def test_an_entry_removed_at_the_end_is_found(chained):
    tamper(chained, "DELETE FROM audit_entries WHERE account_id = ACCOUNT AND number > 3")
    assert verdict(chained).problems == ["entries 4 to 5 are missing"]


def test_entries_that_changed_places_are_found(chained):
    for before, after in ((2, 99), (3, 2), (99, 3)):
        tamper(
            chained,
            f"UPDATE audit_entries SET number = {after} WHERE account_id = ACCOUNT AND number = {before}",
        )
    assert verdict(chained).problems[0] == "entry 2 was changed, or does not follow the one before it"


def test_a_chain_that_was_computed_again_is_found_by_an_anchor(chained):
    kept = verdict(chained)
    tamper(chained, "DELETE FROM audit_entries WHERE account_id = ACCOUNT AND number = 5")
    tamper(chained, "UPDATE audit_entries SET number = NULL, hash = NULL WHERE account_id = ACCOUNT")
    with chained.write() as transaction:
        transaction.sql(
            "UPDATE audit_chains SET number = 0, hash = '' "
            f"WHERE account_id = {chained.account_id} RETURNING number",
            (),
        )
    entries(chained)
    assert verdict(chained).problems == []
    assert verdict(chained, anchors={kept.last: kept.hash}).problems == [f"there is no entry {kept.last}"]


def test_what_is_personal_can_be_erased_and_the_chain_stays(chained, ada):
    with chained.write() as transaction:
        assert chain.erase(transaction, ada.user_id) == 5
    found = verdict(chained)
    assert (found.problems, found.erased) == ([], 5)
    *erased, said = entries(chained)
    assert {(each["user_id"], each["personal"]) for each in erased} == {(ada.user_id, None)}
    assert (said["kind"], said["subject_id"]) == (Kind.LOG_ERASED, str(ada.user_id))


@pytest.mark.parametrize("somebody_was_erased", [False, True])
def test_what_is_personal_and_erased_by_nobody_is_found(chained, ada, ben, somebody_was_erased):
    if somebody_was_erased:
        with chained.write() as transaction:
            chain.erase(transaction, ben.user_id)
            chain.erase(transaction, ada.user_id)
    made = in_person(ada).post("/profile/tokens", {"token": {"note": "new"}})
    number = entries(chained)[-1]["number"]
    assert (made.status, verdict(chained).problems) == (201, [])
    tamper(
        chained, f"UPDATE audit_entries SET personal = NULL WHERE account_id = ACCOUNT AND number >= {number}"
    )
    assert verdict(chained).problems == [
        f"what is personal in entry {number} was erased, but no entry says so"
    ]


def test_old_entries_are_removed_and_the_rest_is_verified_from_there(chained, ada, monkeypatch):
    kept = verdict(chained)
    now = chained.database.clock()
    monkeypatch.setattr(chained.database, "clock", lambda: now + 400 * DAY)
    in_person(ada).post("/profile/tokens", {"token": {"note": "new"}})
    entries(chained)
    assert chain.remove_old(chained.database, DAYS) >= 5
    assert [(each["number"], each["kind"]) for each in entries(chained)] == [
        (6, Kind.TOKEN_CREATED),
        (7, Kind.LOG_REMOVED),
    ]
    found = verdict(chained, anchors={kept.last: kept.hash})
    assert (found.problems, found.first) == ([], 6)
    assert found.removed_until < entries(chained)[0]["happened_at"]
    assert chain.remove_old(chained.database, DAYS) == 0


def test_every_kind_is_a_noun_and_what_happened():
    assert [kind for kind in audit.KINDS if kind.count(".") != 1] == []


# --- The interface ---------------------------------------------------------------------------------

LOG = "/administration/audit"


@pytest.mark.matrix("both")
def test_the_log_is_read_in_both_formats_newest_first(chained, ada):
    listed = ada.get(LOG).items
    assert [each["number"] for each in listed] == [5, 4, 3, 2, 1]
    assert (listed[0]["kind"], listed[0]["user_name"]) == (Kind.TOKEN_CREATED, "Ada")
    after = ada.get(f"{LOG}?after_number=2&limit=2").items
    assert [each["number"] for each in after] == [3, 4]
    assert ada.get(f"{LOG}?kind=hook.created").items == []
    assert len(ada.get(f"{LOG}?user_id={ada.user_id}").items) == 5


def test_the_log_is_whole_unless_pages_are_asked_for(world, ada):
    hook = f"/hooks/{ada.post('/hooks', {'hook': {'url': 'https://bells.example/ring'}}).item['id']}"
    for number in range(31):
        ada.put(hook, {"hook": {"note": str(number)}})
    assert len(entries(world)) == len(ada.get(LOG).items) == 32
    assert len(ada.get(f"{LOG}?page=1").items) == 30


@pytest.mark.matrix("both")
def test_details_that_are_lists_are_shown_in_both_formats(world, ada, roof, nobody):
    ada.put(f"/projects/{roof}", {"project": {"public": True}})
    nobody.speaking(**basic(ada.email, "wrong")).get("/profile")
    world.instance.refusals.write(ending=True)
    entries(world)
    refused, changed = ada.get(LOG).items[:2]
    assert str(refused["details"]["user_ids"]) == str(ada.user_id)
    assert "public" in changed["details"]


@pytest.mark.parametrize("query", ["kind=x", "user_id=x", "after_number=-1", "after_number=1e99"])
def test_a_filter_that_is_nothing_is_refused(ada, query):
    answer = ada.get(f"{LOG}?{query}")
    assert (answer.status, len(answer.errors)) == (422, 1)


def test_only_administrators_read_the_log(ada, ben, cy, nobody):
    assert [each.get(LOG).status for each in (ada, ben, cy, nobody)] == [200, 403, 403, 401]


def test_an_entry_that_somebody_edited_is_still_shown(chained, ada):
    for column, value in (("details", "[1, 2, 3]"), ("personal", "7"), ("kind", "odd")):
        tamper(
            chained,
            f"UPDATE audit_entries SET {column} = '{value}' WHERE account_id = ACCOUNT AND number = 3",
        )
    assert ada.get(LOG).items[2]["kind"] == "odd"
