"""HTTP: bytes in, bytes out. The only floor that knows Falcon and Jinja."""
