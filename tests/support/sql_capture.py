"""What an instance says to PostgreSQL, overheard where it is said, and what must not be said.

A statement on a table of an account's must name the account for every table in it, or a database
that is spread by account would have to ask everywhere, or would refuse it.
"""

import importlib
import pkgutil
import re
from collections import Counter
from contextlib import closing, contextmanager

import pytest

import skerry
from skerry.database.statements import STATEMENTS
from skerry.store.tables import metadata

OF_THE_SERVICE = {"accounts", "users", "logins"}

# What is made from tickets for the search; its migration makes it, in the words of each database.
OF_THE_SEARCH = {"search_documents"}

OF_ACCOUNTS = ({table.name for table in metadata.tables.values()} - OF_THE_SERVICE) | OF_THE_SEARCH

# What is meant for all accounts: sessions, links for a new password and the passwords of single accounts end
# with a new password of the server; sessions end when they are old; links to providers are counted, and bound
# to issuers; networks and what guests sent are forgotten as well.
ACROSS = {
    "DELETE FROM sessions WHERE sessions.user_id = %s::BIGINT",
    (
        "DELETE FROM sessions WHERE sessions.user_id = %s::BIGINT"
        " AND NOT (sessions.account_id = %s::BIGINT AND sessions.id = %s::BIGINT)"
    ),
    "DELETE FROM sessions WHERE sessions.used_at <= %s::BIGINT OR sessions.created_at <= %s::BIGINT",
    "SELECT removed_files.code FROM removed_files WHERE removed_files.code IN (%s::VARCHAR)",
    "DELETE FROM held_texts WHERE held_texts.created_at <= %s::BIGINT AND held_texts.shown_as IS NULL",
    "DELETE FROM guest_bytes WHERE guest_bytes.day < %s::BIGINT",
    "DELETE FROM incoming_mails WHERE incoming_mails.created_at < %s::BIGINT",
    (
        "SELECT count(*) AS count_1 FROM tokens WHERE tokens.user_id = %s::BIGINT"
        " AND tokens.revoked_at IS NULL AND (tokens.expires_at IS NULL OR tokens.expires_at > %s::BIGINT)"
    ),
    "DELETE FROM mailed_links WHERE mailed_links.expires_at <= %s::BIGINT",
    "DELETE FROM mailed_links WHERE mailed_links.kind = %s::VARCHAR AND mailed_links.user_id = %s::BIGINT",
    "DELETE FROM mails WHERE mails.set_aside_at < %s::BIGINT",
    "DELETE FROM login_browsers WHERE login_browsers.used_at <= %s::BIGINT",
    "DELETE FROM sign_in_steps WHERE sign_in_steps.expires_at <= %s::BIGINT",
    "DELETE FROM login_networks WHERE login_networks.used_at <= %s::BIGINT",
    "DELETE FROM answered_challenges WHERE answered_challenges.expires_at <= %s::BIGINT",
    "DELETE FROM invitations WHERE invitations.used_at IS NOT NULL OR invitations.expires_at <= %s::BIGINT",
    (
        "DELETE FROM sign_ups WHERE sign_ups.user_id IS NULL AND (sign_ups.proved_at IS NULL"
        " AND sign_ups.expires_at <= %s::BIGINT OR sign_ups.decided_at <= %s::BIGINT"
        " OR sign_ups.decided_at IS NULL AND sign_ups.proved_at <= %s::BIGINT)"
    ),
    "SELECT DISTINCT repeats.account_id FROM repeats WHERE repeats.created_at <= %s::BIGINT",
    (
        "SELECT identities.provider, identities.issuer, count(*) AS count_1 FROM identities"
        " GROUP BY identities.provider, identities.issuer ORDER BY identities.provider, identities.issuer"
    ),
    (
        "UPDATE identities SET issuer=%s::VARCHAR"
        " WHERE identities.issuer = %s::VARCHAR AND identities.provider = %s::VARCHAR"
    ),
    "UPDATE account_logins SET password_hash=%s::VARCHAR WHERE account_logins.user_id = %s::BIGINT",
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
_INTO = re.compile(r"\bINSERT INTO \w+")
_TEXT = re.compile(r"'(?:[^']|'')*'")
_QUERY = re.compile(r"\s*(SELECT|WITH|INSERT|UPDATE|DELETE)\b")
_NEXT_ONE = re.compile(r"\b(?:UNION ALL|UNION|EXCEPT|INTERSECT)\b")
_VALUE = r"(?:%s(?:::\w+)?|CAST\(%s AS \w+\)|\d+)"
_LOCKS = re.compile(r"\bFOR (NO KEY |KEY )?(UPDATE|SHARE)\b")
_OF_THE_SERVICE = re.compile(rf"\bFROM ({'|'.join(OF_THE_SERVICE)})\b")
_FUNCTION = re.compile(r"(?<!INTO )\b(\w+)\(")
_DENIED = re.compile(r"\bNOT \([^()]*\)")


def capture_sql(database):
    """Return every different statement that is sent from now on, each with a list of values for it.

    These are the first ones, and all that are NULL or empty in other places.
    """
    said = {}
    database._pool.session = _overheard(said)
    return said


@contextmanager
def capturing(said):
    """Add every statement of the databases that are opened meanwhile, as commands open them."""
    from skerry.database import postgresql_pool  # noqa: PLC0415 - only where there is the driver

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postgresql_pool, "PostgresqlSession", _overheard(said))
        yield


