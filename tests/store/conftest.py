"""Databases of a test, on both kinds."""

from tests.support.databases import address, database, elsewhere, empty, sqlite, url

__all__ = ["address", "database", "elsewhere", "empty", "sqlite", "url"]
