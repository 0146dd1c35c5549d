"""Incoming mail: parsing and transports; ``tracker/mail/`` has the rules that act on it."""
