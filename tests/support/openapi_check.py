"""Holds answers against the description of the interface: status, media type and shape."""

import json
import re
from collections import defaultdict
from functools import cache
from xml.etree import ElementTree as ET

import jsonschema_rs

from skerry.web.openapi.document import document

DOCUMENT = document()
KINDS = {"application/json": "json", "application/xml": "xml"}
# What the description does not list: methods that it does not have, and faults, which tests see in the log.
EVERYWHERE = {405, 500}
# By the number of their parts, so that few are tried for an address.
_PATHS = defaultdict(list)
# An address without placeholders goes first: /projects/new is no project.
for _path in sorted(DOCUMENT["paths"], key=lambda path: path.count("{")):
    _pattern = re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(_path)))
    _PATHS[_path.count("/")].append((_path, _pattern))


def check(method, path, answer):
    """Assert that the description knows an answer; what it does not describe is passed over."""
    operation = operation_at(method, path)
    if operation is None or answer.status in EVERYWHERE:
        return
    described = resolved(operation["responses"].get(str(answer.status)))
    assert described is not None, f"{method} {path}: {answer.status} is not described: {answer.body!r}"
    media_type = answer.headers.get("content-type", "").partition(";")[0]
    content = described.get("content", {}).get(media_type)
    if answer.body and media_type in KINDS and method != "HEAD":
        assert content is not None, f"{method} {path}: {answer.status} has no {media_type}"
        check_body(content["schema"], media_type, answer.body, f"{method} {path}")


def operation_at(method, path):
    """Return the operation at an address with or without an extension, None if it is not described."""
    path = re.sub(r"\.(json|xml)$", "", path.partition("?")[0])
    alike = _PATHS[path.count("/")]
    found = next((described for described, pattern in alike if pattern.fullmatch(path)), None)
    return DOCUMENT["paths"][found].get(method.lower()) if found else None


def resolved(value):
    """Follow a reference into the components."""
    if value is None or "$ref" not in value:
        return value
    _, _, section, name = value["$ref"].split("/")
    return {
        **DOCUMENT["components"][section][name],
        **{key: each for key, each in value.items() if key != "$ref"},
    }


def check_body(schema, media_type, body, where):
    """Assert that a body has the shape of a schema."""
    is_json = KINDS[media_type] == "json"
    value = json.loads(body) if is_json else from_xml(ET.fromstring(body), schema)  # noqa: S314 - our own
    errors = [str(error) for error in validator(json.dumps(schema)).iter_errors(value)]
    assert not errors, f"{where}: {errors[0]}\n{body.decode()}"


@cache
def validator(schema):
    whole = {**json.loads(schema), "components": DOCUMENT["components"]}
    return jsonschema_rs.Draft202012Validator(whole, validate_formats=True)


def from_xml(element, schema):
    """Read an element as the XML notes of its schema say."""
    schema = resolved(schema)
    if element.get("nil") == "true":
        return None
    if schema.get("type") == "array":
        name = resolved(schema["items"]).get("xml", {}).get("name")
        return [from_xml(child, schema["items"]) for child in element if _is_item(child, name)]
    if schema.get("type") == "object":
        return _object(element, schema)
    return _scalar(element.text or "", element.get("type"))


def _is_item(child, name):
    # Pictures have an element of their own, which a schema cannot say.
    return child.tag in (name, f"{name}-image")


def _object(element, schema):
    names = {_xml_name(name, field): (name, field) for name, field in schema.get("properties", {}).items()}
    found = {}
    for child in element:
        name, field = names.get(child.tag, (child.tag, {}))
        found[name] = from_xml(child, field)
    return found


def _xml_name(name, field):
    field = {"xml": {}, **field} if "$ref" in field else field
    return field.get("xml", {}).get("name", name)


def _scalar(text, kind):
    if kind == "integer":
        return int(text)
    return {"true": True, "false": False}[text] if kind == "boolean" else text
