"""The query language: its tokens, its tree, its keys."""
