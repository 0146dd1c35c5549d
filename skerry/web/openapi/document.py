"""The whole description, from the map of routes and the declarations that it names."""

import re
from importlib.metadata import version
from typing import Any

from skerry.tracker.access import Need
from skerry.web.map import ROUTES
from skerry.web.openapi import bodies, parameters, records, responses, samples, sentences
from skerry.web.openapi.records import Schema
from skerry.web.routes import Line, Place, places
from skerry.wire.record import Record, fields_of

Document = dict[str, Any]


def document() -> Document:
    """Return the OpenAPI 3.1 document that describes the map."""
    return {
        "openapi": "3.1.0",
        "info": _info(),
        "servers": [{"url": "/", "description": "The address of the account"}],
        "tags": [_tag(kind) for kind in dict.fromkeys(line.kind for line in ROUTES)],
        "paths": {place.path: _path_item(place) for place in places(ROUTES)},
        "components": {
            "schemas": _schemas(),
            "parameters": parameters.SHARED,
            "headers": parameters.HEADERS,
            "responses": responses.shared(),
            "securitySchemes": parameters.SECURITY,
        },
    }


def _info() -> Document:
    return {
        "title": "Skerry",
        "version": version("skerry"),
        "description": sentences.ABOUT,
        "license": {"name": "MIT", "identifier": "MIT"},
    }


def _tag(kind: type[Record]) -> Document:
    name = records.record_name(kind, "json")
    return {"name": _tag_name(kind), "description": sentences.first_line(kind), "x-schema": name}


def _tag_name(kind: type[Record]) -> str:
    return kind.plural.replace("_", " ")


def _path_item(place: Place) -> Document:
    """Return all that can be done at one address."""
    own = parameters.in_path(place.path)
    operations = {line.verb.lower(): _operation(place, line) for line in place.lines}
    return {"parameters": own, **operations} if own else operations


def _operation(place: Place, line: Line) -> Document:
    described = sentences.description(line.work)
    return {
        "operationId": operation_id(line),
        "tags": [_tag_name(line.kind)],
        "summary": sentences.summary(line.work),
        **({"description": described} if described else {}),
        "security": _security(line),
        "parameters": parameters.of(line, is_compared=place.reading is not None),
        **({"requestBody": _request_body(line)} if line.draft or line.files else {}),
        "responses": responses.of(line),
        "x-codeSamples": samples.of(line),
    }


def operation_id(line: Line) -> str:
    """Return a name that no other method of no other address has: ``get_projects_tickets_number``."""
    return "_".join([line.verb.lower(), *re.findall(r"\w+", line.path.replace("{project_id}/", ""))])


def _security(line: Line) -> list[dict[str, list[str]]]:
    """Any one scheme is enough; what shows public things needs none."""
    found: list[dict[str, list[str]]] = [{name: []} for name in parameters.SECURITY]
    return [*found, {}] if line.need in (Need.OPEN, Need.GUEST, Need.SEE) else found


def _request_body(line: Line) -> Document:
    kind = line.draft
    if kind is None:
        return {"required": True, "content": bodies.one_file(samples.file_field(line))}
    content = bodies.sent(kind, creating=bool(line.makes))
    return {"required": True, "content": {**content, **(bodies.with_files(kind) if line.files else {})}}


def _schemas() -> dict[str, Schema]:
    found: dict[str, Schema] = {"Errors": bodies.ERRORS, "ErrorsXml": bodies.ERRORS_XML}
    for kind in _shown_kinds():
        found.update({records.record_name(kind, form): records.record(kind, form) for form in _FORMS})
    for line in ROUTES:
        if line.draft:
            found.update(_drafts(line, line.draft))
    return dict(sorted(found.items()))


# The schema of JSON comes last: where both formats have the same one, it is the one to keep.
_FORMS = ("xml", "json")


def _shown_kinds() -> dict[type[Record], None]:
    """Return every kind that answers show, also inside others."""
    kinds = dict.fromkeys(line.kind for line in ROUTES)
    for kind in list(kinds):
        inner = [field.item if field.items else field.kind for field in fields_of(kind)]
        kinds.update(dict.fromkeys(each for each in inner if each and issubclass(each, Record)))
    return kinds


def _drafts(line: Line, kind: type[Record]) -> dict[str, Schema]:
    """Return the schemas of what a line's body holds; what may stand beside a draft may stand in it too."""
    creating = bool(line.makes)
    beside = {name: dict(parameters.BESIDE.get(name, {"type": "string"})) for name in line.beside}
    found = {}
    for form in _FORMS:
        schema = records.draft(kind, form, creating=creating)
        schema["properties"].update(beside)
        found[records.draft_name(kind, form, creating=creating)] = schema
    return found
