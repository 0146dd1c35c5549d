"""The content of a request body: the draft, the files, and the hidden fields of the site's forms."""

from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from skerry.database.database import Database
from skerry.errors import SkerryError
from skerry.mail.incoming.parsing import MAX_SIZE
from skerry.store.people import avatars
from skerry.tracker.access import Permission
from skerry.tracker.context import Params, Principal
from skerry.tracker.forges import payloads
from skerry.tracker.incoming_files import Incoming
from skerry.tracker.texts import rendering
from skerry.web import bodies
from skerry.web.auth import browser
from skerry.web.bodies import Body, Receiver, has_body
from skerry.web.requests import parameters, raw_bodies
from skerry.web.requests.parameters import RoutedRequest
from skerry.web.route import Route
from skerry.wire import formats, forms
from skerry.wire.tree import Tree


class Submission(NamedTuple):
    """A request with its body: the parameters with the draft, and the tree that they were read from.

    ``hidden_fields`` has the fields that the site's forms send beside the resource, such as the CSRF token.
    """

    params: Params
    tree: Tree
    hidden_fields: Tree


async def receive(routed: RoutedRequest, receiver: Receiver, incoming: Incoming, body: Body) -> None:
    """Receive a body, unless it arrived early; raises the errors of ``Receiver.receive``."""
    if body.early is None:
        route = routed.route
        files = incoming if route.files else None
        expected = raw_bodies.MESSAGE if route.takes_mail else ""
        await receiver.receive(routed.request, _limit(route), files, body, expected)


def _limit(route: Route) -> int | None:
    if route.takes_mail:
        return MAX_SIZE
    if route.takes_push:
        return payloads.MAX_SIZE
    return bodies.SHORT if route.permission is Permission.CAPABILITY_LINK else None


async def entered(routed: RoutedRequest, receiver: Receiver, body: Body) -> Submission:
    """Return the values entered in a form that was refused, without its files."""
    is_form = bodies.media_type(routed.request) in (bodies.MULTIPART, bodies.FORM)
    with suppress(SkerryError):
        if is_form and body.early is None and body.content_type is None:
            await receiver.receive(routed.request, _limit(routed.route), None, body)
    tree: Tree = {}
    with suppress(SkerryError):
        if body.form:
            tree = forms.tree_of(body.form.fields)
        elif body.early or not body.is_long:
            tree = _tree_of(body)
    return _parted(routed.params, tree)


def _tree_of(body: Body) -> Tree:
    return body.tree() if body.early is None else body.early


def _parted(params: Params, tree: Tree) -> Submission:
    """Return the parameters, the tree without the hidden fields, and the hidden fields."""
    hidden_fields = {name: tree[name] for name in browser.FIELDS if name in tree}
    rest = {name: value for name, value in tree.items() if name not in hidden_fields}
    return Submission(params, rest, hidden_fields)


def may_take_long(routed: RoutedRequest) -> bool:
    """Return whether preparation may be slow, because of large texts, files or passwords."""
    route, request = routed.route, routed.request
    length = request.content_length if has_body(request) else 0
    has_files = bodies.media_type(request) == bodies.MULTIPART
    is_long = length is None or length > rendering.LARGE
    return bool(route.prepare or has_files or is_long or route.takes_mail)


def parsed(routed: RoutedRequest, body: Body) -> Submission:
    """Return the content of a received body, without its files.

    Raises BadRequest, the errors of ``parameters.with_draft``, and MethodNotAllowed if the body overrides the
    method with a different one.
    """
    tree = _tree_of(body)
    if body.early is None:
        parameters.check_route(routed, tree)
    found = _parted(routed.params, tree)
    has_json = body.form.has_json if body.form else formats.is_json(bodies.media_type(routed.request))
    params = parameters.with_draft(
        routed.route, routed.params, found.tree, files=bool(body.uploads), may_be_bare=has_json
    )
    if routed.format is None:
        # A text from a page is a comment, even if it equals the ticket's text.
        params = replace(params, sent_back=False)
    return found._replace(params=params)


def prepared(
    routed: RoutedRequest,
    body: Body,
    incoming: Incoming,
    database: Database,
    account_id: int,
    principal: Principal | None,
) -> Submission:
    """Return the content of a received body, with its rendered texts; store its files if the draft is valid.

    Raises the errors of ``parsed`` and ``rendering.render_draft``, and Unavailable if the files cannot be
    stored.
    """
    route, found = routed.route, parsed(routed, body)
    params = found.params
    if route.draft and route.in_project:
        params.rendered = rendering.render_draft(
            database, account_id, params.draft, params.ids["project_id"], principal
        )
    # A picture belongs to a person rather than to an account; what administrators upload does not.
    is_of_account = route.in_project or route.permission is Permission.ADMINISTER
    owner = account_id if is_of_account else avatars.SERVICE
    return found._replace(params=replace(params, files=incoming.keep(owner, body.uploads)))
