"""Parsing of an archive, possibly written by another program, and its conversion to rows."""
