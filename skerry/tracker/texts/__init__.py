"""From Markdown to safe HTML, and when."""
