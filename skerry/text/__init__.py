"""Pure functions on texts; no tracker, no SQL, no HTTP."""
