"""Reading an archive, possibly written by another program, and converting it to rows."""
