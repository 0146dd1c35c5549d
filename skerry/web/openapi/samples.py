"""Commands that can be tried: for each operation one in each format."""

import shlex

from skerry.resources import examples
from skerry.web.openapi import parameters
from skerry.web.openapi.bodies import MEDIA_TYPES
from skerry.web.routes import Gives, Line
from skerry.wire import formats


def of(line: Line) -> list[dict[str, str]]:
    """Return curl commands for a route; ``$TRACKER`` is the address of the account, ``$TOKEN`` a token."""
    if line.gives is Gives.FILE:
        return [_sample("File", _curl(line, "", []))]
    return [_sample(name.upper(), _curl(line, f".{name}", _body(line, name))) for name in MEDIA_TYPES]


def file_field(line: Line) -> str:
    """Return the name of the field for the file that comes alone to a line."""
    return line.path.rpartition("/")[2]


def _sample(label: str, source: str) -> dict[str, str]:
    return {"lang": "Shell", "label": label, "source": source}


def _curl(line: Line, extension: str, body: list[str]) -> str:
    method = [] if line.verb == "GET" else [f"-X {line.verb}"]
    path = line.path.format_map(parameters.path_examples(line.path))
    address = f'"$TRACKER{path}{extension}"'
    return " ".join(["curl", *method, '-H "X-ServiceToken: $TOKEN"', *body, address])


def _body(line: Line, form: str) -> list[str]:
    if line.draft is None:
        return [f"-F {file_field(line)}=@ada.png"] if line.files else []
    sent = formats.FORMATS[form].item(examples.writable_example(line.draft)).decode()
    return [f"-H 'Content-Type: {MEDIA_TYPES[form]}'", f"-d {shlex.quote(sent)}"]
