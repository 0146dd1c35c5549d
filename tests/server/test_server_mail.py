"""Mail of a real server that is killed: none is lost, and only mail being sent arrives twice."""

from collections import Counter

import pytest

from tests.support import mail_server
from tests.support.client import basic
from tests.support.processes import credentials, expire_leases, kill_workers, serving, until

pytestmark = pytest.mark.faults

MAILS = 60
LEASE = 60  # seconds until another process may go on, and some more


def settings(server):
    return {
        "SKERRY_SMTP_URL": f"smtp://localhost:{server.port}",
        "SKERRY_MAIL_FROM": mail_server.SENDER,
        "SKERRY_BASE_URL": mail_server.BASE,
    }


def invite(program, *emails):
    login, password, _ = credentials(program.output)
    for email in emails:
        invitation = {"invitation": {"email": email, "role": "member"}}
        status, _ = program.send("POST", "/invitations", invitation, **basic(login, password))
        assert status == 201


def test_a_server_that_is_killed_loses_no_mail(tmp_path):
    wanted = [f"p{number}@example.org" for number in range(MAILS)]
    with mail_server.running() as server:
        server.seconds = 0.1
        with serving(tmp_path, "--workers", "2", **settings(server)) as program:
            invite(program, *wanted)
            until(lambda: 5 <= len(server.messages) < MAILS, "some of the mails", LEASE)
            program.kill()
        with serving(tmp_path, "--workers", "2", **settings(server)):
            until(lambda: set(server.recipients) >= set(wanted), "all of the mails", 2 * LEASE)
    twice = [email for email, times in Counter(server.recipients).items() if times > 1]
    assert len(twice) <= 1
    assert max(Counter(server.recipients).values()) <= 2


def test_workers_are_killed_twenty_times_and_every_mail_comes_once_or_twice(tmp_path):
    with mail_server.running() as server:
        server.seconds = 0.02
        with serving(tmp_path, "--workers", "2", **settings(server)) as program:
            for number in range(20):
                invite(program, *(f"p{number}.{each}@example.org" for each in range(10)))
                until(lambda: len(set(server.recipients)) > 10 * number + 2, "some mails")  # noqa: B023
                kill_workers(program, expire_leases)
            until(lambda: len(set(server.recipients)) == 200, "all mails", 2 * LEASE)
    times = Counter(server.recipients)
    assert max(times.values()) <= 2
    # Of each kill, at most the mail that was under way comes again.
    assert sum(times.values()) <= 220
