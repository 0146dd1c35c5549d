"""Requests: bodies, files, drafts and parameters."""
