"""Whole projects and accounts in and out: import and export."""
