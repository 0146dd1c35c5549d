"""Rows of outgoing and incoming mail."""
