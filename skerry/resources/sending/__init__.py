"""Declarations of what is sent and received."""
