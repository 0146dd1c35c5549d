"""The OpenAPI document: complete, valid, and consistent with the responses."""

import json
import re

import pytest
import schemathesis

from skerry.web.openapi.document import document
from skerry.web.responses.answer import STATUSES
from skerry.web.routes.table import ROUTES
from tests.support import openapi_check
from tests.support.openapi_check import DOCUMENT, resolved

OPERATIONS = [
    (path, method, operation)
    for path, item in DOCUMENT["paths"].items()
    for method, operation in item.items()
    if method != "parameters"
]


def references(value):
    """Return every reference in a document."""
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"]
        for each in value.values():
            yield from references(each)
    elif isinstance(value, list):
        for each in value:
            yield from references(each)


def contents():
    """Return every body that the document describes with an example: where, media type, content."""
    for path, method, operation in OPERATIONS:
        bodies = [("request", operation.get("requestBody", {}))]
        bodies += [(status, resolved(answer)) for status, answer in operation["responses"].items()]
        for where, body in bodies:
            for media_type, content in body.get("content", {}).items():
                if "example" in content:
                    yield f"{method} {path} {where}", media_type, content


def test_the_document_is_valid_openapi():
    schemathesis.openapi.from_dict(document()).validate()


def test_every_method_of_the_map_is_described():
    assert {(route.path, route.method.lower()) for route in ROUTES} == {
        (path, method) for path, method, _ in OPERATIONS
    }


def test_every_reference_leads_somewhere():
    found = set(references(DOCUMENT))
    assert found
    for reference in found:
        _, _, section, name = reference.split("/")
        assert name in DOCUMENT["components"][section], reference


def test_every_resource_has_a_name_of_its_own():
    names = [tag["name"] for tag in DOCUMENT["tags"]]
    assert sorted(set(names)) == sorted(names)


def test_every_operation_has_a_name_of_its_own_and_says_what_it_does():
    names = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(names) == len(set(names))
    assert all(
        operation["summary"] and "Raises" not in operation["summary"] for _, _, operation in OPERATIONS
    )


def test_every_operation_names_the_ways_to_prove_who_asks():
    for _, _, operation in OPERATIONS:
        named = {name for way in operation["security"] for name in way}
        assert named == set(DOCUMENT["components"]["securitySchemes"])
        assert "WWW-Authenticate" in resolved(operation["responses"]["401"])["headers"]


@pytest.mark.parametrize(
    ("path", "works"),
    [
        ("/projects/{project_id}/tickets", True),
        ("/projects/{project_id}/preview", False),
        ("/profile/tokens", False),
        ("/invitations", False),
        ("/welcome/{code}", False),
    ],
)
def test_the_key_for_sending_again_is_named_where_it_works(path, works):
    asked = references(DOCUMENT["paths"][path]["post"].get("parameters", []))
    assert ("#/components/parameters/IdempotencyKey" in asked) == works


def test_every_answer_with_a_body_is_described_in_both_formats():
    for path, _, operation in OPERATIONS:
        for answer in operation["responses"].values():
            content = resolved(answer).get("content", {})
            assert path.startswith(("/attachments", "/avatars", "/feeds")) or set(content) in (
                set(),
                set(openapi_check.KINDS),
                {*openapi_check.KINDS, "text/event-stream"},
            )


def test_every_status_that_something_on_the_map_can_have_is_described():
    said = {status for _, _, operation in OPERATIONS for status in operation["responses"]}
    # What is in the routing table has its method.
    assert {status[:3] for status in STATUSES.values()} - said == {"405"}


def test_examples_have_the_shape_that_they_are_examples_of():
    for where, media_type, content in contents():
        example = content["example"]
        body = example if isinstance(example, str) else json.dumps(example)
        openapi_check.check_body(content["schema"], media_type, body.encode(), where)


def objects(value):
    """Return every schema of an object in a document, without examples."""
    if isinstance(value, dict):
        yield from [value] if value.get("type") == "object" else []
        for name, each in value.items():
            yield from () if name in ("example", "examples") else objects(each)
    elif isinstance(value, list):
        for each in value:
            yield from objects(each)


def test_no_object_is_described_as_empty():
    """Generators make a type that takes nothing of it."""
    for schema in objects(DOCUMENT):
        assert {"properties", "additionalProperties"} & schema.keys(), schema


