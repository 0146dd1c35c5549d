"""The rows of an imported project, except its tickets."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress

from skerry.database.rows import Columns
from skerry.errors import Invalid
from skerry.resources.archives import (
    BinDetails,
    ChangesetDetails,
    MessageDetails,
    MilestoneDetails,
    ProjectDetails,
)
from skerry.resources.bins import TicketBin
from skerry.resources.changesets import Changeset
from skerry.resources.messages import Message
from skerry.resources.milestones import Milestone
from skerry.resources.people import Membership
from skerry.resources.ticket_templates import MAX_TEMPLATES, TicketTemplate
from skerry.text.changed_files import Change, read_changes
from skerry.text.tags import visible_tags, write_tags
from skerry.text.words import folded
from skerry.tracker import layouts
from skerry.tracker.changesets import is_revision
from skerry.tracker.layouts import Layout
from skerry.tracker.search import parse_query
from skerry.transfer.importing import edits
from skerry.transfer.importing import report as say
from skerry.transfer.importing.target import MAX_TITLE_LENGTH, ImportTarget, day
from skerry.visibility import is_visible

Named = tuple[str, Columns]
"""The name of a table, and a row for it."""


def project(target: ImportTarget, details: ProjectDetails) -> Columns:
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
    target.told[say.LICENSES] += len(said.license or "") > MAX_TITLE_LENGTH
    description, html = target.text(said.description or "", said.description_html)
    return {
        "id": target.project_id,
        "name": target.title(said.name),
        "permalink": target.permalink(said.permalink, said.name),
        "archived": int(said.archived),
        "public": int(said.public),
        # Its mail addresses are new, so its members must decide again.
        "mail_from_anyone": 0,
        "description": description or said.description,
        "description_html": html or None,
        "license": said.license and said.license[:MAX_TITLE_LENGTH],
        "importance_levels": said.importance_levels,
        "open_states": said.open_states,
        "closed_states": said.closed_states,
        "open_states_list": target.states.open_list,
        "closed_states_list": target.states.closed_list,
        "default_assigned_user_id": assignee,
        "default_milestone_id": milestone,
        "created_at": created,
        "updated_at": target.timestamp(details.updated_at, said.updated_at, created),
    }


def members(target: ImportTarget, memberships: Iterable[Membership]) -> Iterator[Named]:
    """Return the rows of the memberships, one for each person."""
    joined: set[int] = set()
    for membership in memberships:
        user_id = target.known(membership.user_id)
        if user_id is None or user_id in joined:
            target.told[say.MEMBERS] += 1
        else:
            joined.add(user_id)
            is_placeholder = user_id in target.placeholders
            target.told[say.WAITING] += is_placeholder
            yield (
                "placeholder_members" if is_placeholder else "project_members",
                {
                    "project_id": target.project_id,
                    "user_id": user_id,
                    "id": target.ids["memberships"][membership.id or -(membership.user_id or 0)],
                    "created_at": target.now,
                },
            )


def milestones(
    target: ImportTarget, several: Iterable[tuple[Milestone, MilestoneDetails]]
) -> Iterator[Columns]:
    """Return the rows of the milestones, whose tickets are counted later."""
    for milestone, details in several:
        created = target.timestamp(details.created_at, milestone.created_at, target.now)
        is_closed = details.completed_at is not None or milestone.completed_at is not None
        completed = (
            target.timestamp(details.completed_at, milestone.completed_at, created) if is_closed else None
        )
        title = target.title(milestone.title)
        goals, html = target.text(milestone.goals, milestone.goals_html)
        yield {
            "id": target.ids["milestones"][milestone.id or 0],
            "project_id": target.project_id,
            "title": title,
            "permalink": target.permalink(milestone.permalink, title),
            "goals": goals,
            "goals_html": html,
            "due_on": day(milestone.due_on),
            "start_on": milestone.start_on,
            "completed_at": completed,
            # Not counted, because hardly any tracker says who added it.
            "user_id": target.user_ids[target.people.author(details.user_id or target.first)],
            "created_at": created,
            "updated_at": target.timestamp(details.updated_at, milestone.updated_at, created),
        }


def bins(target: ImportTarget, several: Iterable[tuple[TicketBin, BinDetails]]) -> Iterator[Named]:
    """Return the rows of the bins with valid queries, and of people's default bins."""
    chosen: set[int] = set()
    for each, details in several:
        try:
            parse_query(each.query)
        except Invalid:
            target.told[say.BINS] += 1
            continue
        bin_id = target.ids["bins"][each.id or 0]
        yield "bins", _bin(target, bin_id, each, details)
        for user_id in (target.known(old) for old in details.default_for):
            if user_id is None or user_id in chosen:
                target.told[say.DEFAULT_BINS] += 1
            else:
                chosen.add(user_id)
                row = {"project_id": target.project_id, "user_id": user_id, "bin_id": bin_id}
                yield "default_bins", row


