"""A PostgreSQL whose tables are divided by account: what a database that is spread over machines does on one.

PostgreSQL demands of such tables what any engine that spreads them does: every key and unique rule
has ``account_id`` among its columns. Which parts a statement reads stands in its plan.
"""

import re
from contextlib import contextmanager

from sqlalchemy import NullPool, create_engine, make_url

PARTS = 4

_FOREIGN_KEYS = """
    SELECT conrelid::regclass, conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE contype = 'f' AND connamespace = 'public'::regnamespace
"""
_INDEXES = """
    SELECT pg_get_indexdef(indexrelid), conname, pg_get_constraintdef(pg_constraint.oid) FROM pg_index
    LEFT JOIN pg_constraint ON conindid = indexrelid AND contype IN ('p', 'u')
    WHERE indrelid = '{table}'::regclass
"""
_PART = re.compile(r"_part([0-9]+)$")


def as_if_spread(url):
    """Return an address under which the instance takes a database for one whose tables are spread by Citus.

    A PostgreSQL that has Citus beside it has settings of that name.
    """
    query = {"options": "-c citus.shard_count=32"}
    return make_url(url).update_query_dict(query).render_as_string(hide_password=False)


def divide(url, tables):
    """Divide tables that have no rows yet: whatever belongs to one account is in the same part of each."""
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        keys = connection.exec_driver_sql(_FOREIGN_KEYS).all()
        for table, name, _ in keys:
            connection.exec_driver_sql(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
        for table in tables:
            _divide(connection, table)
        for table, name, rule in keys:
            connection.exec_driver_sql(f"ALTER TABLE {table} ADD CONSTRAINT {name} {rule}")


def _divide(connection, table):
    indexes = connection.exec_driver_sql(_INDEXES.format(table=table)).all()
    whole = f"LIKE {table}_whole INCLUDING ALL EXCLUDING INDEXES"
    connection.exec_driver_sql(f"ALTER TABLE {table} RENAME TO {table}_whole")
    connection.exec_driver_sql(f"CREATE TABLE {table} ({whole}) PARTITION BY HASH (account_id)")
    for part in range(PARTS):
        its_rows = f"FOR VALUES WITH (MODULUS {PARTS}, REMAINDER {part})"
        connection.exec_driver_sql(f"CREATE TABLE {table}_part{part} PARTITION OF {table} {its_rows}")
    connection.exec_driver_sql(f"DROP TABLE {table}_whole")
    for index, name, rule in indexes:
        connection.exec_driver_sql(f"ALTER TABLE {table} ADD CONSTRAINT {name} {rule}" if name else index)


@contextmanager
def parts_read(database):
    """Return a function that tells which parts a statement reads or writes, of whatever tables."""
    with database.engine.connect() as connection, connection.connection.cursor() as cursor:

        def parts(statement, values):
            cursor.execute(f"EXPLAIN (FORMAT JSON) {statement}", values)
            ((plan,),) = cursor.fetchone()
            return {int(found[1]) for name in _relations(plan["Plan"]) if (found := _PART.search(name))}

        yield parts


def _relations(plan):
    if "Relation Name" in plan:
        yield plan["Relation Name"]
    for part in plan.get("Plans", ()):
        yield from _relations(part)
