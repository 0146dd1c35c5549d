"""The server behind the real nginx and the real Caddy, with the files in deploy/."""

import http.client
from contextlib import closing

import pytest

from tests.support import reverse_proxies
from tests.support.client import basic
from tests.support.processes import PATIENCE, credentials, made, serving

HOST = "tracker.example.org"


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    with serving(
        tmp_path_factory.mktemp("behind"), "--workers", "1", SKERRY_TRUSTED_PROXIES="127.0.0.1"
    ) as program:
        program.token = credentials(program.output)[-1]
        yield program


@pytest.fixture(scope="module", params=reverse_proxies.NAMES)
def port(request, program, tmp_path_factory):
    """Run a proxy in front of the server, and return its port."""
    with reverse_proxies.in_front_of(
        program.port, request.param, tmp_path_factory.mktemp(request.param)
    ) as port:
        yield port


def ask(port, path, headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", path, headers={"Host": HOST, **headers})
        answer = connection.getresponse()
        answer.read()
        return answer
    finally:
        connection.close()


def guesses(port, header):
    """Yield the statuses of wrong passwords, each with another login and another address claimed."""
    for n in range(60):
        claimed = {header: f"203.0.113.{n}", **basic(f"{header}{n}@{port}.example", "wrong")}
        yield ask(port, "/projects.json", claimed).status


@pytest.mark.parametrize(
    "header", ["X-Forwarded-For", "X_Forwarded_For", "x_forwarded_for", "X-Forwarded_For"]
)
def test_no_caller_says_from_where_they_call(port, header):
    assert 429 in guesses(port, header)


@pytest.mark.parametrize("header", ["X-Forwarded-Host", "X_Forwarded_Host", "x_forwarded-host"])
def test_no_caller_says_which_host_they_asked(program, port, header):
    answer = ask(port, "/tickets.json", {header: "evil.test", "X-ServiceToken": program.token})
    assert answer.headers["Link"].startswith(f"<http://{HOST}/tickets.json")


def test_no_caller_says_below_which_path_they_asked(program, port):
    answer = ask(port, "/tickets.json", {"X-Forwarded-Prefix": "/evil", "X-ServiceToken": program.token})
    assert answer.headers["Link"].startswith(f"<http://{HOST}/tickets.json")


def test_metrics_are_hidden_from_callers_behind_a_proxy(port):
    assert ask(port, "/metrics", {}).status == 404


@pytest.fixture(params=reverse_proxies.NAMES)
def port_below(request, program, tmp_path):
    """Run a proxy that has the service below a path, and return its port."""
    with reverse_proxies.in_front_of(program.port, request.param, tmp_path, below="/tracker") as port:
        yield port


def test_below_a_path_every_address_has_it(port_below, program):
    token = {"X-ServiceToken": program.token}
    answers = {path: ask(port_below, path, token) for path in ("/tracker/tickets.json", "/tracker/metrics")}
    assert answers["/tracker/tickets.json"].headers["Link"].startswith(f"<http://{HOST}/tracker/tickets.json")
    assert answers["/tracker/metrics"].status == 404
    page = ask(port_below, "/tracker/projects", {"Accept": "text/html"})
    assert (page.status, page.headers["Location"]) == (303, "/tracker/sign-in?next=%2Fprojects")
    alone = ask(port_below, "/tracker", {})
    assert alone.status in (301, 302, 308)
    assert alone.headers["Location"].endswith("/tracker/")
    assert ask(port_below, "/elsewhere", {}).headers.get("Server") != "uvicorn"


def test_a_stream_of_events_comes_through_as_it_is_written(port, program):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    headers = {"Host": HOST, "X-ServiceToken": program.token, "Accept": "text/event-stream"}
    with closing(connection):
        connection.request("GET", "/events?after=now", headers=headers)
        answer = connection.getresponse()
        assert answer.status == 200
        # The first words come although nothing has happened yet.
        assert answer.readline().startswith(b": ")
        made(program, "/projects.json", {"project": {"name": "Streamed"}})
        while not (line := answer.readline()).startswith(b"data: "):
            assert line
        assert b"project.created" in line
        answer.close()
