"""An environment of Trac with every field, made of SQL."""

import sqlite3
from contextlib import closing
from hashlib import sha1

MICROSECONDS = 1_000_000
START = 1_770_976_800
TABLES = """
CREATE TABLE system (name text, value text);
CREATE TABLE session_attribute (sid text, authenticated int, name text, value text);
CREATE TABLE permission (username text, action text);
CREATE TABLE attachment (type text, id text, filename text, size int, time int, description text,
    author text);
CREATE TABLE wiki (name text, version int, time int, author text, text text);
CREATE TABLE revision (repos int, rev text, time int, author text, message text);
CREATE TABLE ticket (id integer PRIMARY KEY, type text, time int, changetime int, component text,
    severity text, priority text, owner text, reporter text, cc text, version text, milestone text,
    status text, resolution text, summary text, description text, keywords text);
CREATE TABLE ticket_change (ticket int, time int, author text, field text, oldvalue text, newvalue text);
CREATE TABLE ticket_custom (ticket int, name text, value text);
CREATE TABLE enum (type text, name text, value text);
CREATE TABLE component (name text, owner text, description text);
CREATE TABLE milestone (name text, due int, completed int, description text);
CREATE TABLE version (name text, time int, description text);
CREATE TABLE report (id integer PRIMARY KEY, title text);
"""
TEXT = """\
It '''leaks''', see ticket:9 and comment:1:ticket:9. [[Image(a b.png)]] [[PageOutline]]
In [12], wiki:Roof and attachment:gone.png.
"""
CHANGES = [
    (1, "ada", "priority", "minor", "major"),
    (1, "ada", "keywords", "wet cold", "wet"),
    (1, "ada", "comment", "1", "`rain`"),
    (1, "ben", "_comment0", "rain", "1770984000000000"),
    (2, "ben", "status", "new", "closed"),
    (2, "ben", "resolution", "", "fixed"),
    (2, "ben", "comment", "1.2", "done"),
    (3, "ben", "owner", "", "Cy <cy@old.example>"),
    (3, "ben", "milestone", "", "1.0"),
    (3, "ben", "summary", "Drips", "It leaks"),
    (3, "ben", "component", "walls", "tiles"),
    (3, "ben", "description", "Old", "New"),
    (3, "ben", "team", "", "Us"),
    (3, "ben", "comment", "3", ""),
]


def database(path, unit=MICROSECONDS, version=45, more=""):
    """Write the database; ``more`` is SQL at its end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    at = START * unit
    hour = 3600 * unit
    with closing(sqlite3.connect(path)) as made:
        made.executescript(TABLES)
        rows = {
            "system": [("database_version", str(version))],
            "session_attribute": [
                *(("ada", 1, "name", "Ada L"), ("ada", 1, "email", "ada@old.example")),
                ("f00", 0, "name", "Nobody"),
            ],
            "permission": [("ada", "TRAC_ADMIN")],
            "attachment": [
                ("ticket", "7", "a b.png", 4, at + hour, "Stairs", "Ada <ADA@old.example>"),
                ("ticket", "7", "lost.png", 4, at + hour, "", "ada"),
                ("wiki", "Roof", "plan.png", 4, at, "", "ada"),
            ],
            "wiki": [("Roof", 1, at, "ada", "x"), ("Roof", 2, at, "ada", "y")],
            "revision": [(1, "12", at, "ada", "Lay tiles")],
            "enum": [
                *(("resolution", "wontfix", "2"), ("resolution", "fixed", "1")),
                *(("priority", "major", "1"), ("priority", "minor", "2")),
            ],
            "component": [("tiles", "ada", "All tiles")],
            "milestone": [("1.0", at + 24 * hour, at + 48 * hour, "The ''first'' one")],
            "version": [("0.9", at, "Old")],
            "report": [(1, "Active")],
            "ticket_custom": [(7, "team", "Us"), (7, "blockedby", "9"), (7, "easy", "0")],
            "ticket_change": [(7, at + n * hour, *each) for n, *each in CHANGES],
        }
        leak = (
            7,
            "defect",
            at,
            at + 3 * hour,
            "tiles",
            "critical",
            "major",
            "Cy <cy@old.example>",
            "anonymous",
        )
        leak += ("ada, di@old.example", "0.9", "1.0", "closed", "fixed", "It leaks", TEXT, "wet")
        paint = (9, "task", at, at, "", "", "minor", "", "ada", "", "", "", "new", "", "Paint", "", "a b, c")
        rows["ticket"] = [leak, paint]
        for table, values in rows.items():
            for value in values:
                made.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(value))})", value)
        made.commit()
        made.executescript(more)
    return path


def environment(folder, **options):
    """Write the folder of an environment."""
    database(folder / "db" / "trac.db", **options)
    place = folder / "files" / "attachments" / "ticket"
    key = sha1(b"7", usedforsecurity=False).hexdigest()
    (place / key[:3] / key).mkdir(parents=True)
    (place / key[:3] / key / f"{sha1(b'a b.png', usedforsecurity=False).hexdigest()}.png").write_bytes(
        b"rain"
    )
    (folder / "conf").mkdir()
    (folder / "conf" / "trac.ini").write_text(
        "[project]\nname = Roof\ndescr = Of the barn\n[ticket-custom]\nteam = text\nteam.label = The team\n"
    )
    return folder
