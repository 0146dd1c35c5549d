"""A client of this REST interface: ``Client``, and ``AsyncClient`` with the same methods for asyncio.

    with Client("https://tracker.example", "TOKEN", project="roof") as client:
        for ticket in client.list(Ticket, q="state:open"):
            print(ticket.number, ticket.title)

What is not given is taken from ``SKERRY_URL``, ``SKERRY_TOKEN`` and ``SKERRY_PROJECT``. A request is sent
again when the server is busy or the connection fails; a change is made once, because it carries an
``Idempotency-Key``.
"""

from skerry.client.clients import AsyncClient, Client
from skerry.client.records import (
    Bin,
    BulkEdit,
    ClientError,
    Event,
    Milestone,
    Profile,
    Project,
    Record,
    Ticket,
)

__all__ = [
    "AsyncClient",
    "Bin",
    "BulkEdit",
    "Client",
    "ClientError",
    "Event",
    "Milestone",
    "Profile",
    "Project",
    "Record",
    "Ticket",
]
