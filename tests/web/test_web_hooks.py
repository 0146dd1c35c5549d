"""Settings of hooks of projects and of the account; test_sending tests what they send."""

from ipaddress import ip_network

import pytest

from skerry.errors import Invalid
from skerry.store.sending import deliveries
from skerry.store.sending import hooks as store
from skerry.tracker.sending.hook_addresses import check, may_reach
from skerry.tracker.sending.hooks import FILTERS
from skerry.wire import budget

URL = "https://receiver.example/hook"


@pytest.fixture
def hooks(roof):
    return f"/projects/{roof}/hooks"


@pytest.mark.matrix("both")
def test_a_member_makes_changes_and_removes_a_hook(ben, hooks, roof):
    made = ben.post(hooks, {"hook": {"url": URL, "note": "chat"}})
    assert made.status == 201
    hook = {name: value for name, value in made.item.items() if name != "secret"}
    assert hook["events"] == ["*"]
    assert (hook["format"], hook["active"], hook["project_id"], hook["user_id"]) == (
        "skerry",
        True,
        roof,
        ben.user_id,
    )
    at = f"{hooks}/{hook['id']}"
    assert ben.get(at).item == hook
    assert ben.get(hooks).items == [hook]
    wanted = {"events": ["ticket.updated", "ticket.created"], "query": "state:open", "active": False}
    changed = ben.put(at, {"hook": wanted}).item
    assert {name: changed[name] for name in wanted} == {
        **wanted,
        "events": ["ticket.created", "ticket.updated"],
    }
    assert (ben.delete(at).status, ben.get(at).status) == (200, 404)


def test_the_secret_stands_only_in_the_answers_that_make_it(ada, hooks):
    made = ada.post(hooks, {"hook": {"url": URL}}).item
    at = f"{hooks}/{made['id']}"
    assert made["secret"].startswith("whsec_")
    for answer in (ada.get(at).item, ada.get(hooks).items[0], ada.put(at, {"hook": {"note": "x"}}).item):
        assert "secret" not in answer
    replaced = ada.post(f"{at}/secret").item["secret"]
    assert replaced.startswith("whsec_")
    assert replaced != made["secret"]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"url": ""}, "URL can't be blank"),
        ({"url": "receiver.example"}, "URL must be an address such as https://example.org/hook"),
        ({"url": "ftp://receiver.example/"}, "URL must be an address such as https://example.org/hook"),
        (
            {"url": "https://receiver.example:99999/"},
            "URL must be an address such as https://example.org/hook",
        ),
        ({"url": "http://receiver.example/"}, "URL must begin with https://"),
        ({"url": "https://ada:x@receiver.example/"}, "URL must not contain a user name or password"),
        ({"url": "https://10.0.0.1/"}, "URL must not lead to 10.0.0.1, which is not a public address"),
        ({"events": ["ticket.eaten"]}, "Events must not contain 'ticket.eaten': there is no such event type"),
        (
            {"events": ["token.created"]},
            "Events must not contain 'token.created': there is no such event type",
        ),
        ({"format": "teams"}, "Format must be one of skerry, slack, discord"),
        ({"note": "n" * 256}, "Note is too long (at most 255 characters)"),
    ],
)
def test_invalid_values_are_refused_with_a_sentence(ada, hooks, fields, sentence):
    refused = ada.post(hooks, {"hook": {"url": URL, **fields}})
    assert (refused.status, refused.errors) == (422, [sentence])
    assert ada.get(hooks).items == []


def test_an_error_in_the_query_is_shown_with_its_position(ada, hooks):
    refused = ada.post(hooks, {"hook": {"url": URL, "query": "state:open importance:=>5"}})
    assert refused.status == 422
    assert refused.errors == ["Query: Cannot read '=>5' at 23 as a number"]


