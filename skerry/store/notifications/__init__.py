"""Notifications, and who is told of what, as rows."""
