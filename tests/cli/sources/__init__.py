"""Imports from other trackers."""
