"""Events, which record every change, for programs, streams and the server itself."""
