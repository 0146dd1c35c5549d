"""Session parameters on PostgreSQL that the program depends on, regardless of other configuration.

The server, the database, the role and the environment may each set defaults. This module sets those that
could make results wrong. Everything else is up to the operator: lock timeouts, the schema of the tables, and
what is flushed to disk.
"""

from typing import Any

from sqlalchemy import URL

from skerry.database.writer_locks import TIMEOUT_SECONDS

# How long to wait for a server that does not respond: the system's default is a quarter of an hour.
_WAITING = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "tcp_user_timeout": TIMEOUT_SECONDS * 1000,
}

# A server with the other setting would double the backslashes in texts.
_STANDARD = "SELECT set_config('standard_conforming_strings', 'on', FALSE)"

# The first setting limits the results of an index search by omitting arbitrary tickets. Locks are waited for
# as long as on SQLite, unless the operator has set a limit.
_RELIED_ON = (
    f"{_STANDARD}, set_config('gin_fuzzy_search_limit', '0', FALSE), CASE current_setting('lock_timeout') "
    f"WHEN '0' THEN set_config('lock_timeout', '{TIMEOUT_SECONDS}s', FALSE) END"
)

# Not every version knows all of them.
_PATIENT = (
    "SELECT set_config(name, '0', FALSE) FROM pg_settings WHERE name IN "
    "('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')"
)

UTF8 = "UTF8"
"""The only encoding that has all characters."""


def connection_options(address: URL) -> dict[str, Any]:
    """Return the driver's connection options; those in the URL take precedence, except for the encoding."""
    waiting = {name: value for name, value in _WAITING.items() if name not in address.query}
    return {**waiting, "client_encoding": UTF8}


def configure(connection: Any, *, wait_forever: bool) -> None:
    """Set the parameters of a driver session; a ``wait_forever`` session has no time limits."""
    connection.execute(_RELIED_ON)
    if wait_forever:
        connection.execute(_PATIENT)


def remove_time_limits(connection: Any, _record: object) -> None:
    """Remove the time limits for statements and locks from a driver session.

    Text is encoded as in all other sessions.
    """
    connection.execute(_STANDARD)
    connection.execute(_PATIENT)
    connection.commit()


def encoding(connection: Any) -> str:
    """Return the encoding of the database of a driver session."""
    return str(connection.info.parameter_status("server_encoding"))
