"""The OpenAPI document, generated from the route table and the declarations that it refers to."""

import re
from importlib.metadata import version
from typing import Any

from skerry.tracker.access import Permission
from skerry.web.openapi import bodies, parameters, records, responses, samples, sentences
from skerry.web.openapi.records import Schema
from skerry.web.routes.route import Endpoint, Route, endpoints
from skerry.web.routes.table import ROUTES
from skerry.wire.record import Record, fields_of

Document = dict[str, Any]


def document() -> Document:
    """Return the OpenAPI 3.1 document that describes the route table."""
    return {
        "openapi": "3.1.0",
        "info": _info(),
        "servers": [{"url": "/", "description": "The address of the account"}],
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
        **({"requestBody": _request_body(route)} if route.draft or route.files or route.takes_mail else {}),
        "responses": responses.of(route),
        "x-codeSamples": samples.of(route),
    }


def operation_id(route: Route) -> str:
    """Return a unique name for a method and path, such as ``get_projects_tickets_number``."""
    return "_".join([route.method.lower(), *re.findall(r"\w+", route.path.replace("{project_id}/", ""))])


def _security(route: Route) -> list[dict[str, list[str]]]:
    """Return the security schemes: any one is sufficient, and public resources need none."""
    found: list[dict[str, list[str]]] = [{name: []} for name in parameters.SECURITY]
    return (
        [*found, {}]
        if route.permission in (Permission.PUBLIC, Permission.CAPABILITY_LINK, Permission.VIEW)
        else found
    )


def _request_body(route: Route) -> Document:
    kind = route.draft
    if route.takes_mail:
        return {"required": True, "content": bodies.RAW_MAIL}
    if kind is None:
        return {"required": True, "content": bodies.one_file(samples.file_field(route))}
    content = bodies.sent(kind, creating=bool(route.location))
    return {"required": True, "content": {**content, **(bodies.with_files(kind) if route.files else {})}}


def _schemas() -> dict[str, Schema]:
    found: dict[str, Schema] = {"Errors": bodies.ERRORS, "ErrorsXml": bodies.ERRORS_XML}
    for kind in _shown_kinds():
        found.update({records.record_name(kind, form): records.record(kind, form) for form in _FORMS})
    for route in ROUTES:
        if route.draft:
            found.update(_drafts(route, route.draft))
    return dict(sorted(found.items()))


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
    found = {}
    for form in _FORMS:
        schema = records.draft(kind, form, creating=creating)
        schema["properties"].update(beside)
        found[records.draft_name(kind, form, creating=creating)] = schema
    return found