def _overheard(said):
    from skerry.database import postgresql_pool  # noqa: PLC0415 - as above

    class Overheard(postgresql_pool.PostgresqlSession):
        def execute(self, text, values=()):
            known = said.setdefault(" ".join(text.split()), [])
            if _absent(values) not in map(_absent, known):
                known.append(values)
            return super().execute(text, values)

        def executemany(self, text, rows):
            for values in rows:
                self.execute(text, values)

    return Overheard


def of_the_program(dialect):
    """Return the text of every statement that the program has for PostgreSQL, with what it is for."""
    for module in pkgutil.walk_packages(skerry.__path__, "skerry."):
        if "migrations" not in module.name and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    texts = {" ".join(statement.on(dialect).text.split()): statement for statement in STATEMENTS}
    return {text: statement for text, statement in texts.items() if "search_places" not in text}


def across(statements):
    """Return the statements that are meant for all accounts."""
    return {text for text, statement in statements.items() if statement.across_accounts}


def refused(statement):
    """Return why the rules of tables that are spread refuse a statement, besides functions in changes."""
    tables = tables_in(statement)
    outer = queries_in(statement)[-1]
    if tables and missing_accounts(statement) and _LOCKS.search(statement):
        return "it locks rows of several accounts"
    if tables and not tables_in(outer) and _OF_THE_SERVICE.search(outer) and missing_accounts(statement):
        return "a subquery on spread tables refers to a row that every machine has"
    return ""


def functions_in(changes):
    """Return the names of the functions that changes of rows call."""
    return {name.lower() for statement in changes for name in _FUNCTION.findall(statement)}


def _absent(values):
    return [place for place, value in enumerate(values) if value in (None, "", [])]


def tables_in(statement):
    """Return the tables of an account's that a statement names, each with the name that it has there."""
    plain = _TEXT.sub("''", statement)
    return [
        (match["table"], match["named"] or match["called"] or match["table"])
        for match in _TABLE.finditer(plain)
        if _INTRODUCED.search(plain[: match.start()])
    ]


def queries_in(statement):
    """Return a statement and the queries within it, each without those within it; ``()`` stands for them."""
    found, open_ones = [], [""]
    for piece in re.split(r"([()])", _TEXT.sub("''", statement)):
        if piece == "(":
            open_ones.append("")
        elif piece == ")":
            inner = open_ones.pop()
            if _QUERY.match(inner):
                found += _NEXT_ONE.split(inner)
                inner = ""
            open_ones[-1] += f"({inner})"
        else:
            open_ones[-1] += piece
    return [*found, *_NEXT_ONE.split(open_ones[0])]


