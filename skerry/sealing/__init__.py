"""Encryption of texts that the database keeps, such as secrets of hooks."""
