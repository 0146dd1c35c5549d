"""Requests that are too large or odd in their paths, queries and headers: a 4xx, and nothing changes.

The fixture ``world`` asserts after each test that the log holds no traceback.
"""

import base64

import pytest

from skerry.web import bodies
from tests.support.client import FORM, JSON, XML, NeverRead, call, check_refused, parse

TICKET = {"ticket": {"title": "Leak"}}


@pytest.fixture
def unchanged(ada, roof, leak):
    """Assert at the end that the ticket is as it was, and the only one of the only project."""
    before = ada.get(leak).item
    yield
    assert ada.get(leak).item == before
    assert [project["name"] for project in ada.get("/projects").items] == ["Roof"]
    assert len(ada.get("/tickets").items) == 1


# --- Size ------------------------------------------------------------------------------------------


class LengthRequired:
    """A body without an announced length that never ends; ``given`` counts what was taken of it."""

    given = 0

    def read(self, size):
        self.given += size
        return b" " * size


@pytest.mark.parametrize("kind", [JSON, XML, FORM])
def test_a_body_is_refused_by_its_size_before_it_is_read(world, ada, roof, leak, unchanged, kind):
    headers = {"Host": ada.host, **ada.headers, "Content-Type": kind}
    for size in (10 * 1024 * 1024 + 1, 50 * 1024 * 1024, 10**15):
        for method, path in (("PUT", leak), ("POST", f"/projects/{roof}/tickets"), ("POST", "/projects")):
            sent = {**headers, "Content-Length": str(size)}
            answer = call(
                world.instance.application, method, f"{path}.{ada.format}", body=NeverRead(), headers=sent
            )
            assert answer.status == 413
            assert parse(answer.body)["errors"] == ["The request is too large (at most 10 MiB)"]


def test_a_body_without_a_length_is_read_up_to_the_limit_only(world, ada, leak, unchanged):
    headers = {"Host": ada.host, **ada.headers, "Content-Type": JSON, "Transfer-Encoding": "chunked"}
    body = LengthRequired()
    answer = call(world.instance.application, "PUT", f"{leak}.{ada.format}", body=body, headers=headers)
    assert answer.status == 413
    # Some more is read, so that the sender reads the answer.
    assert body.given <= 10 * 1024 * 1024 + bodies.REST + 2 * 65536


def test_50_mb_of_text_in_a_multipart_form_are_refused(world, ada, leak, unchanged):
    head = b'--x\r\nContent-Disposition: form-data; name="ticket[body]"\r\n\r\n'

    class Text(LengthRequired):
        def read(self, size):
            first, self.given = self.given == 0, self.given + size
            return head + b"x" * (size - len(head)) if first else b"x" * size

    body = Text()
    sent = {"Host": ada.host, **ada.headers, "Content-Type": "multipart/form-data; boundary=x"}
    sent["Content-Length"] = str(50 * 1024 * 1024)
    answer = call(world.instance.application, "PUT", f"{leak}.{ada.format}", body=body, headers=sent)
    assert answer.status == 413
    assert body.given < 11 * 1024 * 1024


def test_a_body_of_the_largest_size_is_read(ada, leak):
    body = b'{"ticket": {"title": "T", "x": "%s"}}'
    body = body % (b"x" * (10 * 1024 * 1024 - len(body) + 2))
    assert len(body) == 10 * 1024 * 1024
    assert ada.put(leak, raw=body, kind=JSON).status == 200
    check_refused(ada.put(leak, raw=body + b" ", kind=JSON), 413)


@pytest.mark.parametrize("encoding", ["gzip", "br", "identity, gzip"])
def test_a_compressed_body_is_415_and_changes_nothing(ada, leak, unchanged, encoding):
    for kind in (f"application/{ada.format}", "application/x-www-form-urlencoded"):
        answer = ada.send("PUT", leak, raw=b"ticket[title]=X", kind=kind, Content_Encoding=encoding)
        assert (answer.status, answer.errors) == (
            415,
            ["Compressed bodies are not supported; send the body without Content-Encoding"],
        )


def test_a_body_may_declare_the_identity_encoding(ada, leak):
    assert ada.put(leak, {"ticket": {"title": "Y"}}, Content_Encoding="Identity").status == 200


def test_a_body_that_ends_too_early_is_400(ada, leak, unchanged):
    body = b'{"ticket": {"title": "T"}}'
    headers = {"Content-Length": str(len(body) + 1)}
    check_refused(ada.put(leak, raw=body, kind=JSON, **headers), 400)


@pytest.mark.parametrize("length", ["-1", "ten", "1e3", "0x1A", "²"])
def test_a_content_length_that_is_no_number_is_400(ada, leak, unchanged, length):
    check_refused(ada.put(leak, raw=b'{"ticket": {"title": "T"}}', kind=JSON, Content_Length=length), 400)


def test_texts_that_are_too_long_are_422(ada, leak, unchanged):
    check_refused(ada.put(leak, {"ticket": {"body": "x" * (2**20 + 1)}}), 422)
    check_refused(ada.put(leak, {"ticket": {"title": "x" * 256}}), 422)
    check_refused(ada.put(leak, {"ticket": {"title": "x" * 2**20}}), 422)
    check_refused(ada.put(leak, {"ticket": {"tag": "x" * 2**20}}), 422)
    check_refused(ada.put(leak, {"ticket": {"state": "x" * 2**20}}), 422)


