"""The rows of authentication: logins, tokens, sessions, invitations and limits."""
