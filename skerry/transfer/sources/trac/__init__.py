"""Trac: its database in SQLite, alone or in the folder of its environment with the attached files."""
