"""Passwords, logins and what guests may do."""
