"""Archives, and the rows of backups, exports and imports."""
