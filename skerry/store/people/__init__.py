"""People, their memberships and preferences, as rows."""
