"""Redmine: answers of its REST interface, in a folder or an archive."""
