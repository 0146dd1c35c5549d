"""Two servers that share a PostgreSQL database and a bucket behave like one."""

from concurrent.futures import ThreadPoolExecutor
from itertools import cycle

from skerry.store import audit as audit_store
from skerry.store.auth import sessions
from skerry.store.people import people as people_store
from skerry.tracker.audit import audit, chain
from skerry.tracker.audit.audit import Kind
from skerry.tracker.auth import tokens
from skerry.tracker.context import Context
from skerry.tracker.people import people
from skerry.tracker.secrets import hash_password
from skerry.web.auth import authentication
from tests.concurrency.conftest import A_MINUTE
from tests.concurrency.meanwhile import password
from tests.conftest import PASSWORD
from tests.support.browser_client import WebClient
from tests.support.instances import open_with_file


def test_a_session_of_one_server_is_valid_at_the_other_and_ends_at_both(pair):
    ada, elsewhere = pair
    assert [client.get("/projects").status for client in (*pair, *map(password, pair))] == [200] * 4
    with ada.world.write() as transaction:
        people.change_password(transaction, f"ada@{ada.host}", hash_password("another good one"))
        tokens.revoke(transaction, ada.headers["X-ServiceToken"])
    assert [client.get("/projects").status for client in (*pair, *map(password, pair))] == [401] * 4
    assert password(elsewhere, "another good one").get("/projects").status == 200


def test_rights_that_change_at_one_server_have_changed_at_the_other(pair):
    ada, elsewhere = pair
    ben = ada.world.people["ben"]
    there = elsewhere.speaking(**ben.headers)
    ada.post("/projects", {"project": {"name": "Roof"}})
    tickets = "/projects/1/tickets"

    def seen():
        return there.get(tickets).status, there.post(tickets, {"ticket": {"title": "Leak"}}).status

    assert seen() == (404, 404)
    with ada.world.write() as transaction:
        people_store.join_project(transaction, 1, ben.user_id)
    assert seen() == (200, 201)
    with ada.world.write() as transaction:
        people_store.leave_project(transaction, 1, ben.user_id)
    assert seen() == (404, 404)
    with ada.world.write() as transaction:
        people_store.change_role(transaction, ben.user_id, "administrator")
    assert seen() == (200, 201)
    with ada.world.write() as transaction:
        people_store.change_role(transaction, ben.user_id, "member")
    assert seen() == (404, 404)
    assert password(ada).put("/projects/1", {"project": {"public": True}}).status == 200
    assert there.get(tickets).status == 200


def test_a_sign_in_during_a_change_of_the_password_ends_with_the_other_sessions(pair, meanwhile):
    ada, elsewhere = pair
    web = WebClient(ada.application, ada.host)
    with meanwhile(sessions, "add") as do:
        new = {"password": {"present": PASSWORD, "new": "a shed full of rope"}}
        later = do(password(elsewhere).put, "/profile/password", new)
        assert web.sign_in(f"ada@{ada.host}", PASSWORD).path == "/"
        assert later.result().status == 200
    assert web.get("/profile").path.startswith("/sign-in")


def test_a_request_repeated_at_the_other_server_is_carried_out_once(pair):
    ada, _ = pair
    path = f"/projects/{ada.post('/projects', {'project': {'name': 'Roof'}}).item['id']}/tickets"
    with ThreadPoolExecutor(4) as pool:
        clients = [client for client, _ in zip(cycle(pair), range(8), strict=False)]
        answers = list(
            pool.map(
                lambda client: client.post(path, {"ticket": {"title": "Leak"}}, **{"Idempotency-Key": "k"}),
                clients,
            )
        )
    assert {answer.status for answer in answers} == {201}
    assert len({answer.body for answer in answers}) == 1
    assert len(ada.get(path).items) == 1


def test_numbers_are_given_once_by_both_together(pair):
    path = f"/projects/{pair[0].post('/projects', {'project': {'name': 'Roof'}}).item['id']}/tickets"
    with ThreadPoolExecutor(4) as pool:
        made = pool.map(
            lambda client: client.post(path, {"ticket": {"title": "Leak"}}).item["number"],
            [client for client, _ in zip(cycle(pair), range(20), strict=False)],
        )
        assert sorted(made) == list(range(1, 21))


def test_a_file_uploaded_to_one_server_is_served_and_deleted_by_the_other(pair):
    ada, elsewhere = pair
    project = ada.post("/projects", {"project": {"name": "Roof"}}).item["id"]
    ticket = f"/projects/{project}/tickets/{open_with_file(ada, project, 'Leak', b'rain' * 1000)}"
    (attached,) = elsewhere.get(ticket).item["attachments"]
    url = attached["url"].removeprefix(f"http://{ada.host}")
    assert elsewhere.raw(f"{url}!").body == b"rain" * 1000
    assert elsewhere.delete(ticket).status == 200
    assert [client.raw(f"{url}!").status for client in pair] == [404, 404]


def test_each_server_counts_requests_for_itself(pair, monkeypatch):
    # Every two seconds one more is let through, and a busy machine may need as long for all of them.
    monkeypatch.setattr(authentication, "_MINUTE", 1e9)
    for client in pair:
        statuses = [client.get("/projects").status for _ in range(A_MINUTE + 1)]
        assert statuses == [200] * A_MINUTE + [429]


def test_servers_that_seal_the_log_at_the_same_time_seal_each_entry_once(servers, pair, meanwhile):
    world, count = pair[0].world, chain.AT_ONCE + 50
    for some in (range(1), range(1, count)):
        # The first one begins the chain, which both lock then.
        chain.seal_new(world.database, [world.account_id])
        with world.write() as transaction:
            for number in some:
                audit.record(Context(transaction), Kind.TOKEN_CREATED, number)
    with meanwhile(audit_store, "seal") as do:
        later = do(chain.seal_new, servers[1].database, [world.account_id])
        first = chain.seal_new(world.database, [world.account_id])
    with world.database.read(world.account_id) as transaction:
        found = chain.verify(transaction, days=1)
        sealed = [int(each.subject_id) for each in audit_store.all_after(transaction, 0)]
    assert (found.problems, found.last) == ([], 1 + first + later.result())
    assert sorted(sealed) == list(range(count))
