"""The rows of an imported ticket: its versions unchanged, and all derived rows."""

import json
import unicodedata
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import accumulate

from skerry.database import rows as formats
from skerry.database.rows import Columns
from skerry.errors import Invalid
from skerry.resources.archives import VersionDetails
from skerry.resources.tickets import MAX_IMPORTANCE, VALUES, Attachment, Ticket, Version
from skerry.store.associations import Tagged
from skerry.store.transfer.unpacking import Member
from skerry.text.tags import MAX_TAG_LENGTH, MAX_TAGS, read_tags, write_tags
from skerry.tracker.context import NewFile
from skerry.transfer.importing import edits
from skerry.transfer.importing import report as say
from skerry.transfer.importing.reading import ReadTicket
from skerry.transfer.importing.target import ImportTarget
from skerry.visibility import is_visible
from skerry.wire.documents import UNREADABLE
from skerry.wire.record import Field, fields_of
from skerry.wire.values import convert

Rows = dict[str, list[Columns]]
KeepFile = Callable[[Member, str, str], NewFile]

_DAYS = [field for field in fields_of(Ticket) if field.recorded and field.day]

_NO_TIMESTAMPS = VersionDetails()


class TicketRows:
    """Creates the rows of one ticket, after storing its files."""

    def __init__(self, target: ImportTarget, read: ReadTicket, keep_file: KeepFile) -> None:
        """Create the object; no rows are created yet."""
        self._target = target
        self._read = read
        self._keep_file = keep_file
        self._htmls = [version.body_html for version in read.versions]
        self._normal_tags = set[str]()
        self._key = {"project_id": target.project_id, "number": read.ticket.number or 0}
        self.made: Rows = {
            name: []
            for name in ("tickets", "versions", "version_texts", "watchers", "taggings", "attachments")
        }
        self.closed = False
        self.milestone_id: int | None = None

    def make(self) -> Rows:
        """Return the rows by table."""
        self._attach()
        self._add_versions()
        self._add_ticket()
        return self.made

    def _add_versions(self) -> None:
        timestamps = {each.version: each for each in self._read.details.versions}
        came = sorted(row["version"] for row in self.made["attachments"])
        before: Version | None = None
        earlier = defaultdict(list)
        for text in self._read.details.earlier_texts:
            earlier[text.version].append(text)
        for version in self._read.versions:
            exact = timestamps.get(version.version or 0, _NO_TIMESTAMPS)
            last = self.made["versions"][-1]["created_at"] if self.made["versions"] else self._beginning()
            created = self._target.timestamp(exact.created_at, version.created_at, last)
            updated = self._target.timestamp(exact.updated_at, version.updated_at, created)
            values = self._values(version)
            texts = edits.usable(earlier[version.version])
            self.made["version_texts"] += edits.rows(
                self._target, texts, created, self._htmls, **self._key, version=version.version
            )
            body, html = self._target.text(version.body, version.body_html)
            self.made["versions"].append(
                {
                    **self._key,
                    **values,
                    **edits.columns(self._target, version, exact, texts, created),
                    "version": version.version,
                    "user_id": self._target.author(version.user_id),
                    "attachments_count": bisect_left(came, version.version or 0),
                    "watchers_ids": formats.written(self._target.watchers(version.watchers_ids)),
                    "diffable_attributes": json.dumps(self._difference(before, version), ensure_ascii=False),
                    "created_at": created,
                    "updated_at": updated,
                    "body": body,
                    "body_deleted_by": self._deleter(version),
                    "body_html": html,
                    "quoted_body": exact.quoted_body,
                }
            )
            before = version

    def _deleter(self, version: Version) -> int | None:
        return version.body_deleted_by and self._target.author(version.body_deleted_by)

    def _beginning(self) -> int:
        ticket, details = self._read.ticket, self._read.details
        return self._target.timestamp(details.created_at, ticket.created_at, self._target.now)

    def _values(self, said: Ticket | Version) -> Columns:
        """Return the recorded values, by column."""
        state, closed = self._target.state(said.state, closed=said.closed)
        return {
            **{name: getattr(said, name) for name in VALUES},
            "title": self._target.title(said.title),
            "state": state,
            "closed": closed,
            "private": int(said.private),
            "tag": self._tag(said.tag),
            "importance": self._importance(said.importance),
            "assigned_user_id": self._target.somebody(said.assigned_user_id, say.ASSIGNEES),
            "milestone_id": self._target.milestone(said.milestone_id),
        }

    def _tag(self, said: str | None) -> str | None:
        # Most versions have the tags of the one before.
        if said in self._normal_tags:
            return said
        tags = self._tags(said or "")
        visible = [tag for tag in tags if is_visible(tag)]
        self._target.told[say.INVISIBLE_TAGS] += len(tags) - len(visible)
        written = write_tags(visible)
        if written and written == said:
            self._normal_tags.add(written)
        return written

    def _tags(self, said: str) -> Sequence[str]:
        try:
            return read_tags(said)
        except ValueError:
            self._target.told[say.TAGS] += 1
            pieces = said.replace(",", " ").split()
            tags = [tag for piece in pieces for tag in _short_tags(piece[:MAX_TAG_LENGTH])]
            return [*dict.fromkeys(tags)][:MAX_TAGS]

    def _importance(self, said: int) -> int:
        fits = 0 <= said <= MAX_IMPORTANCE
        self._target.told[say.IMPORTANCE] += not fits
        return said if fits else 0

    def _difference(self, before: Version | None, version: Version) -> Columns:
        """Return the old values of a version, with their new ids."""
        if before is None:
            return {}
        difference = dict(version.diffable_attributes)
        if difference.get("assigned_user") is not None:
            difference["assigned_user"] = self._target.somebody(
                difference["assigned_user"], say.OLD_ASSIGNEES
            )
        for field in _DAYS:
            if field.name in difference:
                difference[field.name] = self._day(field, difference[field.name])
        if difference.get("milestone") is not None:
            difference["milestone"] = self._target.ids["milestones"].get(difference["milestone"])
        return difference

    def _day(self, field: Field, said: object) -> object:
        try:
            return convert(field, said)
        except Invalid:
            self._target.told[UNREADABLE.replace("NAME", field.name)] += 1
            return None

    def _add_ticket(self) -> None:
        ticket, details, target = self._read.ticket, self._read.details, self._target
        versions = self.made["versions"]
        first, last = versions[0], versions[-1]
        says_all = ticket.title and ticket.state
        values = self._values(ticket) if says_all else {name: last[name] for name in VALUES}
        created = target.timestamp(details.created_at, ticket.created_at, first["created_at"])
        watchers = target.watchers(ticket.watchers_ids)
        self.closed, self.milestone_id = bool(values["closed"]), values["milestone_id"]
        self.made["tickets"].append(
            {
                **self._key,
                **values,
                "permalink": target.permalink(ticket.permalink, first["title"]),
                "creator_id": target.author(ticket.creator_id) if ticket.creator_id else first["user_id"],
                "user_id": target.author(ticket.user_id) if ticket.user_id else last["user_id"],
                "version": last["version"],
                "last_version": max(last["version"], details.last_version),
                "attachments_count": len(self.made["attachments"]),
                "watchers_ids": formats.written(watchers),
                "created_at": created,
                "updated_at": self._updated(max(created, *(each["created_at"] for each in versions))),
                "body": first["body"],
                "body_html": first["body_html"],
                "original_body": self._original(first["body"]),
                "body_edited_at": first["body_edited_at"],
                "body_edited_by": first["body_edited_by"],
                # No cached ticket that had this number before can have such a revision.
                "revision": target.now,
            }
        )
        self.made["watchers"] = [{**self._key, "user_id": user_id} for user_id in watchers]
        tagged = Tagged(self._key["number"], closed=self.closed, assigned_user_id=values["assigned_user_id"])
        rows = tagged.rows(read_tags(values["tag"] or ""))
        self.made["taggings"] = [{**self._key, **row} for row in rows]

    def _updated(self, least: int) -> int:
        """Return when the ticket was last changed."""
        ticket, details = self._read.ticket, self._read.details
        updated = self._target.timestamp(details.updated_at, ticket.updated_at, least)
        self._target.told[say.UPDATED] += updated < least
        return max(updated, least)

    def _original(self, body: str) -> str | None:
        said = self._read.ticket.original_body
        if not isinstance(said, str):
            return None
        original, _ = self._target.elsewhere.rewritten(said, *self._htmls)
        return original if original != body else None

    def _attach(self) -> None:
        """Store the files that exist, oldest first."""
        known = {each.id: each for each in self._read.details.attachments}
        left, arrivals = dict(self._read.files), _Arrivals(self._read.versions)
        for attachment in sorted(self._read.ticket.attachments or (), key=lambda each: each.id or 0):
            details = known.get(attachment.id or 0)
            member = _taken(left, attachment, details.file if details else "")
            if member is None:
                self._target.told[say.FILES_MISSING] += 1
                continue
            version = details.version if details else None
            exact = details.created_at if details else None
            self._add_file(attachment, member, arrivals.version_of(attachment, version), exact)
        self._target.told[say.FILES_UNLISTED] += len(left)

    def _add_file(self, attachment: Attachment, member: Member, version: int, exact: int | None) -> None:
        kept = self._keep_file(member, attachment.filename, attachment.content_type)
        self.made["attachments"].append(
            {
                **self._key,
                "id": self._target.ids["attachments"][attachment.id or 0],
                "version": version,
                "message_id": None,
                "uploader_id": self._target.author(attachment.uploader_id),
                "code": kept.code,
                "filename": kept.filename,
                "content_type": kept.content_type,
                "size": kept.size,
                "width": kept.width,
                "height": kept.height,
                "created_at": self._target.timestamp(exact, attachment.created_at, self._beginning()),
            }
        )


