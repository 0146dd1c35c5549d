"""Tolerant parsing of the many ways in which clients write a value."""

import io
import json

import pytest

from tests.support.client import FORM, call, encode, parse

# What a test writes itself is read in the same way, whatever the answer is written in.
FORMATS = pytest.mark.matrix("formats")


@pytest.fixture
def leak(ada, roof):
    """A ticket of Ada's; gives its address."""
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "body": "It drips", "tag": "wet"}})
    return f"/projects/{roof}/tickets/1"


def put_xml(client, path, text):
    return client.put(path, raw=text.encode(), kind="application/xml")


def put_json(client, path, data):
    return client.put(path, raw=json.dumps(data).encode(), kind="application/json")


# --- Content types ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind",
    [
        "application/json",
        "application/json; charset=utf-8",
        'Application/JSON;charset="UTF-8"; v=1',
        "application/json;",
    ],
)
def test_json_is_read_with_any_parameters(ada, leak, kind):
    assert ada.put(leak, raw=b'{"ticket":{"title":"T\xc3\xbcr"}}', kind=kind).item["title"] == "Tür"


@pytest.mark.parametrize("kind", ["application/xml", "text/xml", "text/xml; charset=utf-8", "TEXT/XML"])
def test_xml_is_read_under_both_of_its_names(ada, leak, kind):
    assert ada.put(leak, raw="<ticket><title>Tür</title></ticket>".encode(), kind=kind).item["title"] == "Tür"


@pytest.mark.parametrize(
    ("kind", "charset"),
    [
        ("application/json; charset=iso-8859-1", "iso-8859-1"),
        ("application/json; charset=utf-16", "utf-16"),
        ("application/json", "utf-8-sig"),
    ],
)
def test_the_charset_of_the_content_type_is_observed(ada, leak, kind, charset):
    body = '{"ticket":{"title":"Tür"}}'.encode(charset)
    assert ada.put(leak, raw=body, kind=kind).item["title"] == "Tür"


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "utf-16", "utf-8-sig"])
def test_the_encoding_that_xml_declares_is_observed(ada, leak, charset):
    declared = charset.removesuffix("-sig")
    text = f'<?xml version="1.0" encoding="{declared}"?><ticket><title>Tür</title></ticket>'
    assert ada.put(leak, raw=text.encode(charset), kind="application/xml").item["title"] == "Tür"


@pytest.mark.parametrize("blanks", ["\n", " \r\n\t"])
def test_blanks_may_stand_before_the_declaration_of_xml(ada, leak, blanks):
    text = f'{blanks}<?xml version="1.0" encoding="UTF-8"?>{blanks}<ticket><title>Tür</title></ticket>'
    assert put_xml(ada, leak, text).item["title"] == "Tür"


def test_a_form_with_bracket_names_is_read(ada, leak):
    body = b"ticket[title]=T%C3%BCr+auf&ticket%5Bstate%5D=hold&utf8=%E2%9C%93"
    ticket = ada.put(leak, raw=body, kind=f"{FORM}; charset=utf-8").item
    assert (ticket["title"], ticket["state"]) == ("Tür auf", "hold")


def test_a_form_that_comes_in_pieces_is_read(ada, leak):
    sent = {"Host": ada.host, **ada.headers, "Content-Type": FORM, "Transfer-Encoding": "chunked"}
    pieces = io.BytesIO(b"ticket[title]=In+pieces")
    assert call(ada.application, "PUT", f"{leak}.{ada.format}", body=pieces, headers=sent).status == 200
    assert ada.get(leak).item["title"] == "In pieces"


def test_a_multipart_form_with_bracket_names_is_read(ada, leak):
    part = '--edge\r\nContent-Disposition: form-data; name="ticket[{}]"\r\n\r\n{}\r\n'
    body = (part.format("title", "Tür") + part.format("state", "hold") + "--edge--\r\n").encode()
    ticket = ada.put(leak, raw=body, kind="multipart/form-data; boundary=edge").item
    assert (ticket["title"], ticket["state"]) == ("Tür", "hold")


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/yaml", "image/png", "application/jsonx", "json", ";", "a/b/c"]
)
def test_a_body_of_any_other_content_type_is_415(ada, leak, kind):
    answer = ada.put(leak, raw=b'{"ticket":{"title":"T"}}', kind=kind)
    assert (answer.status, answer.errors[0].partition(" must")[0]) == (415, "Content-Type")
    assert ada.get(leak).item["title"] == "Leak"


