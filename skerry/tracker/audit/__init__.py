"""The log of security events: who did what, when, from where, by which credential."""
