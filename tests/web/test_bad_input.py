"""Broken, hostile and wrong bodies: a 4xx in the caller's format, no failure in the log, no change.

The fixture ``world`` asserts after each test that the log holds no traceback.
"""

import json
import re

import pytest

from tests.support.client import FORM, JSON, XML, check_refused

# What is refused for its form is refused before a database is asked, in words that both formats write.
BOTH = pytest.mark.matrix("both")


LARGE = 100_000


@pytest.fixture
def unchanged(ada, roof, leak):
    """Assert at the end that the project and its ticket are as they were."""
    before = state(ada, roof)
    yield
    assert state(ada, roof) == before


def state(client, project):
    return [client.get(f"/projects{path}").item for path in (f"/{project}", f"/{project}/tickets/1")] + [
        client.get("/projects").items,
        client.get("/tickets").items,
    ]


def everywhere(client, roof, leak, body, kind):
    """Send a body wherever one is read; a large one, which takes long to read, to one place."""
    places = (
        ("PUT", leak),
        ("POST", "/projects"),
        ("PUT", f"/projects/{roof}"),
        ("POST", f"/projects/{roof}/tickets"),
        ("POST", f"{leak}/versions"),
        ("PUT", f"{leak}/versions/1"),
    )
    for method, path in places if len(body) < LARGE else places[:1]:
        yield client.send(method, path, raw=body, kind=kind)


