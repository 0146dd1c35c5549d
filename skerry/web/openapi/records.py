"""Schemas of records and of their drafts, derived from the declarations."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from skerry.wire.record import UNSET, Field, Items, Record, fields_of

Schema = dict[str, Any]

SCALARS: dict[type, Schema] = {
    int: {"type": "integer", "format": "int64"},
    bool: {"type": "boolean"},
    datetime: {"type": "string", "format": "date-time"},
    str: {"type": "string"},
}

# Some values are structured in JSON but text in XML.
_NUMBERS_AS_TEXT = {"type": "string", "description": "Whole numbers in square brackets: `[134, 234]`."}
_PAIRS_AS_TEXT = {
    "type": "string",
    "description": "YAML: a list of pairs, each a code (A, M or D; others become one of these) and a path.",
}
_PAIRS = {
    "type": "array",
    "items": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
}


def reference(name: str) -> Schema:
    """Return a reference to a schema among the components."""
    return {"$ref": f"#/components/schemas/{name}"}


def record_name(kind: type[Record], form: str) -> str:
    """Return the name of a record's schema for a format."""
    return kind.__name__ + _ending(fields_of(kind), form)


def draft_name(kind: type[Record], form: str, *, creating: bool) -> str:
    """Return the name of the schema of a record's draft for a format."""
    written = tuple(field for field in fields_of(kind) if field.writable)
    return f"{kind.__name__}{'Draft' if creating else 'Change'}" + _ending(written, form)


def _ending(fields: tuple[Field, ...], form: str) -> str:
    """Return the suffix of a name: a record with another structure in XML has a second schema."""
    differ = any(
        field.kind is list and field.item is not str and (not field.items or field.items.wrapped)
        for field in fields
    )
    return "Xml" if form == "xml" and differ else ""


def record(kind: type[Record], form: str) -> Schema:
    """Return the schema of a record in responses."""
    fields = fields_of(kind)
    return {
        "type": "object",
        "description": (kind.__doc__ or "").strip(),
        "xml": {"name": dashed(kind.singular)},
        "required": [field.name for field in fields if _always_there(field, form)],
        "properties": {field.name: _shown_field(field, form) for field in fields},
    }


def _always_there(field: Field, form: str) -> bool:
    return field.default is not UNSET and not (form == "xml" and field.items)


def _shown_field(field: Field, form: str) -> Schema:
    schema = _field(field, form)
    return schema if field.writable else {**schema, "readOnly": True}


def draft(kind: type[Record], form: str, *, creating: bool) -> Schema:
    """Return the schema of a record's draft, whose fields are all optional in a change."""
    fields = [field for field in fields_of(kind) if field.writable]
    needed = [field.name for field in fields if field.required and creating]
    return {
        "type": "object",
        "description": f"The writable fields of a {kind.singular.replace('_', ' ')}.",
        "xml": {"name": dashed(kind.singular)},
        **({"required": needed} if needed else {}),
        "properties": {field.name: _written_field(field, form) for field in fields},
    }


def _written_field(field: Field, form: str) -> Schema:
    schema = _field(field, form)
    if field.longest:
        schema["maxLength"] = field.longest
    if field.within:
        schema |= {"minimum": field.within.first, "maximum": field.within.last}
    if field.required and field.kind is str:
        schema["minLength"] = 1
    return schema


def _field(field: Field, form: str) -> Schema:
    """Return the schema of a field's values, with its name in XML if that differs."""
    if field.items and field.item:
        schema = _nested_list(field.items, field.item, form)
    elif issubclass(field.kind, Record):
        schema = reference(record_name(field.kind, form))
    else:
        schema = _KINDS.get(field.kind, _scalar)(field, form)
    if field.dashed != field.name:
        schema["xml"] = {"name": field.dashed, **schema.get("xml", {})}
    return schema


def _nested_list(how: Items, kind: type[Record], form: str) -> Schema:
    item = reference(record_name(kind, form))
    if how.wrapped and form == "json":
        return {"type": "array", "items": wrapped(how.wrapped, item)}
    element = how.element if isinstance(how.element, str) else kind.singular
    return {"type": "array", "items": {**item, "xml": {"name": element}}, "xml": {"wrapped": True}}


def _plain_list(field: Field, form: str) -> Schema:
    if field.item is int:
        return dict(_NUMBERS_AS_TEXT) if form == "xml" else {"type": "array", "items": dict(SCALARS[int])}
    if field.item is str:
        items = {**SCALARS[str], "xml": {"name": field.dashed.removesuffix("s")}}
        return {"type": "array", "items": items, "xml": {"wrapped": True}}
    return dict(_PAIRS_AS_TEXT if form == "xml" else _PAIRS)


def _mapping(field: Field, _form: str) -> Schema:
    """Return the schema of a mapping, whose members may be absent or null."""
    kinds = field.members.kinds() if field.members else {}
    typed = {name: _nullable(SCALARS[kind]) for name, kind in sorted(kinds.items()) if kind is not str}
    return {"type": "object", "properties": typed, "additionalProperties": True}


def _scalar(field: Field, _form: str) -> Schema:
    schema = {**SCALARS[str], "format": "date"} if field.day and field.kind is str else SCALARS[field.kind]
    return _nullable(schema) if field.optional else dict(schema)


_KINDS: dict[type, Callable[[Field, str], Schema]] = {list: _plain_list, dict: _mapping}


def _nullable(schema: Schema) -> Schema:
    return {**schema, "type": [schema["type"], "null"]}


def wrapped(name: str, inside: Schema) -> Schema:
    """Return the schema of an object with a single member."""
    return {"type": "object", "required": [name], "properties": {name: inside}}


def dashed(name: str) -> str:
    """Return a name in its XML spelling."""
    return name.replace("_", "-")
