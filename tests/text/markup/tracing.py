"""Counts what a conversion does, which is the same on every machine."""

import sys


def steps(convert, text):
    """Return how many lines of Python the conversion of a text runs."""
    lines = 0

    def count(frame, event, _argument):
        nonlocal lines
        lines += event == "line"
        return count if "/skerry/text/" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(count)
    try:
        convert(text)
    finally:
        sys.settrace(before)
    return lines
