"""Declarations of credentials and invitations."""
