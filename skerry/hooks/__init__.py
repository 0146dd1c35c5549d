"""Sends events to hooks: what is sent, to which addresses, and when it is tried again."""
