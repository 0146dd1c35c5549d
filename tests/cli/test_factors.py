"""Second factors on the command line: reset for somebody who has lost them, or lost with the key."""

import pytest

from skerry.sealing.key_ring import new_key
from tests.cli.terminal import world
from tests.support.browser_client import WebClient
from tests.support.factors import CodeApp

ADA, PASSWORD = "ada@example.org", "correct horse"
FACTOR = "/sign-in/factor"


def browser(opened):
    return WebClient(opened.instance.application, opened.host)


@pytest.fixture
def code_app(terminal):
    """Ada's app, set up."""
    with world(terminal) as opened:
        app = CodeApp(opened.database, opened.database.clock())
        web = browser(opened)
        assert web.sign_in(ADA, PASSWORD).status == 200
        app.set_up(web, offset=0)
    return app


def test_a_lost_factor_is_reset(terminal, code_app):
    del code_app
    said = terminal.good("user", "reset-factors", ADA)
    assert said == f"{ADA} can sign in with the password alone.\n"
    with world(terminal) as opened:
        assert browser(opened).sign_in(ADA, PASSWORD).path == "/"
    assert (
        terminal.bad("user", "reset-factors", ADA)
        == "This person has no second factor and no linked provider"
    )
    assert "factor.reset" in terminal.good("audit", "export")


def test_after_the_key_is_lost_a_recovery_code_still_signs_in(terminal, code_app):
    (terminal.folder / "secret.key").write_text(new_key())
    assert terminal.good("secrets", "reset", "--yes").endswith("1 person needs a recovery code to sign in.\n")
    with world(terminal) as opened:
        web = browser(opened)
        page = web.sign_in(ADA, PASSWORD)
        page = web.submit(page, FACTOR, code="000000")
        assert page.status == 401
        assert web.submit(page, FACTOR, code=code_app.recovery[0]).path == "/"
        assert "Set up an app" in web.get("/profile").text


def test_without_the_key_the_page_says_so_and_takes_recovery_codes(terminal, code_app):
    (terminal.folder / "secret.key").unlink()
    with world(terminal) as opened:
        web = browser(opened)
        page = web.submit(web.sign_in(ADA, PASSWORD), FACTOR, code=code_app.code())
        assert (page.status, "key of stored secrets is missing" in page.text) == (503, True)
        assert web.submit(page, FACTOR, code=code_app.recovery[0]).path == "/"


def test_a_new_key_reads_the_secret_of_an_app(terminal, code_app):
    assert "Encrypted the secrets in 2 rows" in terminal.good("secrets", "rotate")
    with world(terminal) as opened:
        web = browser(opened)
        app = CodeApp(opened.database, opened.database.clock(), code_app.secret)
        assert web.submit(web.sign_in(ADA, PASSWORD), FACTOR, code=app.code(1)).path == "/"
