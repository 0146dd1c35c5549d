"""What goes out: formats, errors, entity tags, files and feeds."""
