"""Print the SQL of every statement in the program, compiled for both databases and sorted.

A change that must not change the SQL leaves the output as it is:

    python tools/statements.py > before
    python tools/statements.py | diff before -

Some statements are built when they are first used. The tool builds those that are cached properties; for the
others, name tests that use them. The arguments are passed on to pytest, which runs first:

    python tools/statements.py tests/cli/test_backup.py
"""

import gc
import importlib
import pkgutil
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from functools import cached_property
from pathlib import Path
from weakref import WeakSet

import pytest
from sqlalchemy import Dialect

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import skerry  # noqa: E402 - found only now
from skerry.database import statements  # noqa: E402
from skerry.database.database import engine_at  # noqa: E402
from skerry.database.statements import Statement  # noqa: E402


class Kept(WeakSet[Statement]):
    """The statements of the program, including those that it used and forgot."""

    def __init__(self, known: WeakSet[Statement]) -> None:
        """Take over the known statements."""
        self._strong: list[Statement] = []
        super().__init__(known)

    def add(self, item: Statement) -> None:
        """Add a statement and keep it."""
        self._strong.append(item)
        super().add(item)


def main(tests: list[str]) -> int:
    """Print each statement on a line; return the exit status of the tests."""
    kept = statements.STATEMENTS = Kept(statements.STATEMENTS)
    import_all()
    build_cached()
    with redirect_stdout(sys.stderr):
        status = pytest.main(["-n0", *tests]) if tests else 0
    dialects = [engine_at(url).dialect for url in ("postgresql+psycopg://", "sqlite://")]
    lines = {text for dialect in dialects for text in texts(kept, dialect)}
    print(*sorted(lines), sep="\n")
    return int(status)


def import_all() -> None:
    """Import all modules, because most statements are built then."""
    for module in pkgutil.walk_packages(skerry.__path__, "skerry."):
        if "migrations" not in module.name and not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def build_cached() -> None:
    """Build the statements that are cached properties of an object."""
    for each in gc.get_objects():
        if str(type(each).__module__).startswith("skerry."):
            for name in cached_names(type(each)):
                getattr(each, name)


def cached_names(kind: type) -> Iterator[str]:
    """Yield the names of the cached properties of a class that return a statement."""
    for name in dir(kind):
        found = getattr(kind, name, None)
        if isinstance(found, cached_property) and found.func.__annotations__.get("return") is Statement:
            yield name


def texts(kept: Kept, dialect: Dialect) -> Iterator[str]:
    """Yield the SQL of each statement for one database, on one line."""
    for statement in list(kept):
        yield f"{dialect.name}: {' '.join(statement.on(dialect).text.split())}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
