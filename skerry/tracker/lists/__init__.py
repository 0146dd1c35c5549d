"""Search, suggestions, and choices for lists and forms."""
