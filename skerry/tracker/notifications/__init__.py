"""Notifications: who is told of what, the inbox of each person, and what they want to be told."""
