"""The OpenAPI document, generated from the route table and the declarations that it refers to."""

from importlib.metadata import version
from typing import Any

from skerry.tracker.access import Permission
from skerry.web.openapi import bodies, parameters, records, responses, samples, sentences
from skerry.web.openapi.operation_names import operation_id
from skerry.web.openapi.records import Schema
from skerry.web.route import Endpoint, Route, endpoints
from skerry.web.routes.table import ROUTES
from skerry.wire.record import Record, fields_of

Document = dict[str, Any]

_SCHEMA = "#/components/schemas/"


def document(form: str = "", prefix: str = "") -> Document:
    """Return the OpenAPI 3.1 document that describes the route table, in one format or in all.

    Generators of clients expect one media type for each body, so they need one format. ``prefix`` is the path
    below which the service lives.
    """
    whole = _whole(prefix)
    return whole if not form else _used(_in_format(whole, bodies.MEDIA_TYPES[form]))


def _in_format(described: Any, media_type: str) -> Any:
    """Return a part of the document without the bodies in the other format."""
    if isinstance(described, list):
        return [_in_format(each, media_type) for each in described]
    if not isinstance(described, dict):
        return described
    others = set(bodies.MEDIA_TYPES.values()) - {media_type}
    return {
        name: _in_format(
            {key: each for key, each in value.items() if key not in others} if name == "content" else value,
            media_type,
        )
        for name, value in described.items()
    }


def _used(document: Document) -> Document:
    """Return the document with those schemas only that it uses."""
    schemas, used = document["components"]["schemas"], set[str]()
    wanted = _schemas_in({**document, "components": {**document["components"], "schemas": {}}})
    while wanted - used:
        used |= wanted
        wanted = _schemas_in([schemas[name] for name in wanted])
    kept = {name: schemas[name] for name in sorted(used)}
    return {**document, "components": {**document["components"], "schemas": kept}}


def _schemas_in(part: Any) -> set[str]:
    """Return the names of the schemas that a part of the document refers to."""
    if isinstance(part, list):
        return set().union(*map(_schemas_in, part))
    if not isinstance(part, dict):
        return set()
    own = {part["$ref"].removeprefix(_SCHEMA)} if str(part.get("$ref", "")).startswith(_SCHEMA) else set()
    return own.union(*map(_schemas_in, part.values()))


def _whole(prefix: str) -> Document:
    return {
        "openapi": "3.1.0",
        "info": _info(),
        "servers": [{"url": prefix or "/", "description": "The address of the account"}],
        "tags": [_tag(kind) for kind in dict.fromkeys(route.kind for route in ROUTES)],
        "paths": {endpoint.path: _path_item(endpoint) for endpoint in endpoints(ROUTES)},
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


def _path_item(endpoint: Endpoint) -> Document:
    """Return the path item of one path."""
    own = parameters.in_path(endpoint.path)
    operations = {route.method.lower(): _operation(endpoint, route) for route in endpoint.routes}
    return {"parameters": own, **operations} if own else operations


def _operation(endpoint: Endpoint, route: Route) -> Document:
    described = sentences.description(route.use_case)
    return {
        "operationId": operation_id(route),
        "tags": [_tag_name(route.kind)],
        "summary": sentences.summary(route.use_case),
        **({"description": described} if described else {}),
        "security": _security(route),
        "parameters": parameters.of(route, is_compared=endpoint.reading is not None),
        **({"requestBody": _request_body(route)} if _has_body(route) else {}),
        "responses": responses.of(route),
        "x-codeSamples": samples.of(route),
    }


def _security(route: Route) -> list[dict[str, list[str]]]:
    """Return the security schemes: any one is sufficient, and public resources need none."""
    schemes: list[dict[str, list[str]]] = [{name: []} for name in parameters.SECURITY]
    return (
        [*schemes, {}]
        if route.permission in (Permission.PUBLIC, Permission.CAPABILITY_LINK, Permission.VIEW)
        else schemes
    )


def _has_body(route: Route) -> bool:
    return bool(route.draft or route.files or route.takes_mail or route.takes_push)


def _request_body(route: Route) -> Document:
    kind = route.draft
    if route.takes_mail:
        return {"required": True, "content": bodies.RAW_MAIL}
    if route.takes_push:
        return {"required": True, "content": bodies.PUSH}
    content = bodies.sent(kind, creating=bool(route.location)) if kind else {}
    forms = {bodies.FORMS: {"schema": records.reference(_form_name(route))}} if route.files else {}
    return {"required": True, "content": {**content, **forms}}


def _form_name(route: Route) -> str:
    """Return the name of the schema of a form with files, which generators need."""
    return f"{route.draft.__name__}Form" if route.draft else f"{route.kind.__name__}File"


def _schemas() -> dict[str, Schema]:
    schemas: dict[str, Schema] = {"Errors": bodies.ERRORS, "ErrorsXml": bodies.ERRORS_XML}
    for kind in _shown_kinds():
        schemas.update({records.record_name(kind, form): records.record(kind, form) for form in _FORMS})
    for route in ROUTES:
        if route.draft:
            schemas.update(_drafts(route, route.draft))
        if route.files:
            file = bodies.file_form(samples.file_field(route))
            schemas[_form_name(route)] = bodies.form(route.draft) if route.draft else file
    return dict(sorted(schemas.items()))


# JSON comes last, so that its schema is kept if both formats share a name.
_FORMS = ("xml", "json")


def _shown_kinds() -> dict[type[Record], None]:
    """Return every record class that responses show, nested ones included."""
    kinds = dict.fromkeys(route.kind for route in ROUTES)
    for kind in list(kinds):
        inner = [field.item if field.items else field.kind for field in fields_of(kind)]
        kinds.update(dict.fromkeys(each for each in inner if each and issubclass(each, Record)))
    return kinds


def _drafts(route: Route, kind: type[Record]) -> dict[str, Schema]:
    """Return the schemas of a route's body; the parameters beside a draft may also be inside it."""
    creating = bool(route.location)
    beside = {
        name: dict(parameters.EXTRA_PARAMS.get(name, {"type": "string"})) for name in route.extra_params
    }
    drafts = {}
    for form in _FORMS:
        schema = records.draft(kind, form, creating=creating)
        schema["properties"].update(beside)
        drafts[records.draft_name(kind, form, creating=creating)] = schema
    return drafts
