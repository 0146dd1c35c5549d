"""Pure words: no tracker, no SQL, no HTTP."""
