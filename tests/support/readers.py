"""The readers of events, which in a server run in the background."""

from skerry.app import READERS
from skerry.tracker.events.event_readers import PatientReader


def read_events(world):
    """Pass the new events of an account to all readers, which find whom to notify, and what texts name."""
    for name, read in READERS.items():
        PatientReader(world.database, name, read, _fail).read_new([world.account_id], lambda _seconds: None)


def _fail(_what, error):
    raise error
