"""The content of a request body: the draft, the files, and the slip of the site's own forms."""

from contextlib import suppress
from dataclasses import replace

from skerry.errors import BadRequest, SkerryError
from skerry.mail.incoming.parsing import MAX_SIZE
from skerry.store.engine.database import Database
from skerry.store.people import avatars
from skerry.tracker.access import Permission
from skerry.tracker.incoming_files import Incoming
from skerry.tracker.texts import rendering
from skerry.web.request_state import RequestState
from skerry.web.requests import bodies, mails, parameters
from skerry.web.requests.bodies import Body, Receiver
from skerry.web.site import browser
from skerry.wire import forms
from skerry.wire.tree import Tree


async def receive(state: RequestState, receiver: Receiver, incoming: Incoming) -> None:
    """Receive the body of an authorized request; raises the errors of ``Receiver.receive``."""
    if state.body is None:
        state.body = Body()
        files = incoming if state.route.files else None
        expected = mails.MESSAGE if state.route.takes_mail else ""
        await receiver.receive(state.request, _limit(state), files, state.body, expected)


def _limit(state: RequestState) -> int | None:
    if state.route.takes_mail:
        return MAX_SIZE
    return bodies.SHORT if state.route.permission is Permission.CAPABILITY_LINK else None


def read(state: RequestState) -> Tree:
    """Return the tree of the received body; raises BadRequest or MethodNotAllowed.

    The latter is for a body that overrides the method with a different one.
    """
    if state.tree is None and state.body:
        tree = state.body.tree()
        parameters.check_route(state.endpoint, state.route, state.request, state.params.query, tree)
        return tree
    return state.tree or {}


async def recover(state: RequestState, receiver: Receiver) -> None:
    """Read the values entered in a form that was refused early, without its files."""
    if state.tree is not None:
        _part(state, {**state.tree, **state.hidden_fields})
        return
    if state.body is None and bodies.media_type(state.request) in (bodies.MULTIPART, bodies.FORM):
        state.body = Body()
        with suppress(SkerryError):
            await receiver.receive(state.request, _limit(state), None, state.body)
    form = state.body and state.body.form
    if form:
        with suppress(BadRequest):
            _part(state, forms.tree_of(form.fields))


def _part(state: RequestState, tree: Tree) -> None:
    state.hidden_fields = {name: tree.pop(name) for name in browser.FIELDS if name in tree}
    state.tree = tree


def may_take_long(state: RequestState) -> bool:
    """Return whether preparation may be slow: large texts, files, passwords."""
    route, length = state.route, state.request.content_length
    has_files = bodies.media_type(state.request) == bodies.MULTIPART
    is_long = length is None or length > rendering.LARGE
    return bool(route.prepare or has_files or is_long or route.takes_mail)


def take(
    state: RequestState,
    incoming: Incoming,
    database: Database,
    account_id: int,
) -> None:
    """Add the draft and its rendered texts to the params, and store the files if the draft is valid.

    Raises the errors of ``read``, ``parameters.with_draft`` and ``rendering.ahead``, and Unavailable if the
    files cannot be stored; the entered values are kept even then.
    """
    route = state.route
    uploads = state.body.uploads if state.body else []
    _part(state, read(state))
    params = parameters.with_draft(route, state.params, state.tree or {}, files=bool(uploads))
    if state.format is None:
        # A text from a page is a comment, even if it equals the ticket's text.
        params = replace(params, sent_back=False)
    if route.draft and route.in_project:
        params.rendered = rendering.render_draft(database, account_id, params.draft, params.ids["project_id"])
    # Files outside projects belong to a person rather than to an account.
    owner = account_id if route.in_project else avatars.SERVICE
    state.params = replace(params, files=incoming.keep(owner, uploads))
