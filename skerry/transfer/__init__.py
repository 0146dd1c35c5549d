"""Import and export of projects and accounts."""
