"""Hooks, feeds, and the state of background sending."""
