"""Pure text functions, independent of the tracker, SQL and HTTP."""
