"""Rows of people, their memberships and preferences."""
