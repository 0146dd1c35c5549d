"""Mail about second factors."""

import pytest

from tests.conftest import PASSWORD
from tests.mail.test_account_mails import verify
from tests.support.browser_client import WebClient
from tests.support.client import basic

FACTOR = "/sign-in/factor"


@pytest.fixture
def web(world, ada, post):
    """Ada's browser; her address is verified, so she gets mail."""
    verify(world, ada, post)
    web = WebClient(world.instance.application, world.host)
    web.sign_in(ada.email, PASSWORD)
    return web


def subjects(post):
    return [message["subject"] for _, message in post.deliver()]


def test_a_person_is_told_what_happens_to_their_factor(web, post, code_app):
    code_app.set_up(web)
    assert subjects(post) == ["A second factor was set up"]
    web.submit(web.get("/profile/recovery-codes"), "/profile/recovery-codes")
    assert subjects(post) == ["New recovery codes"]
    web.submit(web.get("/profile"), "/profile/time-codes", "delete")
    assert subjects(post) == ["A second factor was removed"]


def test_a_used_recovery_code_is_told_with_how_many_are_left(web, ada, post, code_app):
    code_app.set_up(web)
    post.deliver()
    web.submit(web.get("/"), "/sign-out")
    page = web.sign_in(ada.email, PASSWORD)
    web.submit(page, FACTOR, code=code_app.recovery[0])
    ((_, message),) = post.deliver()
    assert message["subject"] == "A recovery code was used"
    assert "9" in message.get_body(("plain",)).get_content().splitlines()


def test_ten_wrong_codes_after_the_right_password_are_told_once(web, ada, post, code_app):
    code_app.set_up(web)
    post.deliver()
    web.submit(web.get("/"), "/sign-out")
    page = web.sign_in(ada.email, PASSWORD)
    for _ in range(10):
        page = web.submit(page, FACTOR, code=code_app.wrong())
    assert subjects(post) == ["Wrong codes at your sign-in"]


def test_a_reset_is_told(world, web, ada, post, code_app):
    code_app.set_up(web)
    post.deliver()
    owner = world.person("owner", "owner")
    assert world.client(**basic(owner.email, PASSWORD)).delete(f"/people/{ada.user_id}/factors").status == 200
    assert subjects(post) == ["Your second factors were reset"]
