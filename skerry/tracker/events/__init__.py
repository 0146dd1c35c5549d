"""Events: written with every change, and read by programs, streams and the server itself."""
