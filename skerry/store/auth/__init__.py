"""The rows of authentication: logins, factors, identities, sessions, tokens, invitations, sign-ups."""