@pytest.mark.parametrize("query", ["watched:Me", "state:open or not-responsible:(ben,me)"])
def test_me_means_nobody_in_an_anonymous_query(ada, hooks, query):
    refused = ada.post(hooks, {"hook": {"url": URL, "query": query}})
    at = query.casefold().rindex("me") + 1
    assert refused.errors == [f"Query: A hook belongs to nobody, so name a person instead of 'me' at {at}"]
    assert ada.post(hooks, {"hook": {"url": URL, "query": "me title:me"}}).status == 201


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("state:open updated:today", "The result of 'updated' at 12 changes without an event"),
        ("-updated:2020-01-01", "The result of 'updated' at 1 changes without an event"),
        ("-is:ready", "The result of 'ready' at 5 changes without an event"),
        ("due:today", "The result of 'today' at 5 changes without an event"),
        ("due:(none,overdue)", "The result of 'overdue' at 11 changes without an event"),
        ("created:today", "The result of 'today' at 9 changes without an event"),
        (
            "leak OR created:'since 7 days ago'",
            "The result of 'since 7 days ago' at 17 changes without an event",
        ),
        ("milestone:(spring,Next)", "The result of 'next' at 19 changes without an event"),
        ("leak sort:importance", "Remove the sort at 11; hooks send events in the order they happen"),
    ],
)
def test_what_changes_without_an_event_cannot_be_asked_in_a_query(ada, hooks, query, sentence):
    refused = ada.post(hooks, {"hook": {"url": URL, "query": query}})
    assert (refused.status, refused.errors) == (422, [f"Query: {sentence}"])
    allowed = "created:2020-01-01..2020-02-01 milestone:'spring' sorted"
    assert ada.post(hooks, {"hook": {"url": URL, "query": allowed}}).status == 201


@pytest.mark.matrix("databases")
def test_a_hook_with_values_that_would_be_refused_today_can_still_be_changed(world, ada, hooks):
    at = f"{hooks}/{ada.post(hooks, {'hook': {'url': URL}}).item['id']}"
    with world.write() as transaction:
        old = "UPDATE hooks SET query = 'updated:today', url = 'https://0x7f.1/' WHERE account_id = ?"
        transaction.sql(f"{old} RETURNING 1", [world.account_id])
    assert ada.put(at, {"hook": {"active": False}}).item["active"] is False
    assert ada.put(at, {"hook": {"query": "updated:yesterday"}}).status == 422


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "a.localhost",
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "0.0.0.0",  # noqa: S104 - no server here listens
        "169.254.169.254",
        "100.64.0.1",
        "192.168.0.1",
        "172.16.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "[::1]",
        "[::]",
        "[fe80::1]",
        "[fd00:ec2::254]",
        "[ff02::1]",
        "[::ffff:10.0.0.1]",
        "[::ffff:a9fe:a9fe]",
        "[64:ff9b::a00:1]",
        "[2002:a00:1::]",
        "[::10.0.0.1]",
        "192.88.99.1",
        "[3fff::1]",
        "[fec0::1]",
    ],
)
def test_an_address_that_is_clearly_not_public_is_refused(ada, hooks, host):
    refused = ada.post(hooks, {"hook": {"url": f"https://{host}/hook"}})
    assert refused.status == 422
    assert "not a public address" in refused.errors[0]


@pytest.mark.parametrize(
    "host",
    [
        *("[v1.x]", "[vf.127.0.0.1]", "[fe80::1%25eth0]", "[::ffff:0177.0.0.1]"),
        *(
            "%31%32%37.0.0.1",
            "1.2.3.4.5",
            "256.1.1.1",
            "example.0x",
            "receiver.example.",
            "a..b",
            "08.1.1.1.",
        ),
        *("-a.example", "a_.example\u3002", "１２７.0.0.1", ".", "", "08.1.1.1."),
    ],
)
def test_a_host_that_no_client_can_reach_is_refused(ada, hooks, host):
    refused = ada.post(hooks, {"hook": {"url": f"https://{host}/hook"}})
    assert refused.errors == ["URL must be an address such as https://example.org/hook"]


@pytest.mark.parametrize("host", ["0177.0.0.1", "0x7f.1", "127.1", "2130706433", "127.0.0.1.", "0x8080808"])
def test_an_old_form_of_an_address_is_refused_even_in_an_allowed_network(host):
    with pytest.raises(Invalid, match=r"URL must write .* as [0-9.]+$"):
        check(f"https://{host}/hook", (ip_network("0.0.0.0/0"),))


