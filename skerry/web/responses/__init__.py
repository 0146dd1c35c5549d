"""Responses: formats, errors, entity tags, files and feeds."""