def test_a_body_without_content_type_is_415(ada, leak):
    headers = {"Host": ada.host, **ada.headers}
    for more in ({}, {"Content-Type": ""}):
        answer = call(
            ada.application, "PUT", f"{leak}.json", body=b'{"ticket":{"title":"T"}}', headers=headers | more
        )
        assert (answer.status, list(parse(answer.body))) == (415, ["errors"])
    assert ada.get(leak).item["title"] == "Leak"


def test_a_request_without_a_body_needs_no_content_type(ada, leak):
    assert ada.get(leak).status == 200
    assert ada.put(f"{leak}?multiple_watchers={ada.user_id}").status == 200
    assert ada.delete(leak).status == 200


@FORMATS
def test_get_and_delete_ignore_a_content_type_and_a_body(ada, leak):
    assert ada.send("GET", leak, raw=b"{broken", kind="text/plain").status == 200
    assert ada.delete(leak, Content_Type="application/octet-stream").status == 200


# --- Names -----------------------------------------------------------------------------------------


def test_xml_names_may_have_hyphens_or_underscores(ada, ben, leak):
    for name in ("assigned-user-id", "assigned_user_id", "assigned-user_id"):
        put_xml(ada, leak, "<ticket><assigned-user-id/></ticket>")
        answer = put_xml(ada, leak, f"<ticket><{name}>{ben.user_id}</{name}></ticket>")
        assert answer.item["assigned_user_id"] == ben.user_id, name


def test_json_names_may_have_underscores_or_hyphens(ada, ben, leak):
    for name in ("assigned-user-id", "assigned_user_id"):
        put_json(ada, leak, {"ticket": {"assigned_user_id": None}})
        answer = put_json(ada, leak, {"ticket": {name: ben.user_id}})
        assert answer.item["assigned_user_id"] == ben.user_id, name


def test_form_names_may_have_hyphens_or_underscores(ada, ben, leak):
    for name in ("assigned-user-id", "assigned_user_id"):
        ada.put(leak, raw=b"ticket[assigned_user_id]=", kind=FORM)
        answer = ada.put(leak, raw=f"ticket[{name}]={ben.user_id}".encode(), kind=FORM)
        assert answer.item["assigned_user_id"] == ben.user_id, name


def test_unknown_members_are_ignored_wherever_they_stand(ada, leak):
    sent = {
        "ticket": {"title": "T", "spam": False, "nested": {"a": [1, {"b": None}]}, "": 1},
        "other": [1],
        "x": None,
    }
    assert put_json(ada, leak, sent).item["title"] == "T"
    text = "<ticket><title>U</title><spam>1</spam><a><b><c/></b><b/></a><x:y xmlns:x='z'>1</x:y></ticket>"
    assert put_xml(ada, leak, text).item["title"] == "U"


# --- Whole objects echoed back ---------------------------------------------------------------------


@FORMATS
def test_a_whole_ticket_can_be_sent_back_as_it_was_read(ada, ben, leak):
    ada.put(leak, {"ticket": {"assigned_user_id": ben.user_id, "body": "see", "importance": 3}})
    shown = ada.get(leak)
    answer = ada.put(leak, raw=shown.body, kind=f"application/{ada.format}")
    same = set(shown.item) - {
        "updated_at",
        "version",
        "versions",
        "links",
        "attachments",
        "original_body",
        "latest_body",
    }
    assert answer.status == 200
    assert {name: answer.item[name] for name in same} == {name: shown.item[name] for name in same}


@FORMATS
def test_a_whole_ticket_from_a_list_can_be_sent_back_with_one_change(ada, roof, leak):
    (listed,) = ada.get(f"/projects/{roof}/tickets").items
    answer = ada.put(
        leak, raw=encode("json", {"ticket": {**listed, "state": "hold"}}), kind="application/json"
    )
    assert (answer.item["state"], answer.item["title"], answer.item["tag"]) == ("hold", "Leak", "wet")


@FORMATS
def test_a_whole_project_can_be_sent_back_as_it_was_read(ada, roof):
    shown = ada.get(f"/projects/{roof}")
    answer = ada.put(f"/projects/{roof}", raw=shown.body, kind=f"application/{ada.format}")
    assert {**answer.item, "updated_at": ""} == {**shown.item, "updated_at": ""}


@FORMATS
def test_the_new_representation_can_be_sent_back_with_a_title(ada, roof):
    blank = ada.get(f"/projects/{roof}/tickets/new").item
    answer = ada.post(f"/projects/{roof}/tickets", {"ticket": {**blank, "title": "From new"}})
    assert (answer.status, answer.item["title"], answer.item["state"]) == (201, "From new", "new")


