"""The server: granian in front of the application."""

import os

import click
from granian.constants import Interfaces
from granian.server import Server

from skerry.config import Settings


def run(settings: Settings, *, host: str, port: int, workers: int | None, threads: int | None) -> None:
    """Answer requests until a signal says to stop; running requests are finished first."""
    os.environ["SKERRY_DATA"] = str(settings.data)
    server = Server(
        "skerry.app:serve",
        address=host,
        port=port,
        interface=Interfaces.WSGI,
        factory=True,
        workers=workers or 1,
        blocking_threads=threads or 2,
        respawn_failed_workers=True,
        log_level="warning",
        websockets=False,
    )
    click.echo(f"Skerry answers at http://{host}:{port} (Ctrl-C stops it)")
    server.serve()