@pytest.mark.parametrize(("path", "form"), [("/openapi.json", "json"), ("/openapi-xml.json", "xml")])
def test_the_served_documents_describe_one_format_each(nobody, path, form):
    answer = nobody.raw(path)
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("application/json")
    served = json.loads(answer.body)
    assert served == document(form)
    schemathesis.openapi.from_dict(served).validate()
    assert set(media_types(served)).isdisjoint({"application/json", "application/xml"} - {KIND_OF[form]})
    assert {reference.rpartition("/")[2] for reference in references(served) if "/schemas/" in reference} == {
        *served["components"]["schemas"]
    }


KIND_OF = {"json": "application/json", "xml": "application/xml"}


def media_types(value):
    """Return every media type in a document."""
    if isinstance(value, dict):
        yield from value.get("content", {})
        for each in value.values():
            yield from media_types(each)
    elif isinstance(value, list):
        for each in value:
            yield from media_types(each)


def test_streams_of_events_are_described():
    for path in ("/events", "/projects/{project_id}/events"):
        operation = DOCUMENT["paths"][path]["get"]
        assert "text/event-stream" in operation["responses"]["200"]["content"]
        assert {"$ref": "#/components/parameters/LastEventIdSeen"} in operation["parameters"]


@pytest.mark.parametrize(
    ("method", "path", "name"),
    [
        ("get", "/projects/{project_id}/tickets", "list_tickets"),
        ("get", "/tickets", "list_account_tickets"),
        ("post", "/projects/{project_id}/tickets", "create_ticket"),
        ("put", "/projects/{project_id}/tickets/{number}/versions/{version}", "update_ticket_version"),
        ("put", "/projects/{project_id}/milestones/{id}/close", "close_milestone"),
        ("post", "/projects/{project_id}/bulk_edits/{id}/undo", "undo_bulk_edit"),
        ("get", "/people/{id}", "get_person"),
        ("post", "/projects/{project_id}/pushes/{kind}", "create_push"),
    ],
)
def test_operations_have_the_names_that_a_person_would_choose(method, path, name):
    assert DOCUMENT["paths"][path][method]["operationId"] == name


@pytest.mark.parametrize("path", ["/openapi.json", "/static/skerry.css", "/static/skerry.js"])
def test_an_unchanged_document_is_not_sent_again(nobody, path):
    first = nobody.raw(path)
    assert first.status == 200
    again = nobody.get(path, If_None_Match=first.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    for answer in (first, again):
        assert answer.headers["vary"] == "Accept-Encoding"


def test_the_page_shows_every_operation_and_the_address_of_the_caller(nobody):
    page = nobody.raw("/api!").body.decode()
    assert f"export TRACKER=http://{nobody.host}\n" in page
    for path, method, operation in OPERATIONS:
        assert f'<article id="{operation["operationId"]}">' in page
        assert f'<span class="method {method}">{method.upper()}</span> <code>{path}</code>' in page


def test_the_page_brings_nothing_from_elsewhere(nobody):
    answer = nobody.raw("/api!")
    page = answer.body.decode()
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert re.findall(r"<script(?! src=\"/static/[a-z.]+\?v=[0-9a-f]{12}\" defer></script>)", page) == []
    assert " style=" not in page
    assert 'src="http' not in page
    assert '<link rel="stylesheet" href="/static/skerry.css?v=' in page


@pytest.mark.parametrize(
    "path", ["/openapi.xml", "/api.json", "/static/nothing.css", "/static/..%2Fpages.py"]
)
def test_other_extensions_of_the_documents_are_404(nobody, path):
    assert nobody.raw(path).status == 404


def test_generators_find_a_name_for_each_form_and_none_twice():
    schemas = DOCUMENT["components"]["schemas"]
    forms = [
        operation["requestBody"]["content"]["multipart/form-data"]["schema"]
        for _, _, operation in OPERATIONS
        if "multipart/form-data" in operation.get("requestBody", {}).get("content", {})
    ]
    assert forms
    assert all(form.keys() == {"$ref"} for form in forms)
    # Clients for Go call what makes a Ticket NewTicket.
    assert [name for name in schemas if f"New{name}" in schemas] == []


def test_only_texts_have_a_least_length():
    fields = [
        field
        for schema in DOCUMENT["components"]["schemas"].values()
        for field in schema.get("properties", {}).values()
    ]
    lengths = [field["type"] for field in fields if "minLength" in field]
    assert lengths
    assert all("string" in kind for kind in lengths)


def test_numbers_with_bounds_say_which():
    schemas = DOCUMENT["components"]["schemas"]
    found = [
        schema["properties"]["importance"]
        for schema in schemas.values()
        if schema.get("description", "").startswith("The writable fields of a ticket.")
    ]
    assert found
    assert all((each["minimum"], each["maximum"]) == (0, 2**31 - 1) for each in found)
