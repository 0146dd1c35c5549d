"""What somebody does at one server in the middle of what somebody else does at the other."""

from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager

from tests.conftest import PASSWORD
from tests.speaking import basic


def password(voice, word=PASSWORD, name="ada"):
    """The same server, asked with a login and a password."""
    return voice.speaking(**basic(f"{name}@{voice.host}", word))


@contextmanager
def meanwhile(monkeypatch, store, name, seconds=0.5):
    """Let the first that changes something find somebody else at it at the other server.

    Who waits for the first is waited for that long; who need not is waited for to the end.
    """
    change, wanted = getattr(store, name), []
    with ThreadPoolExecutor(1) as thread:

        def change_beside(*what, **how):
            if wanted:
                later, work = wanted.pop()
                thread.submit(lambda: later.set_result(work()))
                wait([later], seconds)
            return change(*what, **how)

        def do(work, *what):
            later = Future()
            wanted.append((later, lambda: work(*what)))
            return later

        monkeypatch.setattr(store, name, change_beside)
        yield do