# The special-purpose address registries of IANA, and what providers use inside.
NOT_PUBLIC = """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/29 192.0.0.8/32
    192.0.0.170/32 192.0.0.171/32 192.0.0.192/32 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15
    198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 255.255.255.255/32 168.63.129.16/32
    169.254.169.254/32 ::/128 ::1/128 ::7f00:1/128 ::ffff:127.0.0.1/128 ::ffff:168.63.129.16/128
    64:ff9b::7f00:1/128 64:ff9b::a83f:8110/128 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/32 2001:2::/48
    2001:10::/28 2001:db8::/32 2002::/16 2002:7f00:1::/48 3fff::/20 5f00::/16 fc00::/7 fd00:ec2::254/128
    fe80::/10 fec0::/10 ff00::/8 4000::/2 8000::/1
"""
PUBLIC = """
    1.1.1.1/32 93.184.215.14/32 100.63.255.255/32 100.128.0.0/32 172.32.0.0/32 192.0.0.9/32 192.0.0.10/32
    192.31.196.0/24 192.52.193.0/24 192.175.48.0/24 198.20.0.0/32 223.255.255.255/32 168.63.129.17/32
    ::ffff:1.1.1.1/128 64:ff9b::101:101/128 2001:1::1/128 2001:1::2/128 2001:3::/32 2001:4:112::/48
    2001:20::/28 2001:30::/28 2001:200::/32 2606:4700:4700::1111/128 2620:4f:8000::/48 2a00::/16
"""


