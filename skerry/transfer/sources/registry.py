"""The sources by the names of the trackers; each is loaded when it is needed."""

from collections.abc import Callable
from importlib import import_module
from typing import cast

from skerry.transfer.sources.files import SourceFiles
from skerry.transfer.sources.records import Project, SourceOptions
from skerry.transfer.sources.report import Report

Read = Callable[[SourceFiles, Report, SourceOptions], list[Project]]

# The order is that of the names.
_MODULES = {
    "csv": "csv_table",
    "github": "forges.github",
    "gitlab": "forges.gitlab",
    "jira": "jira.source",
    "redmine": "redmine.source",
    "trac": "trac.source",
}

SOURCES = tuple(_MODULES)
"""The names of all trackers that projects can come from."""


def source(name: str) -> Read:
    """Return the function that reads the exports of a tracker."""
    # A converter of markup takes long to load.
    module = import_module(f"skerry.transfer.sources.{_MODULES[name]}")
    return cast("Read", module.read)
