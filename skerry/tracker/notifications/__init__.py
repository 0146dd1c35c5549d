"""Notifications: their recipients and reasons, each person's inbox, and notification levels."""
