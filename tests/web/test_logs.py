"""The log: one line a request, for people or programs, without anything secret in it."""

import io
import json

import pytest

from skerry import app
from skerry.files.folder import Folder
from skerry.settings import Settings
from skerry.store import accounts
from skerry.tracker import access
from skerry.web.log import Log
from tests.conftest import PASSWORD, build_world
from tests.support.browser_client import WebClient
from tests.support.client import basic, call
from tests.support.forms import KIND, field, file, form
from tests.web.test_authentication import with_token


def lines(world):
    return world.log.getvalue().splitlines()


@pytest.fixture
def quiet(world, ada, roof):
    """The world with an empty log."""
    world.log.seek(0)
    world.log.truncate()
    return world


def test_each_request_leaves_one_line_whatever_comes_of_it(quiet, ada, nobody, roof):
    asked = [
        ("GET", f"/projects/{roof}", ada, 200),
        ("GET", "/projects/999", ada, 404),
        ("GET", f"/projects/{roof}", nobody, 401),
        ("GET", "/nowhere", ada, 404),
    ]
    for number, (method, path, client, status) in enumerate(asked, start=1):
        client.send(method, path)
        assert len(lines(quiet)) == number
        line = lines(quiet)[-1]
        assert f"method={method} path={path}.{ada.format} status={status} " in line
        assert " milliseconds=" in line


def test_no_credential_is_ever_in_the_log(quiet, ada, roof):
    token = quiet.token(ada.user_id)
    for headers in (*with_token(token), basic(ada.email, PASSWORD), basic(ada.email, "wrong password")):
        quiet.client(**headers).get(f"/projects/{roof}")
    quiet.client().get(f"/projects/{roof}?_token={token}")
    quiet.client().get(f"/projects/{roof}?x=1&_token={token}x")
    quiet.client().get(f"/tokens/{token}")
    quiet.client().get(f"/tokens/{token.upper()}")
    quiet.client().get(f"/tokens/%{ord(token[0]):02x}{token[1:]}")
    quiet.client().get("/projects", X_Request_Id=token)
    quiet.client().get("/projects", X_Request_Id=f"build-{token.upper()}.1")
    quiet.client().send(token, "/projects")
    text = quiet.log.getvalue().lower()
    assert len(lines(quiet)) == 16
    for secret in (token, PASSWORD, "wrong password", ada.email):
        assert secret not in text


def test_an_invalid_method_is_not_logged(quiet, ada):
    assert ada.send("BREW", "/projects").status == 405
    assert f"method=? path=/projects.{ada.format} status=405 " in lines(quiet)[-1]


def test_the_log_holds_the_beginning_of_an_endless_address(quiet, ada):
    assert ada.get(f"/projects/{'z' * 60_000}").status == 404
    line = lines(quiet)[-1]
    assert f" path=/projects/{'z' * 1990}… status=404 " in line
    assert len(line) < 2200


def test_a_secret_at_the_cut_end_of_a_long_address_is_not_logged(quiet, ada):
    ada.get(f"/projects/{'x' * 1970}/{'ab' * 20}")
    assert "abab" not in quiet.log.getvalue()


@pytest.mark.parametrize("sent", ["build-42.a_b", "0af7651916cd43dd8448eb211c80319c"])
def test_the_id_of_a_request_is_echoed_and_logged(quiet, ada, roof, sent):
    answer = ada.get(f"/projects/{roof}", X_Request_Id=sent)
    assert answer.headers["x-request-id"] == sent
    assert lines(quiet)[-1].endswith(f"request_id={sent}")


def test_a_request_without_a_usable_id_gets_one(quiet, ada, roof):
    for sent in ("", "a b", "x" * 65, "a\r\nb", "é", '"', "5f" * 20):
        given = ada.get(f"/projects/{roof}", X_Request_Id=sent).headers["x-request-id"]
        assert given != sent
        assert len(given) == 16
        assert given in lines(quiet)[-1]
    ids = {ada.get(f"/projects/{roof}").headers["x-request-id"] for _ in range(5)}
    assert len(ids) == 5


def test_a_request_cannot_write_a_line_of_its_own(quiet, ada, roof):
    ada.get(f"/projects/{roof}-%0A2030-01-01T00:00:00Z%20request%20method=GET")
    ada.get("/a%0Db%E2%80%A8c%1B[31m")
    assert len(lines(quiet)) == 2
    assert not {"\r", "\x1b", "\u2028"} & set(quiet.log.getvalue())


def test_the_log_can_be_json_for_programs(data):
    stream = io.StringIO()
    instance = app.build(Settings(data=data), Log("json", stream))
    call(instance.application, "GET", "/projects/1.json", headers={"X-Request-Id": "r1"})
    instance.database.close()
    (line,) = stream.getvalue().splitlines()
    entry = json.loads(line)
    assert (entry["event"], entry["method"], entry["path"], entry["status"], entry["request_id"]) == (
        "request", "GET", "/projects/1.json", 404, "r1",
    )  # fmt: skip


@pytest.fixture
def faulty(data):
    """A world of its own, whose log may hold faults."""
    stream = io.StringIO()
    with app.build(Settings(data=data), Log(stream=stream)) as instance:
        yield build_world(instance, stream)


def broken(*_arguments, **_named):
    raise ZeroDivisionError("secret inside")


@pytest.mark.parametrize("where", [(access, "admit"), (accounts, "at_host")])
def test_an_internal_error_is_logged_with_its_traceback_and_answered_without(faulty, where, monkeypatch):
    monkeypatch.setattr(*where, broken)
    answer = faulty.people["ada"].get("/projects", X_Request_Id="r7")
    assert answer.status == 500
    assert answer.body == b'{"errors":["Something went wrong on the server. Nothing was changed"]}'
    assert "ZeroDivisionError: secret inside" in faulty.log.getvalue()
    assert "request_id=r7" in faulty.log.getvalue()


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/", 500, "Something went wrong on the server"),
        ("/sign-in", 500, "Something went wrong on the server"),
        ("/static/nothing.css", 404, "Nothing exists at this address"),
    ],
)
def test_a_page_reports_an_error_even_if_its_reader_could_not_be_identified(
    faulty, path, status, said, monkeypatch
):
    monkeypatch.setattr(accounts, "at_host", broken)
    page = WebClient(faulty.instance.application, faulty.host).get(path)
    assert (page.status, said in page.text) == (status, True)
    assert "ZeroDivisionError: secret inside" in faulty.log.getvalue()
    assert f"path={path} status={status} " in lines(faulty)[-1]


def test_the_reason_of_a_503_is_in_the_log_and_not_in_the_response(quiet, ada, roof, monkeypatch):
    def full(*_asked):
        raise OSError("No room on the disk of the files")

    monkeypatch.setattr(Folder, "put", full)
    answer = ada.send(
        "POST", f"/projects/{roof}/tickets", raw=form(field("ticket[title]", "Leak"), file()), kind=KIND
    )
    assert (answer.status, b"No room" in answer.body) == (503, False)
    (why,) = [line for line in lines(quiet) if " unavailable " in line]
    assert f"request_id={answer.headers['x-request-id']} " in why
    assert "No room on the disk of the files" in why
