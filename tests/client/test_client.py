"""The client of programs against the server, and against servers that fail."""

from itertools import islice

import httpx
import pytest

from skerry.client import (
    AsyncClient,
    Bin,
    BulkEdit,
    Client,
    ClientError,
    Event,
    Milestone,
    Profile,
    Project,
    Ticket,
)
from skerry.client.exchange import EventReader
from skerry.client.records import Version
from skerry.resources import bins, bulk_edits, events, milestones, projects, tickets
from tests.support import loops

DECLARED = {
    Bin: bins.TicketBin,
    BulkEdit: bulk_edits.BulkEdit,
    Event: events.Event,
    Milestone: milestones.Milestone,
    Project: projects.Project,
    Ticket: tickets.Ticket,
    Version: tickets.Version,
}
OWN = {"raw", "etag", "cursor", "id", "created_at", "updated_at", "url"}

MADE = httpx.Response(201, json={"ticket": {"number": 5}})
BUSY = httpx.Response(503, headers={"Retry-After": "1"}, json={"errors": ["Too busy"]})


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _seconds: None)


def answering(*answers, **options):
    """Return a client of a server that gives these answers, one after the other, and what it was sent."""
    sent, left = [], list(answers)

    def answer(request):
        sent.append(request)
        given = left.pop(0)
        if isinstance(given, Exception):
            raise given
        return given

    options = {"url": "http://old.example", "token": "T", "project": 3, **options}
    return Client(transport=httpx.MockTransport(answer), **options), sent


def listed(kind, *items):
    """Return the answer with a list, beside which may stand how many pages it has."""
    return httpx.Response(200, json={f"{kind}s": [{kind: item} for item in items], "total_pages": 2})


def test_a_ticket_is_made_read_changed_and_found(client):
    made = client.create(Ticket, {"title": "It leaks", "tag": "rain"})
    read = client.get(Ticket, made.number)
    client.update(Ticket, made.number, {"body": "Sealed.", "state": "resolved"}, if_match=read.etag)
    (found,) = client.list(Ticket, q="tagged:rain")
    again = client.get(Ticket, found.number)
    assert (found.title, found.state, found.closed) == ("It leaks", "resolved", True)
    assert [version.body for version in again.versions] == ["", "Sealed."]
    assert again.raw["versions"][1]["diffable_attributes"] == {"state": "new"}


def test_a_change_of_what_has_changed_is_refused_with_the_sentence_of_the_server(client):
    made = client.create(Ticket, {"title": "It leaks"})
    read = client.get(Ticket, made.number)
    client.update(Ticket, made.number, {"body": "First"})
    with pytest.raises(ClientError, match="This has changed since you read it") as refused:
        client.update(Ticket, made.number, {"body": "Second"}, if_match=read.etag)
    assert refused.value.status == 412


def test_all_pages_of_a_list_are_read(client):
    for number in range(7):
        client.create(Ticket, {"title": f"Tile {number}"})
    assert len({ticket.number for ticket in client.list(Ticket, limit=3)}) == 7


def test_a_project_is_known_by_its_name_and_the_only_one_needs_none():
    roof, wall = {"id": 3, "name": "Roof"}, {"id": 4, "name": "Wall"}
    both, one, none = (listed("project", *found) for found in ((roof, wall), (roof,), ()))
    for answer, name, expected in ((both, "wall", 4), (one, None, 3)):
        assert answering(answer, project=name)[0].project_id() == expected
    for answer, name, sentence in (
        (both, "cellar", "There is no project cellar"),
        (both, "²", "There is no project ²"),
        (both, None, "Say which project: Roof, Wall"),
        (none, None, "There is no project"),
    ):
        with pytest.raises(ClientError, match=sentence):
            answering(answer, project=name)[0].project_id()


def test_places_come_from_the_environment(monkeypatch, server, roof):
    monkeypatch.setenv("SKERRY_URL", server.address)
    monkeypatch.setenv("SKERRY_TOKEN", server.people["ben"].headers["X-ServiceToken"])
    monkeypatch.setenv("SKERRY_PROJECT", str(roof))
    with Client() as client:
        assert (client.get(Profile).name, client.create(Ticket, {"title": "Wet"}).project_id) == ("Ben", roof)


def test_the_token_of_the_environment_goes_to_the_server_of_the_environment_alone(monkeypatch, server):
    monkeypatch.setenv("SKERRY_URL", "https://tracker.example/")
    monkeypatch.setenv("SKERRY_TOKEN", server.people["ben"].headers["X-ServiceToken"])
    with Client(server.address) as client, pytest.raises(ClientError) as refused:
        client.get(Profile)
    assert refused.value.status == 401
    monkeypatch.setenv("SKERRY_URL", f"{server.address}/")
    with Client(server.address) as client:
        assert client.get(Profile).name == "Ben"


