"""Rules and permissions."""
