"""The original dialect: formats for old tools that depend on quirks of the original service.

Two of the three quirks are here; ``original_body`` and ``latest_body`` in lists of tickets are set by the
context.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

import msgspec

from skerry.wire import formats, json, xml
from skerry.wire.record import Record

NAME = "original"
"""The value of the setting that enables this dialect."""

# The field ends before the first word that can only begin the problem. Sentences that do not begin with the
# name of a field, such as those about a query, have no field.
FIELD_AND_PROBLEM = re.compile(
    r"(?!(?:An?|At|No|Nobody|Nothing|Several|Somebody|The|There|This|Version)\b)(\w+(?: \w+)*?) "
    r"((?:can't|cannot|must|may|is|are|has|have|does|contains|holds|needs|names)\b.*)",
    re.DOTALL,
)


def items(kind: type[Record], records: Iterable[Record], extra: Mapping[str, int] | None = None) -> bytes:
    """Return an XML list of records; an empty one of any kind is ``nil-classes``."""
    present = list(records)
    if not present:
        return xml.HEAD + b'<nil-classes type="array"/>'
    return xml.items(kind, present, extra)


def errors(sentences: Iterable[str], status: int = 422) -> bytes:
    """Return the errors of a resource as JSON pairs of field and problem; other errors are unchanged."""
    if status != 422:  # noqa: PLR2004 - the only status whose body old tools parse
        return json.errors(sentences, status)
    return msgspec.json.encode([_pair(sentence) for sentence in sentences])


def _pair(sentence: str) -> tuple[str, str]:
    """Return the field and the problem of a sentence; the field is ``base`` if none is named."""
    match = FIELD_AND_PROBLEM.match(sentence)
    if not match:
        return "base", sentence
    field, problem = match.groups()
    return field.lower().replace(" ", "_"), problem


XML = replace(formats.XML, items=items)
JSON = replace(formats.JSON, errors=errors)

FORMATS: Mapping[str, formats.Format] = {"xml": XML, "json": JSON}
"""The formats of this dialect by the extension of a path."""
