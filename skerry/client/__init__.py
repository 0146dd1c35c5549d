"""A client of this REST interface: ``Client``, and ``AsyncClient`` with the same methods for asyncio.

    with Client("https://tracker.example", "TOKEN", project="roof") as client:
        for ticket in client.list(Ticket, q="state:open"):
            print(ticket.number, ticket.title)

What is not given is taken from ``SKERRY_URL``, ``SKERRY_TOKEN`` and ``SKERRY_PROJECT``. A request is sent
again when the server is busy or the connection fails; a change is made once, because it carries an
``Idempotency-Key``.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from skerry.client import records
from skerry.client.records import *  # noqa: F403 - all that it declares to be for others

if TYPE_CHECKING:
    from skerry.client.async_client import AsyncClient
    from skerry.client.sync_client import Client

__all__ = ["AsyncClient", "Client"]
__all__ += records.__all__

_CLIENTS = {"AsyncClient": "skerry.client.async_client", "Client": "skerry.client.sync_client"}


def __getattr__(name: str) -> object:
    """Return a client, loaded now: httpx takes longer to load than all else."""
    if name in _CLIENTS:
        return getattr(import_module(_CLIENTS[name]), name)
    raise AttributeError(f"module {__name__} has no attribute {name}")
