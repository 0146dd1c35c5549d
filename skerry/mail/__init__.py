"""Mails: their texts and formats, and the ways they go out and come in."""
