"""Rendering of texts from Markdown to safe HTML."""
