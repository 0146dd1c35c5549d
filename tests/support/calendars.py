"""A strict reader of calendars (RFC 5545), for what Skerry writes."""

import re

_LINE = re.compile(r"([A-Z-]+)((?:;[A-Z-]+=[^;:\",]+)*):(.*)", re.DOTALL)
_ESCAPES = {"\\\\": "\\", "\\;": ";", "\\,": ",", "\\n": "\n"}
_TEXTS = ("SUMMARY", "DESCRIPTION", "NAME", "X-WR-CALNAME")


def read(body):
    """Return the properties of a calendar, and those of each of its events, by name."""
    text = body.decode()
    assert text.endswith("\r\n")
    raw = text[:-2].split("\r\n")
    for line in raw:
        assert "\n" not in line, line
        assert "\r" not in line, line
        assert len(line.encode()) <= 75, line
        assert not re.search("[\x00-\x08\x0a-\x1f\x7f]", line), line
    lines = "\r\n".join(raw).replace("\r\n ", "").split("\r\n")
    assert (lines[0], lines[-1]) == ("BEGIN:VCALENDAR", "END:VCALENDAR")
    calendar, events, inside = {}, [], None
    for line in lines[1:-1]:
        if line == "BEGIN:VEVENT":
            assert inside is None
            inside = {}
        elif line == "END:VEVENT":
            assert {"UID", "DTSTAMP", "DTSTART;VALUE=DATE"} <= set(inside)
            events.append(inside)
            inside = None
        else:
            name, value = _property(line)
            into = calendar if inside is None else inside
            assert name not in into, line
            into[name] = value
    assert inside is None
    assert calendar["VERSION"] == "2.0"
    assert "PRODID" in calendar
    assert len({event["UID"] for event in events}) == len(events)
    return calendar, events


def _property(line):
    match = _LINE.fullmatch(line)
    assert match, line
    name, parameters, value = match.groups()
    if name in _TEXTS:
        assert not re.search(r"(?<!\\)(?:\\\\)*[;,]", value), line
        value = re.sub(r"\\[\\;,n]", lambda found: _ESCAPES[found[0]], value)
    elif name == "DTSTAMP":
        assert re.fullmatch(r"\d{8}T\d{6}Z", value), line
    elif parameters == ";VALUE=DATE":
        assert re.fullmatch(r"\d{8}", value), line
    return name + parameters, value
