"""The databases and formats that a test runs on: JSON on SQLite, unless its mark asks for more.

A module where the format or the database can make a difference says so at its top::

    pytestmark = pytest.mark.matrix("both")

A mark at a single test goes before that of its module.
"""

import pytest

RUNS = {
    "formats": (("sqlite", "json"), ("sqlite", "xml")),
    "databases": (("sqlite", "json"), ("postgres", "json")),
    # The format knows no database and the database no format, so two runs cover all four values.
    "both": (("sqlite", "json"), ("postgres", "xml")),
    "json": (("sqlite", "json"),),
    "xml": (("sqlite", "xml"),),
    "postgres": (("postgres", "json"),),
}

BOTH = RUNS["both"]

DESCRIPTION = "matrix(which): " + ", ".join(RUNS) + "; what a test runs on beside JSON on SQLite"


def parametrize(metafunc):
    """Let a test that asks for an instance run on what its mark names."""
    if "database_and_format" not in metafunc.fixturenames:
        return
    mark = metafunc.definition.get_closest_marker("matrix")
    runs = RUNS[mark.args[0] if mark else "json"]
    ids = ["-".join(run) for run in runs] if len(runs) > 1 else [pytest.HIDDEN_PARAM]
    metafunc.parametrize("database_and_format", runs, ids=ids, indirect=True)
