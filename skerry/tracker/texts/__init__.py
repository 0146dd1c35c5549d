"""Rendering texts from Markdown to safe HTML."""