def _bin(target: ImportTarget, bin_id: int, said: TicketBin, details: BinDetails) -> Columns:
    updated = target.timestamp(details.updated_at, said.updated_at, target.now)
    return {
        "id": bin_id,
        "project_id": target.project_id,
        "user_id": target.author(said.user_id),
        "name": target.title(said.name),
        "query": said.query,
        "shared": int(said.shared),
        "position": target.position(said.position or 0),
        "created_at": target.timestamp(details.created_at, said.updated_at, updated),
        "updated_at": updated,
        **layout(said, target.told),
    }


def layout(said: Layout, told: Counter[str]) -> dict[str, str]:
    """Return the columns of a layout; counts one that cannot be used, and leaves it out."""
    try:
        return layouts.checked(said)
    except Invalid:
        told[say.LAYOUTS] += 1
        return layouts.NONE


def templates(target: ImportTarget, several: Iterable[TicketTemplate]) -> Iterator[Columns]:
    """Return the rows of the templates of tickets with different names, as many as a project may have."""
    names: set[str] = set()
    for template in several:
        name = folded(template.name)
        if not is_visible(template.name) or name in names or len(names) == MAX_TEMPLATES:
            target.told[say.TEMPLATES] += 1
            continue
        names.add(name)
        yield {
            "id": target.ids["ticket_templates"][template.id or 0],
            "project_id": target.project_id,
            "name": template.name,
            "title": template.title,
            "body": template.body,
            "tag": _tags_of(target, template),
            "assigned_user_id": target.somebody(template.assigned_user_id, say.ASSIGNEES),
        }


def _tags_of(target: ImportTarget, template: TicketTemplate) -> str:
    try:
        return write_tags(visible_tags(template.tag, "")) or ""
    except ValueError:
        target.told[say.TAGS] += 1
        return ""


def messages(target: ImportTarget, several: Iterable[tuple[Message, MessageDetails]]) -> Iterator[Named]:
    """Return the rows of messages, each before its comments, and of their earlier texts."""
    for message, details in several:
        title = target.title(message.title)
        called = {"title": title, "permalink": target.permalink(message.permalink, title)}
        comments = message.comments or []
        place = {"parent_id": None, "comments_count": len(comments)}
        yield from _message(target, message, details, {**called, **place})
        exact = {each.id: each for each in details.comments}
        place = {"parent_id": target.ids["messages"][message.id or 0], "comments_count": 0}
        for comment in comments:
            said = exact.get(comment.id or 0, MessageDetails())
            yield from _message(target, comment, said, {**called, **place})


def _message(target: ImportTarget, said: Message, details: MessageDetails, more: Columns) -> Iterator[Named]:
    row = {**_message_row(target, said, details), **more}
    texts = edits.usable(details.earlier_texts)
    yield "messages", row | edits.columns(target, said, details, texts, row["created_at"])
    key = {"project_id": row["project_id"], "message_id": row["id"]}
    for text in edits.rows(target, texts, row["created_at"], [said.body_html], **key):
        yield "message_texts", text


def _message_row(target: ImportTarget, said: Message, details: MessageDetails) -> Columns:
    created = target.timestamp(details.created_at, said.created_at, target.now)
    body, html = target.text(said.body, said.body_html)
    return {
        "id": target.ids["messages"][said.id or 0],
        "project_id": target.project_id,
        "user_id": target.author(said.user_id),
        "body": body,
        "body_html": html,
        "attachments_count": 0,
        "created_at": created,
        "updated_at": target.timestamp(details.updated_at, said.updated_at, created),
    }


def changesets(
    target: ImportTarget, several: Iterable[tuple[Changeset, ChangesetDetails]]
) -> Iterator[Columns]:
    """Return the rows of the changesets; their effects are in the versions of tickets."""
    for changeset, details in several:
        if not is_revision(changeset.revision):
            target.told[say.REVISIONS] += 1
            continue
        changed_at = target.timestamp(details.changed_at, changeset.changed_at, target.now)
        body, html = target.text(changeset.body, changeset.body_html)
        yield {
            "project_id": target.project_id,
            "revision": changeset.revision,
            "user_id": target.author(changeset.user_id),
            "title": changeset.title if is_visible(changeset.title) else f"Changeset [{changeset.revision}]",
            "body": body,
            "body_html": html,
            "changes": json.dumps(_changes(target, changeset), ensure_ascii=False, separators=(",", ":")),
            "changed_at": changed_at,
            "created_at": target.timestamp(details.created_at, changeset.changed_at, changed_at),
            "committer_id": target.known(changeset.committer_id or None),
            "committer_name": changeset.committer_name or "",
        }


def _changes(target: ImportTarget, changeset: Changeset) -> list[Change]:
    with suppress(ValueError):
        return read_changes(changeset.changes)
    try:
        # The original service cut off the paths of the largest ones.
        found = read_changes(changeset.changes, cut_short=True)
    except ValueError:
        target.told[say.CHANGES] += 1
        return []
    target.told[say.CUT_CHANGES] += 1
    return found
