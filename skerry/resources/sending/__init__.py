"""Declarations of notifications, mail, hooks and feeds."""