def test_without_an_address_the_client_says_what_is_missing(monkeypatch):
    monkeypatch.delenv("SKERRY_URL", raising=False)
    with pytest.raises(ClientError, match="the address of the server"):
        Client()


def test_a_bulk_edit_is_tried_before_it_is_made(client):
    made = client.create(Ticket, {"title": "It leaks", "tag": "rain"})
    edit = {"query": "tagged:rain", "command": "state:resolved"}
    tried = client.create(BulkEdit, {**edit, "dry_run": True})
    assert (tried.id, tried.numbers, client.get(Ticket, made.number).state) == (None, [made.number], "new")
    assert client.create(BulkEdit, edit).id
    assert client.get(Ticket, made.number).state == "resolved"


def test_what_the_records_declare_is_what_the_server_declares():
    for record, declared in DECLARED.items():
        assert {*record.__struct_fields__} - OWN <= {*declared.__struct_fields__}, record


@pytest.mark.parametrize("outcome", [BUSY, httpx.ConnectError("refused"), httpx.ReadError("cut")])
def test_a_change_is_sent_again_with_the_same_key(outcome):
    client, sent = answering(outcome, outcome, MADE)
    assert client.create(Ticket, {"title": "Once"}).number == 5
    keys = {request.headers["Idempotency-Key"] for request in sent}
    assert (len(sent), len(keys)) == (3, 1)


def test_the_server_says_how_long_to_wait(monkeypatch):
    waits = []
    monkeypatch.setattr("time.sleep", waits.append)
    told = httpx.Response(429, headers={"Retry-After": "7"})
    answering(told, MADE)[0].create(Ticket, {"title": "Once"})
    assert 7 in waits


def test_a_request_is_not_sent_for_ever():
    client, sent = answering(*[httpx.ConnectError("[Errno 111] Connection refused")] * 9)
    with pytest.raises(ClientError) as failed:
        client.get(Profile)
    assert str(failed.value) == "http://old.example/ cannot be reached: Connection refused"
    assert (failed.value.status, len(sent)) == (0, 4)


def test_each_wait_is_twice_as_long_as_the_one_before(monkeypatch):
    waits = []
    monkeypatch.setattr("time.sleep", waits.append)
    failing = httpx.ConnectError("refused")
    answering(failing, failing, failing, MADE)[0].create(Ticket, {"title": "Once"})
    assert waits == [0.0, 0.25, 0.5, 1.0]


def test_a_stream_that_is_cut_again_and_again_waits_longer_up_to_a_limit():
    reader = EventReader("now")
    assert [reader.cut() for _ in range(7)] == [0.25, 0.75, 1.75, 3.75, 7.75, 15.0, 15.0]


def test_a_long_wait_is_left_to_the_caller():
    client, sent = answering(httpx.Response(429, headers={"Retry-After": "3600"}, json={"errors": ["Later"]}))
    with pytest.raises(ClientError, match="Later"):
        client.get(Profile)
    assert len(sent) == 1


def test_without_keys_no_change_is_sent_again_that_may_have_arrived():
    client, sent = answering(httpx.ReadError("cut"), repeats=False)
    with pytest.raises(ClientError):
        client.create(Ticket, {"title": "Once"})
    assert len(sent) == 1
    assert "Idempotency-Key" not in sent[0].headers


def test_a_deletion_that_may_have_arrived_is_not_sent_again():
    client, sent = answering(httpx.ReadError("cut"))
    with pytest.raises(ClientError):
        client.delete(Ticket, 1)
    assert len(sent) == 1


def test_a_server_that_says_nothing_of_pages_is_asked_until_nothing_new_comes():
    pages = [
        httpx.Response(200, json={"milestones": page, "total_pages": 2})
        for page in ([{"id": 1}], [{"id": 2}])
    ]
    client, sent = answering(*pages, pages[-1])
    assert [milestone.id for milestone in client.list(Milestone)] == [1, 2]
    assert len(sent) == 3


@pytest.mark.parametrize("place", ["https://old.example", "http://old.example:81", "http://other.example"])
def test_the_token_goes_to_no_other_server(place):
    client, sent = answering(httpx.Response(301, headers={"Location": f"{place}/projects/3/tickets/1.json"}))
    with pytest.raises(ClientError, match=f"refers to {place}/"):
        client.get(Ticket, 1)
    assert len(sent) == 1


def test_a_change_that_is_redirected_is_not_sent_as_a_reading():
    client, sent = answering(httpx.Response(303, headers={"Location": "http://old.example/tickets/1.json"}))
    with pytest.raises(ClientError, match="refers to"):
        client.create(Ticket, {"title": "Once"})
    assert len(sent) == 1


