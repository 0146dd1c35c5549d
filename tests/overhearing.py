"""What a house says to PostgreSQL, overheard at its driver, and what must not be said.

A statement on a table of an account's must name the account for every table in it, or a database
that is spread by account would have to ask everywhere.
"""

import re

from sqlalchemy import event

from skerry.store.tables import metadata

OF_THE_SERVICE = {"accounts", "users", "logins"}

# What is made from tickets for the search; its migration makes it, in the words of each database.
OF_THE_SEARCH = {"search_documents"}

OF_ACCOUNTS = ({table.name for table in metadata.tables.values()} - OF_THE_SERVICE) | OF_THE_SEARCH

# What is meant for all accounts: sessions end with a new password, and when they are old.
ACROSS = {
    "DELETE FROM sessions WHERE sessions.user_id = %s",
    "DELETE FROM sessions WHERE sessions.used_at <= %s::BIGINT",
    "DELETE FROM invitations WHERE invitations.used_at IS NOT NULL OR invitations.expires_at <= %s::BIGINT",
}

# What may come after a table that is not another name for it.
_NO_ALIAS = (
    "AS|CROSS|DO|FOR|FULL|GROUP|HAVING|INNER|JOIN|LEFT|LIMIT|ON|ORDER|RETURNING|SELECT|SET|UNION|USING"
    "|VALUES|WHERE"
)
_TABLE = re.compile(
    rf"(?<![\w.\"])(?P<table>{'|'.join(sorted(OF_ACCOUNTS))})(?![\w.\"])"
    rf"(?:\s+AS\s+(?P<named>\w+)|\s+(?!(?:{_NO_ALIAS})\b)(?P<called>\w+))?"
)
_INTRODUCED = re.compile(r"(\b(FROM|JOIN|UPDATE|INTO|ONLY|USING)|,)\s*\(*\s*$")
_TEXT = re.compile(r"'(?:[^']|'')*'")


def overhear(database):
    """Give the set in which every different statement will be that is sent from now on."""
    import psycopg  # noqa: PLC0415 - only where there is a PostgreSQL

    said = set()

    class Overheard(psycopg.Cursor):
        def execute(self, query, *values, **how):
            said.add(" ".join(str(query).split()))
            return super().execute(query, *values, **how)

        def executemany(self, query, *values, **how):
            said.add(" ".join(str(query).split()))
            return super().executemany(query, *values, **how)

    def listen(connection, _record):
        connection.cursor_factory = Overheard

    event.listen(database.engine, "connect", listen)
    database.close()
    return said


def tables_in(statement):
    """Give the tables of an account's that a statement names, each with the name that it has there."""
    plain = _TEXT.sub("''", statement)
    return [
        (match["table"], match["named"] or match["called"] or match["table"])
        for match in _TABLE.finditer(plain)
        if _INTRODUCED.search(plain[: match.start()])
    ]


def missing_accounts(statement):
    """Give the tables in a statement for which it does not name the account."""
    tables = tables_in(statement)
    return [name for table, name in tables if not _is_named(statement, table, name, alone=len(tables) == 1)]


def _is_named(statement, table, name, *, alone):
    # A sum with 0 keeps the planner from the indexes that begin with the account.
    column = rf"(?<![\w.]){name}\.account_id"
    ways = [
        rf"{column}(\s*\+ 0)?\s*(=|IN\b)",
        rf"=\s*{column}",
        rf"INTO {table}\s*(AS \w+\s*)?\(\s*account_id\b",
    ]
    if name == table:
        ways.append(rf"\b{table} WHERE \(*account_id\s*=")
    if alone:
        ways.append(r"(?<![\w.])account_id\s*=")
    return any(re.search(way, statement) for way in ways)


def strangers(said):
    """Give the statements that do not name the account where they must."""
    return sorted(statement for statement in said if statement not in ACROSS and missing_accounts(statement))
