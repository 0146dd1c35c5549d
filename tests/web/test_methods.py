"""Methods and URLs over HTTP: allowed ones, overrides and redirects."""

from dataclasses import replace
from http.client import HTTPConnection

import pytest

from skerry.failures import Failures
from tests.support.chromium import served
from tests.support.client import call, parse

pytestmark = pytest.mark.matrix("formats")

TICKET = {"ticket": {"title": "Leak"}}


# --- Methods ---------------------------------------------------------------------------------------


def test_head_is_get_without_the_body(ada, roof):
    got = ada.get(f"/projects/{roof}")
    answer = ada.send("HEAD", f"/projects/{roof}")
    assert (answer.status, answer.body) == (200, b"")
    same = ("content-type", "etag", "content-length")
    assert {name: answer.headers[name] for name in same} == {name: got.headers[name] for name in same}
    assert ada.send("HEAD", "/projects/999").status == 404


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/projects", "GET, HEAD, POST, OPTIONS"),
        ("/projects/new", "GET, HEAD, OPTIONS"),
        ("/projects/1", "GET, HEAD, PUT, DELETE, OPTIONS"),
        ("/projects/1/tickets/1/versions", "GET, HEAD, POST, OPTIONS"),
        ("/health", "GET, HEAD, OPTIONS"),
        ("/openapi.json", "GET, HEAD, OPTIONS"),
    ],
)
def test_options_and_405_say_which_methods_there_are(ada, path, allowed):
    answer = ada.send("OPTIONS", path)
    assert (answer.status, answer.headers["allow"]) == (200, allowed)
    for method in ("PATCH", "TRACE", "CONNECT", "PROPFIND", "BREW"):
        answer = ada.send(method, path)
        assert (method, answer.status, answer.headers["allow"]) == (method, 405, allowed)
        assert answer.errors[0].startswith("This method is not available here")


def test_a_method_that_is_not_there_changes_nothing(ada, roof):
    assert ada.delete("/projects").status == 405
    assert ada.put("/projects", {"project": {"name": "X"}}).status == 405
    assert ada.post(f"/projects/{roof}", {"project": {"name": "X"}}).status == 405
    assert ada.get(f"/projects/{roof}").item["name"] == "Roof"


def test_a_post_may_mean_another_method_by_query_header_or_form(ada, roof):
    ticket = f"/projects/{roof}/tickets/1"
    ada.post(f"/projects/{roof}/tickets", TICKET)
    assert ada.post(f"{ticket}?_method=put", {"ticket": {"title": "Two"}}).status == 200
    assert ada.post(ticket, {"ticket": {"title": "Three"}}, X_HTTP_Method_Override="PUT").status == 200
    form = "application/x-www-form-urlencoded"
    assert ada.post(ticket, raw=b"_method=put&ticket[title]=Four", kind=form).status == 200
    assert [version["title"] for version in ada.get(ticket).item["versions"]] == [
        "Leak",
        "Two",
        "Three",
        "Four",
    ]
    assert ada.post(ticket, raw=b"_method=delete", kind=form).status == 200
    assert ada.get(ticket).status == 404


def test_only_a_post_may_mean_another_method(ada, roof):
    assert ada.get(f"/projects/{roof}?_method=delete", X_HTTP_Method_Override="DELETE").status == 200
    answer = ada.put(f"/projects/{roof}?_method=delete", {"project": {"name": "Roofs"}})
    assert (answer.status, answer.item["name"]) == (200, "Roofs")


def test_a_post_cannot_be_overridden_with_an_unknown_method(ada):
    for method in ("get", "patch", "post", "", "PUT DELETE"):
        answer = ada.post(f"/projects?_method={method.replace(' ', '+')}", {"project": {"name": "Shed"}})
        assert answer.status == 201


# --- Addresses -------------------------------------------------------------------------------------


def test_an_http_1_0_request_without_host_is_answered(world):
    def ask(path):
        headers = {"Host": ""}
        return call(world.instance.application, "GET", path, headers=headers, protocol="HTTP/1.0")

    assert (ask("/health").status, ask("/health").body) == (200, b'{"status":"ok"}')
    assert ask("/projects.json").status == 401


