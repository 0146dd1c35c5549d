"""Pushes: signed requests of forges, whose commits become changesets of the forge's owner.

A request is checked before it is parsed. Commits that the project has already are skipped, so the same push
may come twice, and a commit may come again with another branch.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from skerry.database.transactions import Transaction
from skerry.errors import BadRequest, Conflict, Forbidden, NotFound, SerializationFailure, Unauthenticated
from skerry.resources.changesets import Changeset
from skerry.resources.forges import Push
from skerry.store import changesets as changeset_store
from skerry.store import forges as store
from skerry.store.forges import Signer
from skerry.store.people import people, users
from skerry.text.actions import MAX_CHANGES, actions_in_message
from skerry.tracker import access, changesets
from skerry.tracker.access import Permission
from skerry.tracker.changes import commits
from skerry.tracker.context import Context, KnownReferences, Params, Principal
from skerry.tracker.forges import payloads
from skerry.tracker.forges.payloads import KINDS, Commit, SentPush
from skerry.tracker.texts import rendering

MAX_COMMITS = 250
"""How many commits of one push become changesets, the newest ones."""

# The same for every reason, so that it reveals no project.
_REFUSED = "This address accepts no such push: no forge with this secret is set up here"
_GONE = "Whoever set up this forge does not work in the project any more; somebody else must set it up again"
_UNREADABLE = "The push cannot be read; let the web hook send JSON"


class _Arrived(NamedTuple):
    """A push whose signature is right, and the forge that signed it."""

    sent: SentPush
    read: payloads.ReadPush


def prepare(context: Context, params: Params) -> Callable[[], Params]:
    """Check the signature, and return a function that parses the commits and renders their messages.

    It raises BadRequest for a body that is not a push. Raises NotFound for an unknown kind, Forbidden for a
    wrong signature or if the owner may not add changesets.
    """
    sent, kind = _sent(params), _kind(params)
    owner = _owner(context.transaction, _signer(context.transaction, params, sent), params)
    entered = _entered(owner, params.ids["project_id"], Permission.VIEW)
    push = _parsed(kind, sent)
    known = changeset_store.known(
        context.transaction, entered.project_id, [commit.revision for commit in push.commits]
    )
    texts = dict[str, KnownReferences]()
    for commit in push.commits:
        if commit.revision not in known:
            texts[commit.message] = rendering.known_here(entered, commit.message)
            if actions_in_message(commit.message):
                comment = commits.comment_of(commit.revision, commit.message)
                texts[comment] = rendering.known_by_then(entered, comment, commit.revision)

    def work() -> Params:
        rendered = dict(params.rendered)
        for text, names in texts.items():
            rendered |= rendering.rendered(params.ids["project_id"], text, names)
        return replace(params, draft={"push": _Arrived(sent, push)}, rendered=rendered)

    return work


def receive(context: Context, params: Params) -> Push:
    """Add the commits that a forge reports as changesets of its owner, and apply their commands.

    Commits that are known are skipped. Raises NotFound for an unknown kind, Forbidden for a wrong signature
    or if the owner of the forge may not add changesets.
    """
    arrived = params.draft.get("push")
    if not isinstance(arrived, _Arrived):
        raise BadRequest(_UNREADABLE)
    signer = _signer(context.transaction, params, arrived.sent)
    project_id, push = params.ids["project_id"], arrived.read
    # Now the same push, sent twice at the same time, waits.
    store.note_push(context.transaction, project_id, signer.id)
    if push.reason:
        return Push(reason=push.reason)
    owner = _owner(context.transaction, signer, params)
    entered = _entered(owner, project_id, Permission.CONTRIBUTE)
    try:
        return _added(entered, push)
    except Conflict as error:
        # Somebody else reported one of the commits just now.
        raise SerializationFailure from error


def _sent(params: Params) -> SentPush:
    sent = params.draft.get("push")
    if not isinstance(sent, SentPush):
        raise BadRequest(_UNREADABLE)
    return sent


def _kind(params: Params) -> str:
    kind = params.texts["kind"]
    if kind not in KINDS:
        raise NotFound(f"There are no such pushes; forges are {', '.join(KINDS)}")
    return kind


def _parsed(kind: str, sent: SentPush) -> payloads.ReadPush:
    try:
        return payloads.read(kind, sent, MAX_COMMITS)
    except ValueError as error:
        raise BadRequest(_UNREADABLE) from error


def _signer(transaction: Transaction, params: Params, sent: SentPush) -> Signer:
    kind = _kind(params)
    for forge in store.of_kind(transaction, params.ids["project_id"], kind):
        if payloads.is_signed(kind, sent, forge.secret):
            return forge
    raise Forbidden(_REFUSED)


def _owner(transaction: Transaction, signer: Signer, params: Params) -> Context:
    """Return the context of the owner of a forge; raises Forbidden if their login is disabled."""
    person = people.person(transaction, signer.user_id)
    if person is None or person.disabled:
        raise Forbidden(_GONE)
    principal = Principal(person.id, person.name, person.role)
    return Context(transaction, principal, rendered=params.rendered, via="forge")


def _entered(owner: Context, project_id: int, permission: Permission) -> Context:
    try:
        return access.enter(owner, project_id, permission, writes=permission is not Permission.VIEW)
    except (NotFound, Unauthenticated):
        raise Forbidden(_GONE) from None


def _added(context: Context, push: payloads.ReadPush) -> Push:
    known = changeset_store.known(
        context.transaction, context.project_id, [commit.revision for commit in push.commits]
    )
    room, silent, added = MAX_CHANGES, 0, list[str]()
    for commit in push.commits:
        if commit.revision in known or commit.revision in added:
            continue
        changes = sum(len(action.numbers) for action in actions_in_message(commit.message))
        acts = changes <= room
        room, silent = room - changes * acts, silent + (not acts)
        changesets.add(context, _changeset(context, commit), acts=acts)
        added.append(commit.revision)
    reasons = []
    if push.missing:
        reasons.append(f"A push may have at most {MAX_COMMITS} readable commits; the oldest were left out")
    if silent:
        reasons.append(
            f"A push changes at most {MAX_CHANGES} tickets; {silent} commits changed none of theirs"
        )
    here = len(push.commits) - len(added)
    return Push(revisions=added, known=here, left_out=push.missing, reason=". ".join(reasons))


def _changeset(context: Context, commit: Commit) -> Changeset:
    committer_id, name = _committer(context, commit)
    return Changeset(
        revision=commit.revision,
        title=commit.title,
        body=commit.message,
        changed_at=commit.changed_at,
        changes=commit.changes,
        committer_id=committer_id,
        committer_name=name,
    )


def _committer(context: Context, commit: Commit) -> tuple[int | None, str]:
    """Return the member whose proven address a commit has, the committer's first, and the name to show.

    The names of others are those in the commit, which anybody can write there.
    """
    for _, email in commit.authors:
        person = people.with_email(context.transaction, email, verified=True) if email else None
        if person and users.of_account(context.transaction, person.id):
            return person.id, person.name
    return None, commit.authors[-1][0] if commit.authors else ""