BROKEN = {
    "nothing closed": (XML, b"<ticket><title>x"),
    "closed wrongly": (XML, b"<ticket><title>x</ticket></title>"),
    "no xml": (XML, b"title: x"),
    "two roots": (XML, b"<ticket/><ticket/>"),
    "a document type": (XML, b"<!DOCTYPE ticket><ticket><title>x</title></ticket>"),
    "an entity bomb": (
        XML,
        b'<!DOCTYPE t [<!ENTITY a "haha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;">]><t>&c;</t>',
    ),
    "an external entity": (
        XML,
        b'<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/passwd">]><ticket><title>&x;</title></ticket>',
    ),
    "an external document type": (XML, b'<!DOCTYPE t SYSTEM "http://127.0.0.1:1/x.dtd"><ticket/>'),
    "an undefined entity": (XML, b"<ticket><title>&nbsp;</title></ticket>"),
    "65 levels of xml": (XML, b"<ticket>" + b"<a>" * 64 + b"</a>" * 64 + b"</ticket>"),
    "20,000 levels of xml": (XML, b"<ticket>" * 20_000 + b"</ticket>" * 20_000),
    "invalid utf-8 in xml": (XML, b"<ticket><title>\xff\xfe\xc3</title></ticket>"),
    "a control character in xml": (XML, b"<ticket><title>a\x01b</title></ticket>"),
    "a reference to a control character": (XML, b"<ticket><title>&#1;</title></ticket>"),
    "a reference to a surrogate": (XML, b"<ticket><title>&#xD800;</title></ticket>"),
    "nul in xml": (XML, b"<ticket><title>a\0b</title></ticket>"),
    "an unknown encoding": (
        XML,
        b'<?xml version="1.0" encoding="klingon"?><ticket><title>x</title></ticket>',
    ),
    "an encoding that is none": (
        XML,
        b'<?xml version="1.0" encoding="rot13"?><ticket><title>x</title></ticket>',
    ),
    "an encoding of many bytes": (
        XML,
        b'<?xml version="1.0" encoding="gb18030"?><ticket><title>\x81\x30</title></ticket>',
    ),
    "an unbound prefix and no end": (XML, b"<x:ticket><title>x</title>"),
    "a wrong root in xml": (XML, b"<pencil><title>x</title></pencil>"),
    "an array as root": (XML, b'<ticket type="array"><title>x</title></ticket>'),
    "text as root": (XML, b"<ticket>x</ticket>"),
    "too many elements": (XML, b"<ticket><title>x</title>" + b"<a/>" * 100_000 + b"</ticket>"),
    "a tag that does not end": (XML, b"<ticket " + b"a='' " * 100_000 + b"/>"),
    "truncated json": (JSON, b'{"ticket": {"title": "x'),
    "no json": (JSON, b"title: x"),
    "a list as json": (JSON, b'[{"ticket": {"title": "x"}}]'),
    "a number as json": (JSON, b"3"),
    "null as json": (JSON, b"null"),
    "a text as json": (JSON, b'"ticket"'),
    "nan in json": (JSON, b'{"ticket": {"title": NaN}}'),
    "a number out of range in json": (JSON, b'{"ticket": {"importance": 1e400}}'),
    "a number of 5,000 digits in json": (JSON, b'{"ticket": {"importance": ' + b"9" * 5000 + b"}}"),
    "a trailing comma in json": (JSON, b'{"ticket": {"title": "x",}}'),
    "more after json": (JSON, b'{"ticket": {"title": "x"}} {}'),
    "a wrong root in json": (JSON, b'{"pencil": {"title": "x"}}'),
    "no root and no field in json": (JSON, b'{"x": "x"}'),
    "an empty object": (JSON, b"{}"),
    "a list where an object belongs": (
        JSON,
        b'{"ticket": [{"title": "x"}], "project": [{"name": "x"}], "version": [{"body": "x"}]}',
    ),
    "a text where an object belongs": (JSON, b'{"ticket": "x", "project": "x", "version": "x"}'),
    "null where an object belongs": (JSON, b'{"ticket": null, "project": null, "version": null}'),
    "an empty text where an object belongs": (JSON, b'{"ticket": "", "project": "", "version": ""}'),
    "too many values": (JSON, b'{"ticket": {"title": "x", "a": [' + b"{}," * 100_000 + b"0]}}"),
    "65 levels of json": (JSON, b'{"ticket":' + b'{"a":' * 64 + b"1" + b"}" * 64 + b"}"),
    "20,000 levels of lists": (JSON, b'{"ticket": {"title": ' + b"[" * 20_000 + b"]" * 20_000 + b"}}"),
    "20,000 levels of objects": (JSON, b'{"ticket":' * 20_000 + b"1" + b"}" * 20_000),
    "20,000 levels without an end": (JSON, b"[" * 20_000),
    "invalid utf-8 in json": (JSON, b'{"ticket": {"title": "\xff\xc3"}}'),
    "a bare control character in json": (JSON, b'{"ticket": {"title": "a\x01b"}}'),
    "nul in json": (JSON, b'{"ticket": {"title": "a\0b"}}'),
    "a lone surrogate in json": (JSON, b'{"ticket": {"title": "\\ud800"}}'),
    "half a surrogate pair in json": (JSON, b'{"ticket": {"title": "\\udc00\\ud800x"}}'),
    "a surrogate in utf-8": (JSON, b'{"ticket": {"title": "\xed\xa0\x80"}}'),
    "an unknown charset": ("application/json; charset=klingon", b'{"ticket": {"title": "x"}}'),
    "a charset that it is not in": ("application/json; charset=utf-16", b'{"ticket": {"title": "x"}} '),
    "a charset that is a codec": ("application/json; charset=zlib", b'{"ticket": {"title": "x"}}'),
    "a broken escape in a form": (FORM, b"ticket[title]=%zz"),
    "invalid utf-8 in a form": (FORM, b"ticket[title]=%ff"),
    "names that contradict each other": (FORM, b"ticket=x&ticket[title]=y"),
    "1,001 fields": (FORM, b"&".join(b"a%d=1" % number for number in range(1001))),
    "65 levels of names": (FORM, b"ticket" + b"[a]" * 65 + b"=x"),
    "a name of a megabyte": (FORM, b"ticket" + b"[a]" * 350_000 + b"=x"),
    "no root in a form": (FORM, b"title=x"),
    "multipart without boundary": ("multipart/form-data", b"--x\r\n\r\n--x--"),
    "multipart that is cut": (
        "multipart/form-data; boundary=x",
        b'--x\r\nContent-Disposition: form-data; name="ticket[title]"\r\n\r\nabc',
    ),
    "multipart that is none": ("multipart/form-data; boundary=x", b"ticket[title]=x"),
    "multipart with an odd boundary": ("multipart/form-data; boundary=\udce9", b"--x--"),
}