NO_HOST = [
    "",
    " ",
    "a.example,b.example",
    "a b",
    "user@a.example",
    "a.example:http",
    "a.example:123456",
    "[::1",
    "é",
]


@pytest.mark.parametrize("said", NO_HOST)
def test_a_request_that_does_not_name_one_host_is_400(ada, roof, said):
    for path in (f"/projects/{roof}", "/projects", "/health", "/nowhere"):
        refused = ada.get(path, Host=said)
        assert (refused.status, refused.errors) == (
            400,
            ["The request must name one host, in one Host header"],
        )
        assert ada.send("OPTIONS", path, Host=said).status == 400
        page = ada.get(f"{path}!", Host=said, Accept="text/html")
        assert (page.status, b"must name one host" in page.body) == (400, True)
    refused = ada.post(f"/projects/{roof}/tickets", TICKET, Host=said)
    assert refused.status == 400
    assert ada.get(f"/projects/{roof}/tickets").items == []


@pytest.mark.parametrize("port", ["", ":", ":80", ":65535"])
def test_a_host_may_name_a_port(ada, roof, port):
    assert ada.get(f"/projects/{roof}", Host=f"{ada.host}{port}").status == 200


def test_an_absolute_request_target_is_answered(world, ada, roof):
    with served(world.instance.application) as port:
        for origin in (f"http://{ada.host}", f"https://{ada.host}:8443"):
            connection = HTTPConnection("127.0.0.1", port)
            headers = {"Host": ada.host, **ada.headers}
            connection.request("GET", f"{origin}/projects/{roof}.json", headers=headers)
            answer = connection.getresponse()
            assert (answer.status, parse(answer.read())["project"]["id"]) == (200, roof)
            connection.close()


@pytest.mark.parametrize(
    "target", ["http://", "http://[", "https://[::1/projects", "//", "*", "", "http://h"]
)
def test_an_odd_request_target_does_not_fail(world, ada, target):
    answer = call(world.instance.application, "GET", target, headers={"Host": ada.host, **ada.headers})
    assert answer.status in (200, 400, 404)


def test_absolute_addresses_use_the_host_that_the_caller_used(world, ada, roof):
    at_port = replace(ada, host=f"{world.host}:8080")
    answer = at_port.post(f"/projects/{roof}/tickets", TICKET)
    assert answer.headers["location"] == f"http://{world.host}:8080/projects/{roof}/tickets/1.{ada.format}"
    assert answer.item["url"] == f"http://{world.host}:8080/projects/{roof}/tickets/1"


def test_forwarded_headers_from_no_trusted_proxy_are_not_believed(ada, roof):
    answer = ada.post(
        f"/projects/{roof}/tickets", TICKET, X_Forwarded_Host="evil.example", X_Forwarded_Proto="https"
    )
    assert answer.headers["location"].startswith(f"http://{ada.host}/")


def test_the_body_of_a_delete_is_empty_and_so_is_its_answer(ada, roof):
    ada.post(f"/projects/{roof}/tickets", TICKET)
    answer = ada.delete(f"/projects/{roof}/tickets/1")
    assert (answer.status, answer.body) == (200, b"")


def test_location_ends_in_the_requests_own_extension(ada, roof):
    answer = ada.post("/projects", {"project": {"name": "Shed"}})
    assert answer.headers["location"] == f"http://{ada.host}/projects/{answer.item['id']}.{ada.format}"
    found = ada.get(answer.headers["location"].removeprefix(f"http://{ada.host}"))
    assert found.item == answer.item


def test_health_names_background_work_that_fails_without_its_reason(world):
    failures = Failures(world.instance.settings.data)
    failures.note("mail in", "Skerry cannot receive mail at /run/skerry/mail.sock: No such file or directory")
    answer = call(world.instance.application, "GET", "/health")
    failures.end("mail in", "Again")
    assert (answer.status, answer.body) == (200, b'{"status":"ok","failing":["mail in"]}')