@pytest.mark.parametrize(
    ("network", "is_public"),
    [*((each, False) for each in NOT_PUBLIC.split()), *((each, True) for each in PUBLIC.split())],
)
def test_special_addresses_are_known_whatever_python_knows(network, is_public):
    network = ip_network(network)
    for address in (network[0], network[-1], network[network.num_addresses // 2]):
        assert may_reach(address, ()) is is_public, address


def test_a_project_has_a_limited_number_of_hooks(ada, hooks, monkeypatch):
    monkeypatch.setattr("skerry.tracker.sending.hooks.MAX", 1)
    assert ada.post(hooks, {"hook": {"url": URL}}).status == 201
    refused = ada.post(hooks, {"hook": {"url": URL}})
    assert (refused.status, len(ada.get(hooks).items)) == (409, 1)


@pytest.mark.matrix("both")
def test_hooks_of_the_account_are_apart_from_those_of_projects(ada, hooks):
    made = ada.post("/hooks", {"hook": {"url": URL}})
    assert (made.status, made.item["project_id"]) == (201, None)
    ada.post(hooks, {"hook": {"url": URL}})
    assert [hook["id"] for hook in ada.get("/hooks").items] == [made.item["id"]]
    assert ada.get(f"{hooks}/{made.item['id']}").status == 404
    assert ada.put(f"/hooks/{made.item['id']}", {"hook": {"active": False}}).item["active"] is False


@pytest.mark.matrix("both")
def test_a_hook_that_was_changed_meanwhile_is_not_changed(ada, hooks):
    at = f"{hooks}/{ada.post(hooks, {'hook': {'url': URL}}).item['id']}"
    seen = ada.get(at).headers["etag"]
    assert ada.put(at, {"hook": {"note": "one"}}, **{"If-Match": seen}).status == 200
    assert ada.put(at, {"hook": {"note": "two"}}, **{"If-Match": seen}).status == 412


def test_a_test_is_queued_as_a_delivery(ada, hooks):
    at = f"{hooks}/{ada.post(hooks, {'hook': {'url': URL}}).item['id']}"
    pinged = ada.post(f"{at}/ping")
    assert (pinged.status, pinged.item["event_type"], pinged.item["state"]) == (201, "ping", "waiting")
    assert ada.get(f"{at}/deliveries").items == [pinged.item]
    assert ada.get(f"{at}/deliveries/{pinged.item['id']}").item == pinged.item


@pytest.mark.matrix("formats")
def test_a_whole_list_of_deliveries_fits_the_budget(world, ada, hooks):
    hook = ada.post(hooks, {"hook": {"url": URL}}).item["id"]
    page = "<p>&quot;Bad gateway&quot;</p>\n" * 130
    with world.database.write(world.account_id) as transaction:
        texts = {"request": f"POST /hook HTTP/1.1\n\n{page}", "answer": page}
        made = deliveries.new(transaction, 0, hook, event_type="ping", **texts)
        deliveries.add(transaction, [{**made, "message_id": f"ping_{number}"} for number in range(1_000)])
    answer = ada.get(f"{hooks}/{hook}/deliveries")
    assert (len(answer.items), len(answer.body) <= budget.MAX) == (1_000, True)
    assert answer.items[0]["answer"].startswith("<p>")
    assert answer.headers["x-texts-shortened"] == "true"
    assert ada.get(f"{hooks}/{hook}/deliveries?limit=1").items[0]["answer"] == page


@pytest.mark.matrix("both")
def test_what_failed_is_asked_for_again_one_by_one_or_since_a_moment(ada, hooks):
    at = f"{hooks}/{ada.post(hooks, {'hook': {'url': URL}}).item['id']}"
    delivery = ada.post(f"{at}/ping").item
    assert ada.post(f"{at}/deliveries/{delivery['id']}/redeliver").item["state"] == "waiting"
    assert ada.post(f"{at}/redeliver", {"redelivery": {"since": "2026-01-01T00:00:00Z"}}).item["count"] == 0
    assert ada.post(f"{at}/redeliver", {"since": "2026-01-01T00:00:00Z"}).item["count"] == 0
    assert ada.post(f"{at}/redeliver", {"redelivery": {}}).status == 422


def test_an_event_about_a_hook_does_not_tell_its_address(world, ada, hooks):
    at = f"{hooks}/{ada.post(hooks, {'hook': {'url': URL}}).item['id']}"
    ada.put(at, {"hook": {"url": f"{URL}/2", "note": "new"}})
    with world.database.read(world.account_id) as transaction:
        rows = transaction.sql(
            "SELECT changes FROM events WHERE account_id = ? AND type = ?", [world.account_id, "hook.updated"]
        )
    assert rows == [('{"note": ["", "new"], "url": null}',)]


SECRET = "https://chat.example:8443/services/T0123/B4567/s3cr3ts3cr3t?key=abcd"
MASKED = "https://chat.example:8443/…abcd"


@pytest.mark.matrix("formats")
def test_the_whole_address_stands_only_in_answers_to_those_who_set_it(ada, hooks):
    made = ada.post(hooks, {"hook": {"url": SECRET}}).item
    at = f"{hooks}/{made['id']}"
    assert made["url"] == SECRET
    assert ada.get(at).item["url"] == ada.get(hooks).items[0]["url"] == MASKED
    assert ada.post(f"{at}/secret").item["url"] == MASKED
    assert ada.put(at, {"hook": {"note": "x"}}).item["url"] == MASKED
    assert ada.put(at, {"hook": {"url": f"{SECRET}e"}}).item["url"] == f"{SECRET}e"


def test_an_address_that_is_sent_back_as_it_was_shown_stays(world, ada, roof, hooks):
    at = f"{hooks}/{ada.post(hooks, {'hook': {'url': SECRET}}).item['id']}"
    shown = ada.get(at)
    assert (
        ada.put(at, {"hook": {**shown.item, "note": "x"}}, **{"If-Match": shown.headers["etag"]}).status
        == 200
    )
    with world.database.read(world.account_id) as transaction:
        assert store.ROWS.one(transaction, roof, shown.item["id"]).url == SECRET
    assert ada.put(at, {"hook": {"url": MASKED.replace("chat", "talk")}}).status == 422


def test_an_address_without_a_secret_is_shown_whole(ada, hooks):
    for url in ("https://chat.example", "https://chat.example/", "https://chat.example/hook"):
        assert ada.get(f"{hooks}/{ada.post(hooks, {'hook': {'url': url}}).item['id']}").item["url"] == url


def test_hooks_of_projects_are_offered_types_of_projects_only(ada, in_person, hooks):
    for kind in ("account.updated", "person.added", "invitation.created", "project.deleted", "feed.created"):
        refused = ada.post(hooks, {"hook": {"url": URL, "events": [kind]}})
        assert refused.errors == [f"Events must not contain {kind!r}: there is no such event type"]
    assert in_person.post("/hooks", {"hook": {"url": URL, "events": ["person.added"]}}).status == 201
    assert in_person.post("/hooks", {"hook": {"url": URL, "events": ["feed.created"]}}).status == 422
    assert ada.post(hooks, {"hook": {"url": URL, "events": [*FILTERS, "bulk_edit.done"]}}).status == 201
