"""Forges: which ones may push to a project, what they send, and the changesets that follow."""
