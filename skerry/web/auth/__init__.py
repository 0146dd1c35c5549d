"""Authentication: credentials, sessions, tokens and rate limits."""