def test_a_moved_ticket_is_found_at_its_former_address(client, server, ada):
    cellar = ada.post("/projects", {"project": {"name": "Cellar"}}).item["id"]
    number = client.create(Ticket, {"title": "It leaks"}).number
    client.create(BulkEdit, {"query": f"number:{number}", "command": f"project:{cellar}"})
    assert client.get(Ticket, number).project_id == cellar
    assert client.update(Ticket, number, {"state": "open"}).state == "open"


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (httpx.Response(500, html="<h1>Bad</h1>"), "The server answered 500 Internal Server Error"),
        (httpx.Response(422, json={"errors": ["Title can't be blank", "So"]}), "Title can't be blank; So"),
        (httpx.Response(200, html="<h1>Hello</h1>"), "The server did not answer in JSON"),
        (
            httpx.Response(200, json={"ticket": {"number": "x"}}),
            "sent something else than a Ticket",
        ),
        (httpx.Response(200, json=["odd"]), "sent something else than a Ticket"),
    ],
)
def test_an_odd_answer_is_one_sentence(answer, sentence):
    with pytest.raises(ClientError, match=sentence):
        answering(answer)[0].get(Ticket, 1)


def test_events_come_as_they_happen(client, server, ada, roof):
    events = client.events(after="now")
    first = client.request("GET", f"/projects/{roof}/events", params={"after": "now"})
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Wet"}})
    happened = next(client.events(after=first.headers["X-Last-Event-Id"]))
    assert (happened.type, happened.subject_id, happened.user_name) == ("ticket.created", 1, "Ada")
    events.close()


@pytest.mark.parametrize(
    ("own", "asked", "path"),
    [
        (None, 4, "/projects/4/events.json"),
        (3, None, "/projects/3/events.json"),
        (None, None, "/events.json"),
    ],
)
def test_events_are_those_of_a_project_where_one_is_named(own, asked, path):
    client, sent = answering(httpx.Response(200, json={"events": []}), project=own)
    assert [*client.events(follow=False, project=asked)] == []
    assert [request.url.path for request in sent] == [path]


class Cut(httpx.SyncByteStream):
    """A stream that breaks after some bytes."""

    def __init__(self, text):
        self.text = text

    def __iter__(self):
        yield self.text.encode()
        raise httpx.ReadError("cut")


def streamed(text):
    return httpx.Response(200, headers={"Content-Type": "text/event-stream"}, stream=Cut(text))


def test_events_go_on_after_a_cut_without_a_gap_and_without_repeats():
    one, two = (
        f'id: {n}\ndata: {{"event": {{"number": {n}, "type": "ticket.created"}}}}\n\n' for n in (8, 9)
    )
    client, sent = answering(
        httpx.Response(200, headers={"X-Last-Event-Id": "7"}, json={"events": []}),
        streamed(f": 7\n\n{one}id: 9\ndata: {{"),
        httpx.ConnectError("refused"),
        httpx.Response(503),
        streamed(two),
        httpx.Response(401, json={"errors": ["The token is not valid here"]}),
    )
    events = client.events()
    assert [event.raw["number"] for event in islice(events, 2)] == [8, 9]
    with pytest.raises(ClientError, match="The token is not valid here"):
        next(events)
    assert [request.url.params["after"] for request in sent] == ["now", "7", "8", "8", "8", "9"]


class AwaitedCut(httpx.AsyncByteStream):
    """The same stream for asyncio."""

    async def __aiter__(self):
        yield b'id: 8\ndata: {"event": {"number": 8}}\n\n'
        raise httpx.ReadError("cut")


def test_events_go_on_after_a_cut_in_asyncio(monkeypatch):
    monkeypatch.setattr("skerry.client.exchange.EventReader.cut", lambda _reader: 0)
    answers = [
        httpx.Response(200, headers={"X-Last-Event-Id": "7"}, json={"events": []}),
        httpx.Response(200, stream=AwaitedCut()),
        httpx.Response(503),
        httpx.Response(200, stream=AwaitedCut()),
        httpx.Response(401, json={"errors": ["The token is not valid here"]}),
    ]
    transport = httpx.MockTransport(lambda _request: answers.pop(0))

    async def work():
        async with AsyncClient("http://old.example", "T", transport=transport) as client:
            events = client.events()
            seen = [(await anext(events)).raw["number"] for _ in "12"]
            with pytest.raises(ClientError, match="The token is not valid here"):
                await anext(events)
            return seen

    assert loops.run(work()) == [8, 8]


def test_the_same_methods_are_awaited_in_asyncio(server, ada, roof):
    async def work():
        token = ada.headers["X-ServiceToken"]
        async with AsyncClient(server.address, token, roof) as client:
            made = await client.create(Ticket, {"title": "It leaks"})
            changed = await client.update(Ticket, made.number, {"state": "open"})
            found = [ticket.number async for ticket in client.list(Ticket, q="leaks")]
            seen = await anext(client.events(after="0"))
            await client.delete(Ticket, made.number)
            with pytest.raises(ClientError) as gone:
                await client.get(Ticket, made.number)
            return changed.state, found, seen.type, gone.value.status

    assert loops.run(work()) == ("open", [1], "project.created", 404)
