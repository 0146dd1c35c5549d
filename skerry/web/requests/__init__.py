"""What comes in: bodies, files, drafts, parameters."""
