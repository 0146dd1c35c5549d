"""Multipart forms, as browsers and tools send them."""

BOUNDARY = "edge"
KIND = f"multipart/form-data; boundary={BOUNDARY}"


def field(name, value, content_type=None):
    """Return a part that holds a text."""
    return _part(f'name="{name}"', content_type, str(value).encode())


def file(content=b"hello", name="notes.txt", content_type="text/plain", part="ticket[attachment][]"):
    """Return a part that holds a file."""
    return _part(f'name="{part}"; filename="{name}"', content_type, content)


def _part(named, content_type, content):
    kind = f"Content-Type: {content_type}\r\n" if content_type else ""
    head = f"--{BOUNDARY}\r\nContent-Disposition: form-data; {named}\r\n{kind}\r\n"
    return head.encode() + content + b"\r\n"


def form(*parts):
    """Return the form of some parts."""
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()
