"""Authentication: passwords, logins, tokens, sessions and the quotas of guests."""
