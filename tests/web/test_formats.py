"""Formats and methods over HTTP: what chooses them, and what does not."""

import pytest

from skerry.web.requests.parameters import id_in
from tests.support.client import call, parse

pytestmark = pytest.mark.matrix("formats")

IN_JSON = pytest.mark.matrix("json")
IN_XML = pytest.mark.matrix("xml")

OTHER = {"xml": "json", "json": "xml"}
TICKET = {"ticket": {"title": "Leak"}}


def kind(answer):
    return answer.headers["content-type"].partition(";")[0]


# --- The answer's format ---------------------------------------------------------------------------


def test_the_extension_chooses_the_format_of_the_answer(ada, roof):
    answer = ada.get(f"/projects/{roof}")
    assert answer.headers["content-type"] == f"application/{ada.format}; charset=utf-8"
    assert parse(answer.body)["project"]["id"] == roof


def test_the_extension_wins_over_accept_and_content_type(ada, roof):
    other = f"application/{OTHER[ada.format]}"
    answer = ada.get(f"/projects/{roof}", Accept=other, Content_Type=other)
    assert kind(answer) == f"application/{ada.format}"


def test_the_body_may_be_in_the_other_format_than_the_answer(ada, roof):
    path = f"/projects/{roof}/tickets.{OTHER[ada.format]}"
    answer = ada.post(path, {"ticket": {"title": "Leak"}})
    assert answer.status == 201
    assert kind(answer) == f"application/{OTHER[ada.format]}"
    assert answer.headers["location"].endswith(f"/tickets/1.{OTHER[ada.format]}")


def test_the_extension_may_be_in_capitals(ada, roof):
    answer = ada.get(f"/projects/{roof}.{ada.format.upper()}")
    assert (answer.status, kind(answer)) == (200, f"application/{ada.format}")


def test_without_extension_accept_makes_it_a_call_in_that_format(ada, roof):
    answer = ada.get(f"/projects/{roof}!", Accept=f"application/{ada.format}")
    assert (answer.status, kind(answer)) == (200, f"application/{ada.format}")


def test_without_extension_content_type_makes_it_a_call_in_that_format(ada, roof):
    answer = ada.get(f"/projects/{roof}!", Content_Type=f"application/{ada.format}")
    assert (answer.status, kind(answer)) == (200, f"application/{ada.format}")
    answer = ada.post(f"/projects/{roof}/tickets!", TICKET, Accept="*/*")
    assert (answer.status, kind(answer)) == (201, f"application/{ada.format}")


def test_a_header_with_an_underscore_is_ignored(ada, roof):
    sent = {"Content-Type": f"application/{ada.format}", "Content_Type": f"application/{OTHER[ada.format]}"}
    headers = {"Host": ada.host, **ada.headers, **sent}
    answer = call(ada.application, "GET", f"/projects/{roof}", headers=headers)
    assert (answer.status, kind(answer)) == (200, f"application/{ada.format}")


@IN_JSON
@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("application/xml", "application/xml"),
        ("text/xml;q=0.9, application/json;q=0.1", "application/xml"),
        ("application/json;q=0.9, application/xml;q=0.5, */*;q=0.1", "application/json"),
        ("application/json;q=0, application/xml", "application/xml"),
        ("application/xml;q=nonsense, application/json", "application/json"),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"),
        ("*/*", "application/json"),
        (",;,;q=", "application/json"),
    ],
)
def test_the_best_liked_format_of_accept_is_given(ada, roof, accept, expected):
    assert kind(ada.get(f"/projects/{roof}!", Accept=accept)) == expected


@IN_JSON
def test_a_browser_gets_errors_as_pages(ada, nobody):
    for client, path, status in ((ada, "/projects/999!", 404), (nobody, "/nowhere!", 404)):
        answer = client.get(path, Accept="text/html")
        assert answer.status == status
        assert kind(answer) == "text/html"
        assert b"<html" in answer.body


@IN_JSON
def test_the_root_is_a_page(nobody):
    answer = nobody.get("/!")
    assert (answer.status, kind(answer)) == (200, "text/html")


