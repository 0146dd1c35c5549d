"""The original dialect: four quirks for old tools, and nothing else, over HTTP."""

import io
from json import loads

import pytest

from skerry import app
from skerry.settings import Settings
from skerry.store import schema
from skerry.web.log import Log
from tests.conftest import build_world

pytestmark = pytest.mark.matrix("formats")

TICKET = {"ticket": {"title": "Leak", "body": "It drips"}}


@pytest.fixture(scope="module")
def original_instance(tmp_path_factory):
    log = io.StringIO()
    folder = tmp_path_factory.mktemp("original")
    instance = app.build(Settings(data=folder, dialect="original"), Log(stream=log))
    schema.migrate(instance.database)
    yield instance, log
    instance.database.close()


@pytest.fixture
def instance_and_log(original_instance):
    return original_instance


@pytest.fixture
def as_xml(world):
    return build_world(world.instance, world.log, "xml").people["ada"]


@pytest.fixture
def as_json(world):
    return build_world(world.instance, world.log, "json").people["ada"]


def test_an_empty_xml_list_is_called_nil_classes_whatever_it_would_hold(as_xml):
    assert as_xml.get("/projects").body.endswith(b'?><nil-classes type="array"/>')
    roof = as_xml.post("/projects", {"project": {"name": "Roof"}}).item["id"]
    for path in (f"/projects/{roof}/tickets", f"/projects/{roof}/tickets?page=9", "/tickets"):
        assert as_xml.get(path).body.endswith(b'?><nil-classes type="array"/>')


def test_an_empty_json_list_keeps_its_name(as_json):
    assert as_json.get("/projects").body == b'{"projects":[]}'


def test_a_json_422_is_an_array_of_pairs(as_json):
    answer = as_json.post("/projects", {"project": {"name": ""}})
    assert (answer.status, answer.body) == (422, b'[["name","can\'t be blank"]]')


def test_a_json_422_names_existing_fields_or_else_base(as_json):
    roof = as_json.post("/projects", {"project": {"name": "Roof"}}).item["id"]
    tickets = f"/projects/{roof}/tickets"
    nobody = as_json.post(tickets, {"ticket": {"title": "Leak", "multiple_watchers": "77"}})
    assert loads(nobody.body) == [["multiple_watchers", "cannot be people who cannot see this project: 77"]]
    unclosed = as_json.get(f"{tickets}?q=state:(a")
    assert loads(unclosed.body) == [["base", "The bracket opened at 7 is not closed"]]
    nowhere = as_json.post(f"/projects/{roof}/bulk_edit", {"query": "all", "command": "state:nix"})
    assert loads(nowhere.body) == [["base", "There is no state 'nix'"]]


@pytest.mark.parametrize("command", ["responsible:nobody", "milestone:next"])
def test_brackets_without_a_name_are_not_fields(as_json, command):
    roof = as_json.post("/projects", {"project": {"name": "Roof"}}).item["id"]
    refused = as_json.post(f"/projects/{roof}/bulk_edit", {"query": "all", "command": command})
    assert [field for field, _ in loads(refused.body)] == ["base"]
    short = as_json.get(f"/projects/{roof}/tickets?q=a*")
    assert [field for field, _ in loads(short.body)] == ["base"]


def test_other_errors_and_xml_errors_are_as_ever(as_json, as_xml):
    assert as_json.get("/projects/99").errors == ["There is no such project"]
    assert as_xml.post("/projects", {"project": {"name": ""}}).errors == ["Name can't be blank"]


def test_lists_of_tickets_carry_the_body_as_first_written(ada, roof):
    tickets = f"/projects/{roof}/tickets"
    ada.post(tickets, TICKET)
    ada.post(tickets, {"ticket": {"title": "Other", "body": "Wet"}})
    ada.put(f"{tickets}/1/versions/1", {"version": {"body": "It pours"}})
    for path in (tickets, "/tickets"):
        shown = {item["number"]: item for item in ada.get(path).items}
        assert (shown[1]["original_body"], shown[1]["latest_body"]) == ("It drips", "It drips")
        assert (shown[2]["original_body"], shown[2]["latest_body"]) == ("Wet", "Wet")
        assert shown[1]["body"] == "It pours"


def test_a_bulk_edit_is_answered_as_any_other_change(ada, roof):
    ada.post(f"/projects/{roof}/tickets", TICKET)
    path = f"/projects/{roof}/bulk_edit"
    resolved = {"bulk_edit": {"query": "all", "command": "state:resolved"}}
    for key in ("one", "one", "two"):
        answer = ada.post(path, resolved, Idempotency_Key=key)
        assert (answer.status, answer.item["count"]) == (200, 1)
    assert ada.get(f"/projects/{roof}/tickets/1").item["version"] == 3


def test_everything_else_is_the_same_in_both_dialects(ada, roof):
    answer = ada.post(f"/projects/{roof}/tickets", TICKET)
    assert (answer.status, "original_body" in answer.item) == (201, False)
    shown = ada.get(f"/projects/{roof}/tickets/1")
    assert (shown.item["original_body"], shown.item["state"]) == ("It drips", "new")
    etag = shown.headers["etag"]
    assert ada.put(f"/projects/{roof}/tickets/1", TICKET, If_Match=etag).status == 200
    assert ada.put(f"/projects/{roof}/tickets/1", TICKET, If_Match=etag).status == 412


def test_a_change_may_depend_on_the_list_that_was_seen(ada, roof):
    tickets = f"/projects/{roof}/tickets"
    ada.post(tickets, TICKET)
    seen = ada.get(tickets).headers["etag"]
    assert ada.post(tickets, TICKET, If_Match=seen).status == 201
    assert ada.post(tickets, TICKET, If_Match=seen).status == 412
