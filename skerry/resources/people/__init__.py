"""Declarations of people."""
