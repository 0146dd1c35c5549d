"""Bodies of requests and responses: schemas and examples for each format."""

import json
from collections.abc import Callable

from skerry.resources import examples
from skerry.web.openapi import records
from skerry.web.openapi.records import Schema
from skerry.wire import formats
from skerry.wire.formats import Format
from skerry.wire.record import Record

MEDIA_TYPES = {"json": "application/json", "xml": "application/xml"}
FORMS = "multipart/form-data"

ERRORS: Schema = {
    "type": "object",
    "description": "What went wrong, in sentences for people.",
    "required": ["errors"],
    "properties": {"errors": {"type": "array", "items": {"type": "string"}}},
}
ERRORS_XML: Schema = {
    "type": "array",
    "description": ERRORS["description"],
    "items": {"type": "string", "xml": {"name": "error"}},
    "xml": {"name": "errors", "wrapped": True},
}


def errors(sentence: str) -> Schema:
    """Return the content of an error response."""
    names = {"json": "Errors", "xml": "ErrorsXml"}
    return _content(lambda form: records.reference(names[form.name]), lambda form: form.errors([sentence]))


def one_of(kind: type[Record]) -> Schema:
    """Return the content of a response with one record."""
    return _content(lambda form: _item(kind, form.name), lambda form: form.item(examples.example(kind)))


def list_of(kind: type[Record]) -> Schema:
    """Return the content of a response with a list of records."""
    numbers = dict.fromkeys(kind.list_extras, 1)
    return _content(
        lambda form: _xml_list(kind) if form is formats.XML else _json_list(kind),
        lambda form: form.items(kind, [examples.list_example(kind)], numbers),
    )


def sent(kind: type[Record], *, creating: bool) -> Schema:
    """Return the content of a request that creates or changes a record."""
    return _content(
        lambda form: _draft(kind, form.name, creating=creating),
        lambda form: form.item(examples.writable_example(kind)),
    )


def form(kind: type[Record]) -> Schema:
    """Return the schema of a form with the fields of a record and files."""
    written = records.draft(kind, "json", creating=False)["properties"]
    fields = {f"{kind.singular}[{name}]": schema for name, schema in written.items()}
    fields[f"{kind.singular}[attachment][]"] = {"type": "array", "items": _FILE}
    return {"type": "object", "properties": fields}


def file_form(name: str) -> Schema:
    """Return the schema of a form with a single file."""
    return {"type": "object", "required": [name], "properties": {name: _FILE}}


RAW_MAIL: Schema = {"message/rfc822": {"schema": {"type": "string", "contentMediaType": "message/rfc822"}}}

PUSH: Schema = {
    "application/json": {
        "schema": {
            "type": "object",
            "additionalProperties": True,
            "description": "A push event, as the forge documents and signs it.",
        }
    }
}

STREAM: Schema = {
    "text/event-stream": {
        "schema": {
            "type": "string",
            "description": "Server-sent events: `id` is the number of an event, `data` the event as in JSON.",
        }
    }
}

_FILE: Schema = {"type": "string", "contentMediaType": "application/octet-stream"}


def _content(schema: Callable[[Format], Schema], example: Callable[[Format], bytes]) -> Schema:
    return {
        MEDIA_TYPES[form.name]: {"schema": schema(form), "example": _example(form.name, example(form))}
        for form in (formats.JSON, formats.XML)
    }


def _example(form: str, body: bytes) -> object:
    return json.loads(body) if form == "json" else body.decode()


def _item(kind: type[Record], form: str) -> Schema:
    inside = records.reference(records.record_name(kind, form))
    return inside if form == "xml" else records.wrapped(kind.singular, inside)


def _draft(kind: type[Record], form: str, *, creating: bool) -> Schema:
    inside = records.reference(records.draft_name(kind, form, creating=creating))
    return inside if form == "xml" else records.wrapped(kind.singular, inside)


def _json_list(kind: type[Record]) -> Schema:
    members: Schema = {kind.plural: {"type": "array", "items": _item(kind, "json")}}
    members.update({name: {"type": "integer"} for name in kind.list_extras})
    return {"type": "object", "required": list(members), "properties": members}


def _xml_list(kind: type[Record]) -> Schema:
    schema: Schema = {
        "type": "array",
        "items": records.reference(records.record_name(kind, "xml")),
        "xml": {"name": records.dashed(kind.plural), "wrapped": True},
    }
    if kind.list_extras:
        names = " and ".join(f"`{name}`" for name in kind.list_extras)
        schema["description"] = f"The elements {names} follow the items; an empty list has none."
    return schema
