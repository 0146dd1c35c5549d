"""Who is asking: credentials, sessions, tokens and limits."""