@pytest.mark.parametrize("extension", ["yaml", "html", "rss", "jsonp", "x", "X123"])
def test_an_unknown_extension_is_406(ada, roof, extension):
    for path in ("/projects", f"/projects/{roof}", f"/projects/{roof}/tickets"):
        assert ada.get(f"{path}.{extension}").status == 406


def test_an_unknown_extension_is_said_in_a_format_that_the_caller_named(ada, roof):
    answer = ada.get(f"/projects/{roof}.yaml", Accept=f"application/{ada.format}")
    assert (answer.status, kind(answer)) == (406, f"application/{ada.format}")
    assert answer.errors == ["The formats are .xml and .json"]


def test_an_extension_without_a_name_is_404_in_its_format(ada, roof):
    for path in ("", f"/projects/{roof}", f"/projects/{roof}/tickets", f"/projects/{roof}/changesets"):
        answer = ada.get(f"{path}/.{ada.format}", Accept="text/html")
        assert (answer.status, kind(answer)) == (404, f"application/{ada.format}"), path


def test_an_address_that_does_not_exist_is_said_in_the_callers_format(ada):
    answer = ada.get("/lighthouses/1")
    assert (answer.status, kind(answer)) == (404, f"application/{ada.format}")
    assert answer.errors == ["Nothing exists at this address"]


def test_a_slash_at_the_end_of_an_address_does_not_matter(ada, roof):
    assert ada.get(f"/projects/{roof}/!", Accept="application/json").status == 200


# --- How the two formats are written ---------------------------------------------------------------


@IN_XML
def test_xml_has_hyphens_types_nil_and_a_declaration(ada, roof):
    ada.post(f"/projects/{roof}/tickets", TICKET)
    body = ada.get(f"/projects/{roof}/tickets/1").body.decode()
    assert body.startswith('<?xml version="1.0" encoding="UTF-8"?>')
    assert '<milestone-id type="integer" nil="true"/>' in body
    assert f'<project-id type="integer">{roof}</project-id>' in body
    assert '<closed type="boolean">false</closed>' in body
    assert '<created-at type="datetime">2' in body
    assert '<tag nil="true"/>' in body
    assert "<body/>" in body
    assert f"<watchers-ids>[{ada.user_id}]</watchers-ids>" in body


@IN_XML
def test_xml_lists_carry_their_type_and_versions_theirs(ada, roof):
    ada.post(f"/projects/{roof}/tickets", TICKET)
    ada.put(f"/projects/{roof}/tickets/1", {"ticket": {"state": "hold"}})
    listed = ada.get(f"/projects/{roof}/tickets").body.decode()
    assert '<tickets type="array"><ticket>' in listed
    shown = ada.get(f"/projects/{roof}/tickets/1").body.decode()
    assert '<versions type="array"><version type="Ticket::Version">' in shown
    assert "<diffable-attributes><state>new</state></diffable-attributes>" in shown
    assert shown.count(f"<watchers-ids>[{ada.user_id}]</watchers-ids>") == 3
    assert 'type="yaml"' not in shown


@IN_XML
def test_an_empty_xml_list_keeps_its_name_and_an_empty_list_inside_is_left_out(ada, roof):
    assert ada.get(f"/projects/{roof}/tickets").body.endswith(b'?><tickets type="array"/>')
    ada.post(f"/projects/{roof}/tickets", TICKET)
    assert b"<attachments " not in ada.get(f"/projects/{roof}/tickets/1").body


@IN_JSON
def test_an_empty_json_list_keeps_its_name_and_an_empty_list_inside_is_shown(ada, roof):
    assert ada.get(f"/projects/{roof}/tickets").body == b'{"tickets":[]}'
    ada.post(f"/projects/{roof}/tickets", TICKET)
    assert b'"attachments":[]' in ada.get(f"/projects/{roof}/tickets/1").body


@IN_JSON
def test_json_wraps_each_item_of_a_list_and_shows_versions_bare(ada, roof):
    ada.post(f"/projects/{roof}/tickets", TICKET)
    listed = ada.get(f"/projects/{roof}/tickets").body
    assert listed.startswith(b'{"tickets":[{"ticket":{')
    assert listed.endswith(b"}}]}")
    shown = ada.get(f"/projects/{roof}/tickets/1").body
    assert b'"versions":[{"assigned_user_id":' in shown


