"""Selection of the database engine by URL."""

from typing import Any

from sqlalchemy import Engine, create_engine, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError
from sqlalchemy.pool import NullPool

from skerry.database.postgresql import PostgreSQL
from skerry.database.sqlite import SQLite

KINDS: dict[str, Any] = {"sqlite": SQLite, "postgresql": PostgreSQL}
"""The implementation for each database, by the name of its dialect."""


def engine_at(url: str) -> Engine:
    """Return the engine for a URL; raises ValueError with a message if it cannot be used."""
    try:
        address = make_url(url)
        kind = KINDS[address.get_backend_name()]
        return create_engine(
            address, poolclass=NullPool, paramstyle=kind.paramstyle, connect_args=kind.connecting(address)
        )
    except (NoSuchModuleError, KeyError) as error:
        raise ValueError(f"SKERRY_DATABASE_URL names an unknown kind of database: {error}") from error
    except (ArgumentError, ValueError) as error:
        # The URL may contain a password, so the message does not repeat it.
        raise ValueError("SKERRY_DATABASE_URL is not a valid URL") from error
    except ModuleNotFoundError as error:
        raise ValueError(
            "PostgreSQL needs the driver: install skerry with its extra, 'pip install skerry[postgres]'"
        ) from error
