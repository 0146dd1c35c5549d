"""Mails of a whole server that is killed at work: none is lost, and only what was under way comes twice."""

from collections import Counter

import pytest

from tests.support import mail_server
from tests.support.client import basic
from tests.support.processes import credentials, serving, until

pytestmark = pytest.mark.faults

MAILS = 60
LEASE = 60  # seconds until another process may go on, and some more


def settings(server):
    return {
        "SKERRY_SMTP_URL": f"smtp://localhost:{server.port}",
        "SKERRY_MAIL_FROM": mail_server.SENDER,
        "SKERRY_BASE_URL": mail_server.BASE,
    }


def test_a_server_that_is_killed_loses_no_mail(tmp_path):
    wanted = [f"p{number}@example.org" for number in range(MAILS)]
    with mail_server.running() as server:
        server.seconds = 0.1
        with serving(tmp_path, "--workers", "2", **settings(server)) as program:
            login, password, _ = credentials(program.output)
            for email in wanted:
                invitation = {"invitation": {"email": email, "role": "member"}}
                status, _ = program.send("POST", "/invitations", invitation, **basic(login, password))
                assert status == 201
            until(lambda: 5 <= len(server.messages) < MAILS, "some of the mails", LEASE)
            program.kill()
        with serving(tmp_path, "--workers", "2", **settings(server)):
            until(lambda: set(server.recipients) >= set(wanted), "all of the mails", 2 * LEASE)
    twice = [email for email, times in Counter(server.recipients).items() if times > 1]
    assert len(twice) <= 1
    assert max(Counter(server.recipients).values()) <= 2
