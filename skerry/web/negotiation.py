"""Which format a request without an extension wants."""

_KNOWN = {
    "application/json": "json",
    "text/json": "json",
    "application/xml": "xml",
    "text/xml": "xml",
    "text/html": "",
    "application/xhtml+xml": "",
}


def wanted_format(accept: str | None, content_type: str | None) -> str | None:
    """Give ``json`` or ``xml`` as Accept, else as Content-Type says; None is a page for a browser."""
    accepted = _best(accept)
    if accepted is not None:
        return accepted or None
    return _KNOWN.get((content_type or "").partition(";")[0].strip().lower()) or None


def _best(accept: str | None) -> str | None:
    """Give the format that an Accept header likes most: empty for a page, None if it names none."""
    best, liking = None, 0.0
    for piece in (accept or "").split(","):
        media_type, _, parameters = piece.partition(";")
        found = _KNOWN.get(media_type.strip().lower())
        quality = _quality(parameters)
        if found is not None and quality > liking:
            best, liking = found, quality
    return best


def _quality(parameters: str) -> float:
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0