# --- Paths, queries and headers --------------------------------------------------------------------

ODD = [
    "%00",
    "%0A",
    "%0D%0AX-Evil:%201",
    "%FF",
    "%ED%A0%80",
    "%C0%AF",
    "%E2%80%AE",
    "..%2F..",
    "%25",
    "'\"",
    "%3Cb%3E",
    "%F0%9F%97%BC",
    "a" * 3000,
]


@pytest.mark.parametrize("odd", ODD)
def test_odd_bytes_in_a_path_are_404_or_a_slug(ada, roof, leak, unchanged, odd):
    for path in (f"/{odd}", f"/projects/{odd}", f"/projects/{roof}/{odd}", f"/projects/{roof}/tickets/{odd}"):
        check_refused(ada.get(f"{path}.{ada.format}"), 404, 406)
        check_refused(ada.put(f"{path}.{ada.format}", TICKET), 404, 406)
    if "%2F" not in odd:
        answer = ada.get(f"/projects/{roof}-{odd}/tickets.{ada.format}")
        assert answer.status == (404 if odd == "%00" else 200)
        check_headers(answer)


def check_headers(answer):
    """Assert that no header could end early and begin another one, or be refused by a server."""
    for name, value in answer.headers.items():
        assert name.isascii()
        assert value.isascii(), (name, value)
        assert value.isprintable(), (name, value)


@pytest.mark.parametrize("odd", ODD)
def test_odd_bytes_in_a_query_string_are_ignored_or_refused(ada, roof, leak, unchanged, odd):
    tickets = f"/projects/{roof}/tickets"
    for path in (f"{tickets}?x={odd}", f"{tickets}?{odd}=1", f"{tickets}?{odd}", f"{leak}?x={odd}"):
        answer = ada.get(path)
        assert answer.status in (200, 400, 422), path
        check_headers(answer)
    check_refused(ada.get(f"{tickets}?page={odd}"), 400, 422)
    check_refused(ada.get(f"{tickets}?limit={odd}"), 400, 422)
    check_refused(ada.put(f"{leak}?multiple_watchers=1,x{odd}"), 400, 422)
    check_refused(ada.speaking().get(f"{tickets}?_token={odd}"), 400, 401, 422)


@pytest.mark.parametrize(
    "query", ["%zz", "&&&", "====", "a=b;c=d", "%", "x=%ff", "=", "?", "a[b]=1&a[b]=2", "\xff"]
)
def test_a_malformed_query_string_does_not_fail(ada, roof, leak, unchanged, query):
    assert ada.get(f"/projects/{roof}/tickets?{query}").status in (200, 400)


def test_too_many_parameters_are_400(ada, roof):
    check_refused(
        ada.get(f"/projects/{roof}/tickets?" + "&".join(f"a{number}=1" for number in range(201))), 400
    )


ODD_TEXTS = ("\xff", "\x00", "\x7f", "a\x01", "\xe9\xe8", "", " ", "," * 500, "\\", '"', "x" * 5000)


@pytest.mark.parametrize(
    "name",
    ["Accept", "Content-Type", "If-None-Match", "X-HTTP-Method-Override", "X-Request-Id", "Host",
     "X-Forwarded-Host", "Accept-Encoding", "Range", "If-Modified-Since", "Cookie", "Expect", "Origin",
     "User-Agent", "Transfer-Encoding"],
)  # fmt: skip
def test_odd_bytes_in_a_header_do_not_fail(world, ada, roof, name):
    for text in ODD_TEXTS:
        headers = {"Host": ada.host, **ada.headers, name: text}
        answer = call(world.instance.application, "GET", f"/projects/{roof}.{ada.format}", headers=headers)
        assert answer.status == (400 if name == "Host" else 200), text
        check_headers(answer)


@pytest.mark.matrix("databases")
@pytest.mark.parametrize(
    "text", ["\xff", "\x00", "\x7f\x01", "\xed\xa0\x80", "", " ", "x" * 5000, "é" * 40, "0" * 40]
)
def test_odd_bytes_in_credentials_are_401(ada, roof, text):
    client = ada.speaking
    encoded = base64.b64encode(f"{text}:{text}".encode("latin-1")).decode()
    as_token = base64.b64encode(f"{text}:x".encode("latin-1")).decode()
    for headers in (
        {"X-ServiceToken": text},
        {"X-LighthouseToken": text},
        {"Authorization": text},
        {"Authorization": f"Bearer {text}"},
        {"Authorization": f"Basic {text}"},
        {"Authorization": f"Basic {encoded}"},
        {"Authorization": f"Basic {as_token}"},
    ):
        answer = client(**headers).get(f"/projects/{roof}")
        check_refused(answer, 401)
        check_headers(answer)


@pytest.mark.matrix("databases")
@pytest.mark.parametrize(
    "number", ["0", "00", "-1", "9" * 18, "9" * 19, "9" * 5000, "9223372036854775808", "1.5", "1e5", "0x1"]
)
def test_giant_and_odd_numbers_in_a_path_are_404(ada, roof, leak, unchanged, number):
    for path in (f"/projects/{number}", f"/projects/{roof}/tickets/{number}", f"{leak}/versions/{number}"):
        for method in ("GET", "PUT", "DELETE"):
            body = {"raw": b'{"ticket": {}, "project": {}, "version": {}}', "kind": JSON}
            if method != "PUT":
                body = {}
            check_refused(ada.send(method, f"{path}.{ada.format}", **body), 404)
