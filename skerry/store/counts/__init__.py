"""Stored counts and counters, kept with each change."""
