"""Checks of all rows: recounted numbers, dangling references, files and the search index."""
