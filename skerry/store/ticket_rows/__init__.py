"""Rows of tickets: lists, pages, names, texts, and batches of changes."""
