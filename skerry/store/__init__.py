"""Rows of the resources: their tables, statements, searches and checks."""