class _Arrivals:
    """Finds the version of a file without comparing each file with each version."""

    def __init__(self, versions: list[Version]) -> None:
        numbered = [(each.created_at, each.user_id, each.version or 1) for each in versions]
        self._numbers = {number for _, _, number in numbered}
        # The first version of each person in each second.
        self._same = {(at, user_id): number for at, user_id, number in reversed(numbered)}
        dated = sorted((at, number) for at, _, number in numbered if at)
        self._moments = [at for at, _ in dated]
        self._last = list(accumulate((number for _, number in dated), max, initial=1))

    def version_of(self, attachment: Attachment, said: int | None) -> int:
        """Return the version that a file names, that of the same person and time, or the last one before."""
        if said in self._numbers:
            return said or 1
        at = attachment.created_at
        if at is None:
            return 1
        before = self._last[bisect_right(self._moments, at)]
        return self._same.get((at, attachment.uploader_id), before)


def _taken(left: dict[str, Member], attachment: Attachment, said: str) -> Member | None:
    """Remove the file of an attachment from the ticket's remaining files, and return it."""
    names = (said, f"{attachment.id}-{attachment.filename}", attachment.filename)
    for name in (unicodedata.normalize("NFC", each) for each in names):
        if name in left:
            return left.pop(name)
    return None


def _short_tags(text: str) -> tuple[str, ...]:
    """Return the tags of a text; none if they are too long, because lower case can be longer."""
    try:
        return read_tags(text)
    except ValueError:
        return ()
