"""The routing table: every address, what it takes, and who answers."""
