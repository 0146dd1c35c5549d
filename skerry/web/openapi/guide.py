"""The OpenAPI document arranged for people: each resource with its fields, operations and commands."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from skerry.web.openapi.bodies import MEDIA_TYPES

Document = dict[str, Any]
_VERBS = ("get", "post", "put", "delete")
_WORDS = {
    "integer": "whole number",
    "boolean": "true or false",
    "string": "text",
    "array": "list",
    "object": "object",
}


@dataclass(frozen=True)
class FieldRow:
    """A field of a resource in words; ``writable`` says that clients may set it."""

    name: str
    dashed: str
    kind: str
    writable: bool


@dataclass(frozen=True)
class Operation:
    """A method on a path in words."""

    id: str
    method: str
    path: str
    summary: str
    description: str
    parameters: list[tuple[str, str]]
    statuses: list[tuple[str, str]]
    samples: list[tuple[str, str]]


@dataclass(frozen=True)
class Resource:
    """A resource with its operations; ``examples`` are responses by format."""

    name: str
    description: str
    fields: list[FieldRow]
    examples: list[tuple[str, str]]
    operations: list[Operation]


def resources(document: Document) -> list[Resource]:
    """Return all resources of an OpenAPI document."""
    return [_resource(document, tag) for tag in document["tags"]]


def _resource(document: Document, tag: Document) -> Resource:
    operations = [each for each in _operations(document) if tag["name"] in each[2]["tags"]]
    return Resource(
        name=tag["name"],
        description=tag["description"],
        fields=list(_fields(document["components"]["schemas"][tag["x-schema"]])),
        examples=_examples([operation for _, _, operation, _ in operations]),
        operations=[_operation(document, *each) for each in operations],
    )


def _operations(document: Document) -> Iterator[tuple[str, str, Document, list[Document]]]:
    """Yield method, path, operation and path parameters, in the order of the route table."""
    for path, item in document["paths"].items():
        for method in _VERBS:
            if method in item:
                yield method.upper(), path, item[method], item.get("parameters", [])


def _fields(schema: Document) -> Iterator[FieldRow]:
    for name, field in schema["properties"].items():
        dashed = field.get("xml", {}).get("name", name)
        yield FieldRow(name, dashed, _kind(field), writable=not field.get("readOnly", False))


def _kind(field: Document) -> str:
    if "$ref" in field:
        return str(field["$ref"]).rpartition("/")[2].lower()
    kinds = field["type"] if isinstance(field["type"], list) else [field["type"]]
    words = [_WORDS[kind] for kind in kinds if kind != "null"]
    if field.get("format") == "date-time":
        words = ["moment"]
    return " or ".join([*words, *(["null"] if "null" in kinds else [])])


def _examples(operations: list[Document]) -> list[tuple[str, str]]:
    """Return an example response, preferably of a creation, which shows most fields."""
    for status in ("201", "200"):
        for operation in operations:
            content = operation["responses"].get(status, {}).get("content", {})
            if all("example" in content.get(media_type, {}) for media_type in MEDIA_TYPES.values()):
                return [
                    (name.upper(), _readable(content[kind]["example"])) for name, kind in MEDIA_TYPES.items()
                ]
    return []


def _readable(example: object) -> str:
    if isinstance(example, str):
        return example.replace("><", ">\n<")
    return json.dumps(example, indent=2, ensure_ascii=False)


def _operation(
    document: Document, method: str, path: str, operation: Document, in_path: list[Document]
) -> Operation:
    parameters = [_resolved(document, each) for each in [*in_path, *operation["parameters"]]]
    answers = {status: _resolved(document, each) for status, each in operation["responses"].items()}
    return Operation(
        id=operation["operationId"],
        method=method,
        path=path,
        summary=operation["summary"],
        description=operation.get("description", ""),
        parameters=[(each["name"], _description(each)) for each in parameters],
        statuses=[(status, each["description"]) for status, each in answers.items()],
        samples=[(each["label"], each["source"]) for each in operation["x-codeSamples"]],
    )


def _description(parameter: Document) -> str:
    where = {"path": "in the path", "query": "in the query", "header": "header"}[parameter["in"]]
    return f"{_kind(parameter['schema'])}, {where}. {parameter.get('description', '')}".strip()


def _resolved(document: Document, value: Document) -> Document:
    """Return the component that a reference points to."""
    if "$ref" not in value:
        return value
    _, _, section, name = value["$ref"].split("/")
    component: Document = document["components"][section][name]
    return component