@IN_JSON
def test_json_numbers_booleans_and_lists_are_strictly_typed(ada, roof):
    ticket = ada.post(f"/projects/{roof}/tickets", TICKET).item
    assert ticket["assigned_user_id"] is None
    assert ticket["closed"] is False
    assert ticket["watchers_ids"] == [ada.user_id]
    for name in ("number", "importance", "priority", "version", "attachments_count", "project_id"):
        assert type(ticket[name]) is int, name


def test_times_are_utc_in_whole_seconds(ada, roof):
    ticket = ada.post(f"/projects/{roof}/tickets", TICKET).item
    for name in ("created_at", "updated_at"):
        date, _, time = ticket[name].partition("T")
        assert (len(date), len(time), time[-1]) == (10, 9, "Z")


def test_every_kind_of_text_comes_back_as_it_was_sent(ada, roof):
    text = "Tür & <b>fenêtre</b> \"'é 日本 \U0001f5fc \\ ]]> \t end  two\r\nlines\rand\nmore "
    ada.post(f"/projects/{roof}/tickets", raw=_xml_with_references(text), kind="application/xml")
    ticket = ada.get(f"/projects/{roof}/tickets/1").item
    assert (ticket["title"], ticket["body"]) == (text, text)


def _xml_with_references(text):
    escaped = "".join(f"&#{ord(character)};" for character in text)
    return f"<ticket><title>{escaped}</title><body>{escaped}</body></ticket>".encode()


# --- Numbers with slugs ----------------------------------------------------------------------------


def test_numbers_in_a_path_may_carry_a_slug(ada, roof):
    ada.post(f"/projects/{roof}/tickets", TICKET)
    for number in ("1", "1-leak", "1-anything-else", "1-", "1-caf%C3%A9", "1-a.b", "01"):
        answer = ada.get(f"/projects/{roof}-roof/tickets/{number}.{ada.format}")
        assert (answer.status, answer.item["number"]) == (200, 1), number


@pytest.mark.parametrize("text", ["12", " 12", "12 ", "12}", "12-roof", "12x", "12, 13", "012", "\n12\n"])
def test_an_id_is_the_number_at_the_start_whatever_follows(text):
    assert id_in(text) == 12


@pytest.mark.parametrize("text", ["", " ", "x12", "}12", "-12", "0", "12.5", "1e2", "0x12", "١٢", "9" * 19])
def test_an_id_without_a_leading_number_names_nothing(text):
    assert id_in(text) is None


@pytest.mark.parametrize("odd", ["%20{}", "{}%7D", "{}%20", "%20{}%20", "{}%0A", "{}'", "{}leak", "{},2"])
def test_the_leading_number_of_an_id_with_stray_characters_counts(ada, roof, odd):
    ada.post(f"/projects/{roof}/tickets", TICKET)
    assert ada.get(f"/projects/{odd.format(roof)}").item["id"] == roof
    assert len(ada.get(f"/projects/{odd.format(roof)}/tickets").items) == 1
    assert ada.put(f"/projects/{roof}/tickets/{odd.format(1)}", {"ticket": {"tag": "wet"}}).status == 200
    assert ada.get(f"/projects/{roof}/tickets/{odd.format(1)}").item["tag"] == "wet"
    assert ada.get(f"/projects/{roof}/tickets/{odd.format(9)}").status == 404


@pytest.mark.parametrize(
    "number",
    [
        "leak",
        "-1",
        "0",
        "00",
        "%20",
        "%7B1",
        "1.5",
        "0x1",
        "x1",
        "%D9%A3",
        "1" * 19,
        "9" * 400,
        "+1",
        "1e3",
        "%00",
    ],
)
def test_only_digits_name_a_number(ada, roof, number):
    for path in (f"/projects/{number}", f"/projects/{roof}/tickets/{number}"):
        answer = ada.get(f"{path}.{ada.format}")
        assert (answer.status, len(answer.errors)) == (404, 1)
