"""What a database consists of, in a form that can be compared whatever order it was made in."""

import re

_POSTGRESQL = (
    """
    SELECT relname, attname, format_type(atttypid, atttypmod), attnotnull, attstorage, attcollation,
        pg_get_expr(adbin, adrelid)
    FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
        LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
    """,
    """
    SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
    """,
    "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "SELECT relname, relkind, reloptions FROM pg_class WHERE relnamespace = 'public'::regnamespace",
    "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal",
    "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace",
)

_SQLITE = (
    """
    SELECT t.name, c.name, c.type, c."notnull", c.dflt_value, c.pk
    FROM sqlite_schema t, pragma_table_xinfo(t.name) c WHERE t.type = 'table'
    """,
    """
    SELECT t.name, f."table", f.seq, f."from", f."to", f.on_delete
    FROM sqlite_schema t, pragma_foreign_key_list(t.name) f WHERE t.type = 'table'
    """,
    """
    SELECT t.name, i."unique", i.origin, i.partial, c.seqno, c.name
    FROM sqlite_schema t, pragma_index_list(t.name) i, pragma_index_xinfo(i.name) c WHERE t.type = 'table'
    """,
)

_CONSTRAINT = re.compile(r"CONSTRAINT (\w+)")


def schema_of(connection):
    """Return everything of a schema, sorted."""
    if connection.dialect.name == "postgresql":
        return sorted(repr(row) for query in _POSTGRESQL for row in connection.exec_driver_sql(query))
    found = [repr(row) for query in _SQLITE for row in connection.exec_driver_sql(query)]
    for kind, name, sql in connection.exec_driver_sql("SELECT type, name, sql FROM sqlite_schema"):
        written = " ".join((sql or "").replace('"', "").split())
        found += [f"{name}: {constraint}" for constraint in _CONSTRAINT.findall(written)]
        if kind != "table" or "VIRTUAL" in written:
            found.append(f"{kind} {name}: {written}")
    return sorted(found)
