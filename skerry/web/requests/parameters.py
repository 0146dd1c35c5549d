"""The parameters of a request: its route, and those in its path, query string and body."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import parse_qsl

from falcon.asgi import Request

from skerry.errors import BadRequest, MethodNotAllowed, NotFound
from skerry.tracker.context import FIRST_PAGE, Params
from skerry.web import middleware
from skerry.web.bodies import MULTIPART, media_type
from skerry.web.middleware import RequestInfo
from skerry.web.requests import paging
from skerry.web.route import Endpoint, ResponseKind, Route
from skerry.wire import drafts
from skerry.wire.formats import Format
from skerry.wire.record import UNSET
from skerry.wire.tree import Tree

TEXTS = ("revision", "token", "filename", "code", "kind")
"""Path parameters that are text; all others are numbers that may have a slug."""

_OVERRIDES = {"put": "PUT", "delete": "DELETE"}
_VIA, _SOURCES = "X-Via", ("mcp",)
_MAX_PARAMETERS = 200
# The checkboxes of a list send this parameter once for each checked number.
_SEVERAL = "numbers"
_PAGED = (ResponseKind.PAGE, ResponseKind.EVENTS, ResponseKind.FORM)
# Eighteen digits always fit a signed 64-bit column.
_LEADING = re.compile(r"\s*([0-9]{1,18})(?![0-9]|[._eExX][0-9])")


class RoutedRequest(NamedTuple):
    """A request without its body: the route, and the ``segments`` and parameters in its URL.

    ``format`` is None for a browser that requests a page. ``via`` names the source of a request that is
    neither the web site nor the API.
    """

    endpoint: Endpoint
    route: Route
    request: Request
    segments: Mapping[str, str]
    format: Format | None
    params: Params
    via: str

    @property
    def info(self) -> RequestInfo:
        """Return the results of the middleware."""
        return middleware.request_info_of(self.request)


def query_of(request: Request) -> dict[str, str]:
    """Return the parameters of the query string; raises BadRequest.

    The last value of a name is used, but all values of ``numbers`` are joined with commas.
    """
    if not request.query_string:
        return {}
    try:
        pairs = parse_qsl(
            request.query_string, keep_blank_values=True, errors="strict", max_num_fields=_MAX_PARAMETERS
        )
    except ValueError as error:
        raise BadRequest("The query string cannot be read") from error
    if any("\0" in name or "\0" in value for name, value in pairs):
        raise BadRequest("The query string contains a NUL character")
    query = dict(pairs)
    if _SEVERAL in query:
        query[_SEVERAL] = ",".join(value for name, value in pairs if name == _SEVERAL)
    return query


def via_of(request: Request) -> str:
    """Return the source that a request with a token names, if it is one that may be named."""
    named = request.get_header(_VIA)
    return named if named in _SOURCES else ""


def route_of(endpoint: Endpoint, request: Request, query: Mapping[str, str], tree: Tree | None) -> Route:
    """Return the route of a request; raises MethodNotAllowed."""
    method = method_of(request, query, tree)
    if method == "POST" and "POST" not in endpoint.allowed and media_type(request) == MULTIPART:
        # Such a form overrides its method in the body, and is authorized before the body is read.
        method = "PUT"
    return endpoint.route(method)


def check_route(routed: RoutedRequest, tree: Tree) -> None:
    """Raise MethodNotAllowed if a multipart form turns out to name a different method."""
    if media_type(routed.request) != MULTIPART:
        return
    method = method_of(routed.request, routed.params.query, tree)
    if routed.endpoint.route(method) is not routed.route:
        raise MethodNotAllowed(routed.endpoint.allowed)


def method_of(request: Request, query: Mapping[str, str], tree: Tree | None) -> str:
    """Return the effective method, which clients that can only POST may override."""
    if request.method != "POST":
        return str(request.method)
    named = (
        request.get_header("X-HTTP-Method-Override") or query.get("_method") or (tree or {}).get("_method")
    )
    return _OVERRIDES.get(str(named).lower(), "POST")


def id_in(segment: str) -> int | None:
    """Return the id at the beginning of a path segment, ignoring what follows; None if there is none.

    ``12``, ``12-roof``, `` 12`` and ``12}`` all mean 12, because scripts leave blanks and brackets of their
    templates in URLs. Zero, non-ASCII digits, more than 18 digits, and numbers that are not whole, such as
    ``1.5`` and ``1e5``, are not ids.
    """
    match = _LEADING.match(segment)
    return (int(match[1]) or None) if match else None


def addressed(
    route: Route, segments: Mapping[str, str], query: Mapping[str, str], *, is_feed: bool = False
) -> Params:
    """Return the params of a path; raises NotFound for a malformed number, Invalid for an invalid page."""
    ids: dict[str, int] = {}
    texts: dict[str, str] = {}
    for name, segment in segments.items():
        if name in TEXTS:
            texts[name] = segment
            continue
        number = id_in(segment)
        if number is None:
            raise NotFound
        ids[name] = number
    whole = route.whole and not is_feed
    page = paging.read(query, whole=whole) if route.response_kind in _PAGED else FIRST_PAGE
    return Params(ids=ids, texts=texts, query=query, page=page)


def with_draft(route: Route, params: Params, tree: Tree, *, files: bool, may_be_bare: bool) -> Params:
    """Add the content of the body: the validated draft, and the parameters beside it.

    With ``files``, the resource may be absent; if it ``may_be_bare``, its root may. Raises BadRequest if the
    body has no such resource, Invalid for invalid values.
    """
    extra_params = extra_params_in_query(route, params)
    for name in route.extra_params:
        value = drafts.extra_param(tree, name)
        if value is not UNSET:
            extra_params[name] = value
    if route.draft is None:
        return replace(params, extra_params=extra_params)
    rooted = _rooted(route, tree, extra_params, files=files)
    if may_be_bare and drafts.is_bare(route.draft, rooted):
        rooted = {route.draft.singular: tree}
    draft = drafts.read(route.draft, rooted, creating=bool(route.location))
    return replace(
        params,
        extra_params=extra_params,
        draft=draft,
        ignored=drafts.ignored(rooted, route.draft, route.kind, known=(*route.extra_params, "_method")),
        sent_back=drafts.is_sent_back(route.draft, rooted),
    )


def extra_params_in_query(route: Route, params: Params) -> dict[str, object]:
    """Return the parameters beside the draft that are in the query string."""
    return {name: params.query[name] for name in route.extra_params if name in params.query}


def _rooted(route: Route, tree: Tree, extra_params: Mapping[str, object], *, files: bool) -> Tree:
    """Return a tree with the resource; a request with only parameters or files is an empty change."""
    if (
        route.draft
        and (files or (extra_params and not route.location))
        and set(tree) <= {*extra_params, "_method"}
    ):
        return {**tree, route.draft.singular: {}}
    return tree