@pytest.mark.matrix("formats")
@pytest.mark.parametrize(
    ("kind", "body", "said"),
    [
        (XML, b"<ticket>\n<title>x", "The XML cannot be read: no element found, line 2"),
        (JSON, b'{"ticket": {"title": "x', "The JSON cannot be read: Input data was truncated (byte 23)"),
        (JSON, b'\xef\xbb\xbf{"ticket":', "The JSON cannot be read: Input data was truncated (byte 10)"),
    ],
)
def test_a_truncated_body_is_refused_with_the_position(ada, tickets, kind, body, said):
    assert ada.send("POST", tickets, raw=body, kind=kind).errors == [said]


@pytest.mark.parametrize("name", BROKEN)
def test_a_body_that_cannot_be_parsed_is_400_and_changes_nothing(ada, roof, leak, unchanged, name):
    kind, body = BROKEN[name]
    for answer in everywhere(ada, roof, leak, body, kind):
        check_refused(answer, 400)


@BOTH
@pytest.mark.parametrize("path", ["{leak}/claim", "/projects/{roof}/bulk_edit", "/bulk_edit"])
def test_a_wrong_root_is_400_also_where_the_root_may_be_absent(ada, roof, leak, unchanged, path):
    fields = {"query": "all", "command": "state:hold", "minutes": 15}
    address = path.format(roof=roof, leak=leak)
    check_refused(ada.post(address, {"pencil": fields}), 400)
    for body in (b'{"bulk_edit": null}', b'{"colour": "red"}'):
        check_refused(ada.post(address, raw=body, kind=JSON), 400)
    assert ada.get(f"{leak}/claim").item["user_id"] is None


@pytest.mark.matrix("formats")
@pytest.mark.parametrize("name", ["invalid utf-8 in json", "invalid utf-8 in a form"])
def test_a_body_that_is_not_utf_8_is_refused_in_plain_words(ada, leak, name):
    kind, body = BROKEN[name]
    assert ada.put(leak, raw=body, kind=kind).errors == ["The request is not in the encoding utf-8"]


@pytest.mark.parametrize("name", ["a number out of range in json", "a number of 5,000 digits in json"])
def test_a_number_that_is_out_of_range_is_said_to_be_so_in_plain_words(ada, leak, name):
    kind, body = BROKEN[name]
    (said,) = ada.put(leak, raw=body, kind=kind).errors
    assert re.fullmatch(r"The JSON cannot be read: (Number|Integer value) out of range", said), said


UNSTORABLE = ["a\0b", "\x01", "\x0b", "\x1f", "\ufffe", "\uffff"]


@BOTH
@pytest.mark.parametrize("text", UNSTORABLE)
def test_characters_that_xml_cannot_hold_are_422_and_name_the_field(ada, roof, leak, unchanged, text):
    escaped = json.dumps(text).encode()
    title = b'{"ticket": {"title": %s}}' % escaped
    for answer in (
        ada.post(f"/projects/{roof}/tickets", raw=title, kind=JSON),
        ada.put(leak, raw=title, kind=JSON),
    ):
        check_refused(answer, 422)
        assert answer.errors[0].startswith("Title cannot contain the character U+")
    answer = ada.put(leak, raw=b'{"ticket": {"body": %s, "tag": %s}}' % (escaped, escaped), kind=JSON)
    check_refused(answer, 422)
    assert [sentence.split()[0] for sentence in answer.errors] == ["Body", "Tag"]
    check_refused(ada.put(leak, raw=b'{"ticket": {"state": %s}}' % escaped, kind=JSON), 422)
    check_refused(ada.post(f"{leak}/versions", raw=b'{"version": {"body": %s}}' % escaped, kind=JSON), 422)
    check_refused(ada.put(f"/projects/{roof}", raw=b'{"project": {"name": %s}}' % escaped, kind=JSON), 422)


