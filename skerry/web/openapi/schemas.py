"""From declarations to schemas: what records and drafts look like in each format."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from skerry.wire.record import UNSET, Field, Record, fields_of

Schema = dict[str, Any]

SCALARS: dict[type, Schema] = {
    int: {"type": "integer", "format": "int64"},
    bool: {"type": "boolean"},
    datetime: {"type": "string", "format": "date-time"},
    str: {"type": "string"},
}

ERRORS: Schema = {
    "type": "object",
    "description": "What went wrong, in sentences for people; the field stands first.",
    "required": ["errors"],
    "properties": {"errors": {"type": "array", "items": {"type": "string"}}},
}
ERRORS_XML: Schema = {
    "type": "array",
    "description": ERRORS["description"],
    "items": {"type": "string", "xml": {"name": "error"}},
    "xml": {"name": "errors", "wrapped": True},
}

# How the kinds whose XML differs from their JSON are written there.
_WHOLE_NUMBERS = "Whole numbers in square brackets, such as `[134, 234]`."
_YAML = "YAML, a list of pairs of a code (A, M or D) and a path."


def reference(name: str) -> Schema:
    """Give a reference to a schema among the components."""
    return {"$ref": f"#/components/schemas/{name}"}


def record_name(kind: type[Record], form: str) -> str:
    """Give the component that shows a record in a format."""
    return f"{kind.__name__}Xml" if form == "xml" and _differs(kind) else kind.__name__


def draft_name(kind: type[Record], form: str, *, creating: bool) -> str:
    """Give the component that shows what a client may write of a record."""
    base = f"{kind.__name__}{'Draft' if creating else 'Change'}"
    return f"{base}Xml" if form == "xml" and _differs(kind, writable=True) else base


def _differs(kind: type[Record], *, writable: bool = False) -> bool:
    """Say whether some field has another shape in XML than in JSON."""
    fields = [field for field in fields_of(kind) if field.writable or not writable]
    return any((field.kind is list and not field.items) or (field.items and field.items.wrapped) for field in fields)


def shown(kind: type[Record], form: str) -> Schema:
    """Give the body of an answer that shows one record."""
    inside = reference(record_name(kind, form))
    return inside if form == "xml" else _wrapped(kind.singular, inside)


def listed(kind: type[Record], form: str) -> Schema:
    """Give the body of an answer that shows a list of records."""
    if form == "xml":
        return _xml_list(kind)
    numbers = {name: {"type": "integer"} for name in kind.beside_list}
    members = {kind.plural: {"type": "array", "items": shown(kind, form)}, **numbers}
    return {"type": "object", "required": list(members), "properties": members}


def _xml_list(kind: type[Record]) -> Schema:
    schema: Schema = {
        "type": "array",
        "items": reference(record_name(kind, "xml")),
        "xml": {"name": _dashed(kind.plural), "wrapped": True},
    }
    if kind.beside_list:
        names = " and ".join(f"`{name}`" for name in kind.beside_list)
        schema["description"] = f"The elements {names} stand after the items, if there are any."
    return schema


def sent(kind: type[Record], form: str, *, creating: bool) -> Schema:
    """Give the body of a request that creates or changes a record."""
    inside = reference(draft_name(kind, form, creating=creating))
    return inside if form == "xml" else _wrapped(kind.singular, inside)


def _wrapped(name: str, inside: Schema) -> Schema:
    return {"type": "object", "required": [name], "properties": {name: inside}}


def record(kind: type[Record], form: str) -> Schema:
    """Give the schema of a record as answers show it."""
    fields = fields_of(kind)
    return {
        "type": "object",
        "description": (kind.__doc__ or "").strip(),
        "xml": {"name": _dashed(kind.singular)},
        "required": [field.name for field in fields if _always_there(field, form)],
        "properties": {field.name: _shown_field(field, form) for field in fields},
    }


def _always_there(field: Field, form: str) -> bool:
    return field.default is not UNSET and not (form == "xml" and field.items)


def _shown_field(field: Field, form: str) -> Schema:
    schema = _named(field, _kind(field, form))
    return schema if field.writable else {**schema, "readOnly": True}


def draft(kind: type[Record], form: str, *, creating: bool) -> Schema:
    """Give the schema of what a client may write of a record."""
    fields = [field for field in fields_of(kind) if field.writable]
    schema: Schema = {
        "type": "object",
        "description": f"What may be sent to {'make' if creating else 'change'} a {_noun(kind)}.",
        "xml": {"name": _dashed(kind.singular)},
        "properties": {field.name: _written_field(field, form) for field in fields},
    }
    needed = [field.name for field in fields if field.required]
    return {**schema, "required": needed} if creating and needed else schema


def _noun(kind: type[Record]) -> str:
    return kind.singular.replace("_", " ")


def _written_field(field: Field, form: str) -> Schema:
    schema = _named(field, _kind(field, form))
    if field.longest:
        schema["maxLength"] = field.longest
    if field.required:
        schema["minLength"] = 1
    return schema


def _kind(field: Field, form: str) -> Schema:
    """Give the schema of a field's values, without its name."""
    if field.items and field.item:
        return _nested_list(field, form)
    if field.kind is list:
        return _plain_list(field, form)
    if field.kind is dict:
        return _mapping(field)
    if issubclass(field.kind, Record):
        return reference(record_name(field.kind, form))
    schema = dict(SCALARS[field.kind])
    return {**schema, "type": [schema["type"], "null"]} if field.optional else schema


def _nested_list(field: Field, form: str) -> Schema:
    how, kind = field.items, field.item
    assert how, kind  # noqa: S101
    item = reference(record_name(kind, form))
    if how.wrapped and form == "json":
        return {"type": "array", "items": _wrapped(how.wrapped, item)}
    element = how.element if isinstance(how.element, str) else kind.singular
    return {"type": "array", "items": {**item, "xml": {"name": element}}, "xml": {"wrapped": True}}
