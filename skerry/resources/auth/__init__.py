"""Declarations of what lets people in."""
