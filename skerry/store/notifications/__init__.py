"""Notifications as rows, and the settings that decide who gets them."""
