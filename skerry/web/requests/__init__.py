"""Requests: bodies, files, drafts, parameters."""
