"""Attached files, in a folder or in a bucket."""
