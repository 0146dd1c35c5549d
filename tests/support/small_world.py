"""An account at an address of this machine, with the cast in it, for programs that come over the network."""

from contextlib import contextmanager

from skerry.store import accounts
from tests import conftest
from tests.support import chromium


@contextmanager
def reachable(folder):
    """Return a world on an instance of its own, which also has its ``address``."""
    instance, log = conftest.make_instance("", folder)
    with instance, chromium.served(instance.application) as port:
        with instance.database.write() as transaction:
            account = accounts.add(transaction, "Acme", "127.0.0.1")
        world = conftest.World(instance, log, account.id, "127.0.0.1", "json")
        world.cast()
        world.address = f"http://127.0.0.1:{port}"
        yield world
