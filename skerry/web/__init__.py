"""HTTP: bytes in, bytes out. The only layer that knows Falcon and Jinja."""
