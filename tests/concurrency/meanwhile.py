"""What somebody does at one server in the middle of what somebody else does at the other."""

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from tests.conftest import PASSWORD
from tests.support import postgres
from tests.support.client import basic
from tests.support.processes import until


def password(client, word=PASSWORD, name="ada"):
    """The same server, asked with a login and a password."""
    return client.speaking(**basic(f"{name}@{client.host}", word))


def waiting(connection, database):
    """Return whether somebody waits for somebody else's lock in a database."""
    lock = "wait_event_type = 'Lock' AND backend_type = 'client backend'"
    asked = f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{database}' AND {lock}"
    return connection.exec_driver_sql(asked).scalar() > 0


def answer(later, work):
    """Do some work and hand on what comes of it, so that nobody waits for ever where it fails."""
    try:
        later.set_result(work())
    except Exception as error:  # noqa: BLE001 - it is raised where it is waited for
        later.set_exception(error)


@contextmanager
def meanwhile_at(database, monkeypatch, store, name):
    """Let the first that changes something find somebody else at it at the other server.

    Who waits for the first is waited for until that is seen; who need not, to the end.
    """
    change, wanted = getattr(store, name), []
    with ThreadPoolExecutor(1) as thread:

        def change_beside(*what, **how):
            if wanted:
                later, work = wanted.pop()
                thread.submit(answer, later, work)
                with postgres.connect() as connection:
                    until(lambda: later.done() or waiting(connection, database), "an end, or a wait")
            return change(*what, **how)

        def do(work, *what):
            later = Future()
            wanted.append((later, lambda: work(*what)))
            return later

        monkeypatch.setattr(store, name, change_beside)
        yield do