@pytest.mark.parametrize("value", [b"[1]", b"{}", b'{"a": "b"}', b"true", b"[]", b'["x"]', b'[[["x"]]]'])
def test_a_value_of_the_wrong_kind_is_422_and_names_the_field(ada, roof, leak, unchanged, value):
    for field in (b"title", b"body", b"state", b"tag", b"importance", b"milestone_id", b"assigned-user-id"):
        answer = ada.put(leak, raw=b'{"ticket": {"%s": %s}}' % (field, value), kind=JSON)
        check_refused(answer, 422)
        named = field.decode().replace("_id", "").replace("-id", "").replace("-", " ").capitalize()
        assert answer.errors[0].startswith(f"{named} must be "), answer.errors
    check_refused(ada.put(f"/projects/{roof}", raw=b'{"project": {"name": %s}}' % value, kind=JSON), 422)


@pytest.mark.parametrize(
    "number",
    [
        b"soon",
        b"1.5",
        b"9223372036854775808",
        b"-9223372036854775809",
        b"1" * 31,
        b"9" * 5000,
        b"0x10",
        b"1e3",
        b"1_0",
        "٣".encode(),
    ],
)
def test_an_invalid_or_too_large_number_is_422_and_names_the_field(ada, roof, leak, unchanged, number):
    for field in (b"milestone-id", b"assigned-user-id", b"importance"):
        answer = ada.put(leak, raw=b"<ticket><%s>%s</%s></ticket>" % (field, number, field), kind=XML)
        check_refused(answer, 422)
        assert answer.errors[0].startswith(("Milestone ", "Assigned user ", "Assignee ", "Importance "))


@BOTH
@pytest.mark.parametrize("number", [b"9223372036854775807", b"-9223372036854775808", b"1000000000000"])
def test_the_largest_numbers_are_no_failure(ada, leak, unchanged, number):
    for field in (b"milestone_id", b"assigned_user_id", b"importance", b"multiple_watchers"):
        check_refused(ada.put(leak, raw=b'{"ticket": {"%s": %s}}' % (field, number), kind=JSON), 422)


@pytest.mark.parametrize("number", [b"9" * 30, b"9" * 400, b"9" * 5000, b"1e300", b"-1e300", b"1.5"])
def test_giant_numbers_in_json_are_refused_in_every_field(ada, roof, leak, unchanged, number):
    for field in (b"milestone_id", b"assigned_user_id", b"importance", b"multiple_watchers", b"state"):
        check_refused(ada.put(leak, raw=b'{"ticket": {"%s": %s}}' % (field, number), kind=JSON), 400, 422)
    check_refused(
        ada.put(f"/projects/{roof}", raw=b'{"project": {"public": %s}}' % number, kind=JSON), 400, 422
    )


def test_a_giant_number_in_a_text_does_not_fail(ada, leak):
    answer = ada.put(leak, raw=b'{"ticket": {"title": %s}}' % (b"9" * 5000), kind=JSON)
    check_refused(answer, 400, 422)


@pytest.mark.matrix("formats")
@pytest.mark.parametrize("word", ["maybe", "2", "-1", "truee", "tr ue", "wahr"])
def test_an_invalid_boolean_is_422(ada, roof, leak, unchanged, word):
    answer = ada.put(f"/projects/{roof}", {"project": {"public": word, "archived": word}})
    check_refused(answer, 422)
    assert answer.errors == ["Archived must be true or false", "Public must be true or false"]


def test_watchers_of_the_wrong_kind_are_refused(ada, leak, unchanged):
    for value in (
        b"{}",
        b'{"a": 1}',
        b"[[1]]",
        b'[{"id": 1}]',
        b"true",
        b"[true]",
        b'["x"]',
        b"1.5",
        b'"a\\u0000"',
    ):
        check_refused(
            ada.put(leak, raw=b'{"ticket": {"multiple_watchers": %s}}' % value, kind=JSON), 400, 422
        )


@BOTH
def test_ids_of_other_projects_are_refused(ada, leak, unchanged):
    shed = ada.post("/projects", {"project": {"name": "Shed"}}).item["id"]
    check_refused(ada.get(f"/projects/{shed}/tickets/1"), 404)
    check_refused(ada.put(f"/projects/{shed}/tickets/1", {"ticket": {"title": "X"}}), 404)
    check_refused(ada.get(f"/projects/{shed}/tickets/1/versions/1"), 404)
    check_refused(ada.put(f"/projects/{shed}/tickets/1/versions/1", {"version": {"body": "X"}}), 404)
    ada.delete(f"/projects/{shed}")
