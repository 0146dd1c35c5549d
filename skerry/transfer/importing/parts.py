"""The rows of an imported project, except its tickets."""

import json
from collections.abc import Iterable, Iterator

from skerry.errors import Invalid
from skerry.resources.bins import TicketBin
from skerry.resources.changesets import Changeset
from skerry.resources.exports import (
    BinDetails,
    ChangesetDetails,
    MessageDetails,
    MilestoneDetails,
    ProjectDetails,
)
from skerry.resources.messages import Message
from skerry.resources.milestones import Milestone
from skerry.resources.people.memberships import Membership
from skerry.store.engine.rows import Columns
from skerry.text.changed_files import Change, read_changes
from skerry.tracker.changesets import is_revision
from skerry.tracker.lists.search import parse_query
from skerry.transfer.importing import report as say
from skerry.transfer.importing.target import MAX_TITLE_LENGTH, Target, day, number

Named = tuple[str, Columns]
"""The name of a table, and a row for it."""


def project(target: Target, details: ProjectDetails) -> Columns:
    """Return the row of the project itself."""
    said = target.project
    created = target.timestamp(details.created_at, said.created_at, target.now)
    defaults = said.default_assigned_user_id, said.default_milestone_id
    assignee = target.known(said.default_assigned_user_id)
    milestone = target.ids["milestones"].get(said.default_milestone_id or 0)
    milestone = milestone if said.default_milestone_id in target.milestones else None
    target.told[say.DEFAULTS] += any(
        old and not new for old, new in zip(defaults, (assignee, milestone), strict=True)
    )
    return {
        "id": target.project_id,
        "name": target.title(said.name),
        "permalink": target.permalink(said.permalink, said.name),
        "archived": int(said.archived),
        "public": int(said.public),
        # Its mail addresses are new, so its members must decide again.
        "mail_from_anyone": 0,
        "description": said.description,
        "description_html": target.html(said.description) if said.description else None,
        "license": said.license and said.license[:MAX_TITLE_LENGTH],
        "open_states": said.open_states,
        "closed_states": said.closed_states,
        "open_states_list": target.states.open_list,
        "closed_states_list": target.states.closed_list,
        "default_assigned_user_id": assignee,
        "default_milestone_id": milestone,
        "created_at": created,
        "updated_at": target.timestamp(details.updated_at, said.updated_at, created),
    }


def members(target: Target, found: Iterable[Membership]) -> Iterator[Named]:
    """Return the rows of the memberships, one for each person."""
    joined: set[int] = set()
    for membership in found:
        user_id = target.known(membership.user_id)
        if user_id is not None and user_id not in joined:
            joined.add(user_id)
            yield (
                "project_members",
                {
                    "project_id": target.project_id,
                    "user_id": user_id,
                    "id": target.ids["memberships"][membership.id or -(membership.user_id or 0)],
                    "created_at": target.now,
                },
            )


def milestones(target: Target, found: Iterable[tuple[Milestone, MilestoneDetails]]) -> Iterator[Columns]:
    """Return the rows of the milestones, whose tickets are counted later."""
    for milestone, details in found:
        created = target.timestamp(details.created_at, milestone.created_at, target.now)
        is_closed = details.completed_at is not None or milestone.completed_at is not None
        completed = (
            target.timestamp(details.completed_at, milestone.completed_at, created) if is_closed else None
        )
        title = target.title(milestone.title)
        yield {
            "id": target.ids["milestones"][milestone.id or 0],
            "project_id": target.project_id,
            "title": title,
            "permalink": target.permalink(milestone.permalink, title),
            "goals": milestone.goals,
            "goals_html": target.html(milestone.goals),
            "due_on": day(milestone.due_on),
            "completed_at": completed,
            "user_id": target.author(details.user_id or target.first),
            "created_at": created,
            "updated_at": target.timestamp(details.updated_at, milestone.updated_at, created),
        }


def bins(target: Target, found: Iterable[tuple[TicketBin, BinDetails]]) -> Iterator[Named]:
    """Return the rows of the bins with valid queries, and of people's default bins."""
    chosen: set[int] = set()
    for each, details in found:
        try:
            parse_query(each.query)
        except Invalid:
            target.told[say.BINS] += 1
            continue
        bin_id = target.ids["bins"][each.id or 0]
        yield "bins", _bin(target, bin_id, each, details)
        for user_id in (target.known(old) for old in details.default_for):
            if user_id is not None and user_id not in chosen:
                chosen.add(user_id)
                row = {"project_id": target.project_id, "user_id": user_id, "bin_id": bin_id}
                yield "default_bins", row


def _bin(target: Target, bin_id: int, said: TicketBin, details: BinDetails) -> Columns:
    updated = target.timestamp(details.updated_at, said.updated_at, target.now)
    return {
        "id": bin_id,
        "project_id": target.project_id,
        "user_id": target.author(said.user_id),
        "name": target.title(said.name),
        "query": said.query,
        "shared": int(said.shared),
        "position": number(said.position or 0),
        "created_at": target.timestamp(details.created_at, said.updated_at, updated),
        "updated_at": updated,
    }


def messages(target: Target, found: Iterable[tuple[Message, MessageDetails]]) -> Iterator[Columns]:
    """Return the rows of messages, each before its comments."""
    for message, details in found:
        title = target.title(message.title)
        called = {"title": title, "permalink": target.permalink(message.permalink, title)}
        comments = message.comments or []
        row = _message(target, message, details, called)
        yield {**row, "parent_id": None, "comments_count": len(comments)}
        exact = {each.id: each for each in details.comments}
        for comment in comments:
            said = exact.get(comment.id or 0, MessageDetails())
            below = _message(target, comment, said, called)
            yield {**below, "parent_id": row["id"], "comments_count": 0}


def _message(target: Target, said: Message, details: MessageDetails, called: Columns) -> Columns:
    created = target.timestamp(details.created_at, said.created_at, target.now)
    return {
        "id": target.ids["messages"][said.id or 0],
        "project_id": target.project_id,
        "user_id": target.author(said.user_id),
        **called,
        "body": said.body,
        "body_html": target.html(said.body),
        "attachments_count": 0,
        "created_at": created,
        "updated_at": target.timestamp(details.updated_at, said.updated_at, created),
    }


def changesets(target: Target, found: Iterable[tuple[Changeset, ChangesetDetails]]) -> Iterator[Columns]:
    """Return the rows of the changesets; their effects are in the versions of tickets."""
    for changeset, details in found:
        if not is_revision(changeset.revision):
            target.told[say.REVISIONS] += 1
            continue
        changed_at = target.timestamp(details.changed_at, changeset.changed_at, target.now)
        yield {
            "project_id": target.project_id,
            "revision": changeset.revision,
            "user_id": target.author(changeset.user_id),
            "title": changeset.title or f"Changeset [{changeset.revision}]",
            "body": changeset.body,
            "body_html": target.html(changeset.body),
            "changes": json.dumps(_changes(target, changeset), ensure_ascii=False, separators=(",", ":")),
            "changed_at": changed_at,
            "created_at": target.timestamp(details.created_at, changeset.changed_at, changed_at),
        }


def _changes(target: Target, changeset: Changeset) -> list[Change]:
    try:
        # The original service cut off the paths of the largest ones.
        return read_changes(changeset.changes, cut_short=True)
    except ValueError:
        target.told[say.CHANGES] += 1
        return []