@FORMATS
def test_a_whole_version_can_be_sent_back_as_it_was_read(ada, leak):
    shown = ada.get(f"{leak}/versions/1")
    answer = ada.put(f"{leak}/versions/1", raw=shown.body, kind=f"application/{ada.format}")
    assert (answer.status, answer.item["body"]) == (200, "It drips")


# --- XML -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind", ['type="integer"', 'type="Integer"', 'type="string"', 'type="decimal"', 'type=""', 'x="y"', ""]
)
def test_type_attributes_of_any_spelling_or_none_are_read(ada, leak, kind):
    assert put_xml(ada, leak, f"<ticket><importance {kind}>7</importance></ticket>").item["importance"] == 7


@pytest.mark.parametrize(
    "nil", ['nil="true"', "nil='true' type='integer'", 'nil="1"', 'type="integer" nil="TRUE"']
)
def test_nil_clears_a_value(ada, ben, leak, nil):
    ada.put(leak, {"ticket": {"assigned_user_id": ben.user_id}})
    answer = put_xml(ada, leak, f"<ticket><assigned-user-id {nil}/></ticket>")
    assert (answer.status, answer.item["assigned_user_id"]) == (200, None)


def test_nil_false_is_no_nil(ada, leak):
    assert put_xml(ada, leak, '<ticket><title nil="false">T</title></ticket>').item["title"] == "T"


def test_cdata_comments_and_character_references_are_read(ada, leak):
    title = "a<![CDATA[<b>&amp;]]>&lt;&#233;&#x1F5FC;<!-- c -->d<?pi x?>"
    assert (
        put_xml(ada, leak, f"<!-- a --><ticket><title>{title}</title></ticket>").item["title"]
        == "a<b>&amp;<é\U0001f5fcd"
    )


def test_blanks_around_numbers_and_booleans_do_not_matter(ada, roof, leak):
    assert put_xml(ada, leak, "<ticket><importance>\n  7\t</importance></ticket>").item["importance"] == 7
    answer = put_xml(
        ada, f"/projects/{roof}", "<project>\n <public type='boolean'> True\n</public>\n</project>"
    )
    assert answer.item["public"] is True


def test_a_field_that_occurs_twice_is_refused(ada, leak):
    answer = put_xml(ada, leak, "<ticket><title>a</title><title>b</title></ticket>")
    assert (answer.status, answer.errors) == (422, ["Title must be a string"])


# --- Values ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("importance", [7, "7", " 7 ", "+7", "007", 7.0])
def test_a_number_given_as_text_is_a_number(ada, leak, importance):
    answer = put_json(ada, leak, {"ticket": {"importance": importance}})
    assert (answer.status, answer.item["importance"]) == (200, 7)


@pytest.mark.parametrize("nothing", [0, 0.0, "0", "", "  ", None, "nil", "null", "NIL"])
def test_0_null_empty_and_nil_all_clear_an_assignee(ada, ben, leak, nothing):
    ada.put(leak, {"ticket": {"assigned_user_id": ben.user_id}})
    answer = put_json(ada, leak, {"ticket": {"assigned_user_id": nothing}})
    assert (answer.status, answer.item["assigned_user_id"]) == (200, None)


@pytest.mark.parametrize(
    ("word", "value"),
    [(True, True), ("true", True), ("1", True), (1, True), ("YES", True), ("on", True), (" t ", True),
     (False, False), ("false", False), ("0", False), (0, False), ("no", False), ("", False), (None, False)],
)  # fmt: skip
def test_booleans_may_be_words_or_numbers(ada, roof, word, value):
    ada.put(f"/projects/{roof}", {"project": {"public": not value}})
    answer = put_json(ada, f"/projects/{roof}", {"project": {"public": word}})
    assert (answer.status, answer.item["public"]) == (200, value)


@pytest.mark.parametrize(
    ("title", "kept"), [(2024, "2024"), (1.5, "1.5"), ("0", "0"), ("null", "null"), ("nil", "nil")]
)
def test_a_text_given_as_a_number_is_a_text(ada, leak, title, kept):
    assert put_json(ada, leak, {"ticket": {"title": title}}).item["title"] == kept


def test_an_empty_resource_is_an_update_of_nothing(ada, leak):
    for answer in (
        put_json(ada, leak, {"ticket": {}}),
        put_xml(ada, leak, "<ticket/>"),
        put_xml(ada, leak, "<ticket></ticket>"),
        put_xml(ada, leak, "<ticket>\n</ticket>"),
        put_xml(ada, leak, '<ticket nil="true"/>'),
    ):
        assert (answer.status, answer.item["title"]) == (200, "Leak")