def missing_accounts(statement):
    """Return the tables in a statement for which it does not say plainly which account's rows are meant.

    A table is told by a value, or by another table of the same query that is told. What a query
    outside says does not count: who spreads a statement over machines does not see that.
    """
    return [name for query in queries_in(statement) for name in _untold(query)]


def _untold(query):
    into, select, rest = query.partition("SELECT") if "INSERT INTO" in query else ("", "SELECT", query)
    tables = tables_in(rest)
    told = {name for table, name in tables if _is_told(rest, table, name, alone=len(tables) == 1)}
    for _ in tables:
        told |= {name for _, name in tables if any(_are_one(rest, name, other) for other in told)}
    given = _is_taken(query, told) if select else _is_given(into)
    return [name for _, name in tables if name not in told] + [
        name for _, name in tables_in(into) if not given
    ]


def _is_told(query, table, name, *, alone):
    names = [rf"{name}\."] + [""] * (alone and (name == table or "account_id" in query))
    plain = _DENIED.sub("", query)
    return any(re.search(rf"(?<![\w.]){each}account_id = {_VALUE}(?![\w+])", plain) for each in names)


def _are_one(query, name, other):
    pairs = ((name, other), (other, name))
    return any(re.search(rf"(?<![\w.]){one}\.account_id = {two}\.account_id\b", query) for one, two in pairs)


def _is_given(insert):
    """The account is among the values, and no query is."""
    return bool(re.search(r"\([^()]*\baccount_id\b[^()]*\) VALUES \(", insert)) and "()" not in insert


def _is_taken(insert, told):
    """The account is that of a table in the SELECT."""
    taken = re.search(r"\(account_id,.*\) SELECT (\w+)\.account_id,", insert)
    return bool(taken) and taken[1] in told


@contextmanager
def planning(database):
    """Return a function that gives the tables in a statement of which the planner does not know the account.

    Who spreads a statement over machines lets PostgreSQL make of the conditions what it can, and then
    looks whether the rows of each table must be of one account. So does this, without indexes: what one
    of them takes over is no condition on the table any more. Where a condition is always false, which it
    is for some values only, the table is not in the plan, and nobody knows its account: it is given, too.
    """
    from psycopg.types.numeric import Int8Dumper  # noqa: PLC0415 - as above

    with closing(database.engine.raw_connection()) as connection:
        connection.driver_connection.adapters.register_dumper(int, Int8Dumper)
        cursor = connection.cursor()
        for way in ("indexscan", "indexonlyscan", "bitmapscan"):
            cursor.execute(f"SET enable_{way} TO off")

        def unplaced(statement, values):
            cursor.execute(f"EXPLAIN (FORMAT JSON, VERBOSE) {statement}", values)
            ((plan,),) = cursor.fetchone()
            read = [scan for scan in _scans(plan["Plan"]) if scan["Relation Name"] in OF_ACCOUNTS]
            untold = [scan["Alias"] for scan in read if not _is_of_one(scan["Alias"], scan.get("Filter", ""))]
            named = Counter(table for table, _ in tables_in(_INTO.sub("", statement)))
            return untold + list((named - Counter(scan["Relation Name"] for scan in read)).elements())

        yield unplaced


def _scans(plan):
    """Return the parts of a plan that read a table."""
    if "Relation Name" in plan and plan["Node Type"] != "ModifyTable":
        yield plan
    for part in plan.get("Plans", ()):
        yield from _scans(part)


def _is_of_one(name, condition):
    """Return whether the account is compared with a value, whatever else must hold."""
    plain = _TEXT.sub(lambda text: text[0] if text[0][1:-1].isdecimal() else "''", condition)
    parts, depth = [""], 0
    for piece in re.split(r"([()]| AND )", plain[1:-1]):
        depth += (piece == "(") - (piece == ")")
        if piece == " AND " and not depth:
            parts.append("")
        else:
            parts[-1] += piece
    return any(re.fullmatch(rf"\(?{name}\.account_id = '\d+'::bigint\)?", part) for part in parts)


def strangers(said):
    """Return the statements that do not name the account where they must."""
    return sorted(statement for statement in said if statement not in ACROSS and missing_accounts(statement))
