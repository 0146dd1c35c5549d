"""Numbers in sentences."""

import re

_PLACE = re.compile(r"(?P<brace>\{\{|\}\})|\{n\}|\{(?P<one>[^{}|]*)\|(?P<several>[^{}|]*)\}")


def counted(sentence: str, number: int) -> str:
    """Return a sentence with the number in place of ``{n}``, and its words in place of ``{one|several}``.

    A literal brace is written twice.
    """

    def replacement(place: re.Match[str]) -> str:
        if place["brace"]:
            return place["brace"][0]
        if place["several"] is None:
            return str(number)
        return place["one"] if number == 1 else place["several"]

    return _PLACE.sub(replacement, sentence)
