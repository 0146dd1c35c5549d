"""Exports: a snapshot of an account, in files for people and other programs."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TypeVar

from skerry.database.database import Database
from skerry.database.transactions import SECOND, Transaction
from skerry.errors import NotFound
from skerry.files.blobs import Blobs
from skerry.resources.archives import ExportDetails
from skerry.resources.lists import ListSettings
from skerry.resources.projects import Project
from skerry.resources.ticket_templates import TicketTemplate
from skerry.resources.tickets import Attachment, Ticket
from skerry.store import (
    accounts,
    attachments,
    bins,
    changesets,
    comments,
    list_settings,
    messages,
    milestones,
    projects,
    ticket_templates,
)
from skerry.store.people import avatars, memberships, placeholders, users
from skerry.store.ticket_rows import whole_tickets
from skerry.store.transfer import exported_file, exports
from skerry.store.transfer.exported_file import Pack
from skerry.tracker import links
from skerry.tracker.context import Context, Principal
from skerry.wire import exports as names
from skerry.wire import json
from skerry.wire.record import Record, changed

# Tickets may be large, so only a few are in memory at a time.
_TICKETS_AT_ONCE = 50
_AT_ONCE = 500

# Links are shown as somebody sees them who sees everything.
_EXPORTER = Principal(0, "", "owner")

R = TypeVar("R", bound=Record)


@dataclass
class ExportReport:
    """The content of an export; ``lost`` has a sentence for each missing file."""

    projects: int = 0
    tickets: int = 0
    users: int = 0
    files: int = 0
    lost: list[str] = field(default_factory=list)


def export(
    database: Database, blobs: Blobs, account_id: int, path: Path, *, base: str, overwrite: bool
) -> ExportReport:
    """Write an account to one file, with ``base`` as the base URL of all addresses.

    Raises Conflict if the file exists and must not be overwritten, Unavailable if the database or the files
    cannot be reached.
    """
    path = path.resolve() if str(path) != "-" and path.is_file() else path
    with (
        TemporaryFile("w+b", dir=None if str(path) == "-" else path.parent) as wanted,
        exported_file.packing(path, overwrite=overwrite) as pack,
        # From before the snapshot on, no file that its rows refer to may be removed.
        blobs.prevent_removal(),
    ):
        with database.read(account_id) as transaction:
            transaction.base = base
            writing = _Writing(transaction, pack, wanted)
            writing.account()
        wanted.seek(0)
        for line in wanted:
            _copy(pack, blobs, json.decode(line), writing.report)
    return writing.report


def _copy(pack: Pack, blobs: Blobs, file: tuple[str, str, int, str], report: ExportReport) -> None:
    name, key, size, title = file
    if blobs.size(key) == size:
        with suppress(NotFound):
            pack.copy(name, blobs.read(key, 0, size))
            report.files += 1
            return
    if not report.lost:
        blobs.check_container(key)
    report.lost.append(f"The file of {title}, is missing or incomplete; it is not in the export")


class _Writing:
    """Writes the data that one transaction sees; the people named in it come last."""

    def __init__(self, transaction: Transaction, pack: Pack, wanted: IO[bytes]) -> None:
        self.transaction = transaction
        self.pack = pack
        self.wanted = wanted
        self.report = ExportReport()
        self.people: set[int | None] = set()
        account = accounts.name_of(transaction)
        self.root = names.slug(account) or f"account-{transaction.account_id}"
        pack.made_at = transaction.now // SECOND
        about = ExportDetails(program=f"skerry {version('skerry')}", account=account, made_at=transaction.now)
        self._write(names.ABOUT, "export", about)

    def _write(
        self, name: str, root: str, shown: Record | Sequence[Record], details: Record | None = None
    ) -> None:
        self.pack.add(f"{self.root}/{name}", json.document(root, shown, details))

    def account(self) -> None:
        for project in projects.everything(self.transaction):
            self._project(project)
        self._views()
        self.people.update(exports.of_account(self.transaction))
        for user_id in sorted(each for each in self.people if each is not None):
            self._user(user_id)

    def _project(self, project: Project) -> None:
        project_id = project.id or 0
        folder = f"projects/{names.numbered(project_id, project.name)}"
        self.report.projects += 1
        self.people.add(project.default_assigned_user_id)
        details = exports.of_project(self.transaction, project_id)
        self._write(f"{folder}/project.json", project.singular, project, details)
        members = [
            *memberships.of_project(self.transaction, project_id),
            *placeholders.members(self.transaction, project_id),
        ]
        self._write(f"{folder}/memberships.json", "memberships", members)
        self.people.update(membership.user_id for membership in members)
        self._templates(project_id, folder)
        for write in (self._milestones, self._bins, self._messages, self._changesets, self._tickets):
            write(project_id, folder)

    def _templates(self, project_id: int, folder: str) -> None:
        templates = ticket_templates.ROWS.all(self.transaction, project_id)
        if templates:
            self._write(f"{folder}/templates.json", TicketTemplate.plural, templates)
            self.people.update(template.assigned_user_id for template in templates)

    def _milestones(self, project_id: int, folder: str) -> None:
        all_milestones = milestones.whole(self.transaction, project_id)
        details = exports.of_milestones(self.transaction, project_id, [each.id for each in all_milestones])
        for milestone in all_milestones:
            name = f"{folder}/milestones/{names.numbered(milestone.id, milestone.title)}.json"
            self._write(name, milestone.singular, milestone, details[milestone.id])
            self.people.add(details[milestone.id].user_id)

    def _bins(self, project_id: int, folder: str) -> None:
        all_bins = bins.ROWS.all(self.transaction, project_id)
        details = exports.of_bins(self.transaction, project_id, [each.id for each in all_bins])
        for each in all_bins:
            name = f"{folder}/bins/{names.numbered(each.id, each.name)}.json"
            self._write(name, each.singular, each, details[each.id])
            self.people.update([each.user_id, *details[each.id].default_for])

    def _views(self) -> None:
        details = exports.of_views(self.transaction)
        for view in bins.ROWS.all(self.transaction, None):
            self._write(
                f"views/{names.numbered(view.id, view.name)}.json", view.singular, view, details[view.id]
            )
            self.people.update([view.user_id, *details[view.id].default_for])

    def _messages(self, project_id: int, folder: str) -> None:
        for offset in range(0, messages.count(self.transaction, project_id), _TICKETS_AT_ONCE):
            page = comments.of_whole_page(self.transaction, project_id, limit=_TICKETS_AT_ONCE, offset=offset)
            details = exports.of_messages(self.transaction, project_id, page)
            for message in page:
                name = f"{folder}/messages/{names.numbered(message.id, message.title)}.json"
                self._write(name, message.singular, message, details[message.id])
                for each in (message, *(message.comments or ())):
                    self.people.update((each.user_id, each.body_edited_by))
                for exact in (details[message.id], *details[message.id].comments):
                    self.people.update(text.user_id for text in exact.earlier_texts)

    def _changesets(self, project_id: int, folder: str) -> None:
        for offset in range(0, changesets.count(self.transaction, project_id), _AT_ONCE):
            page = changesets.whole_page(self.transaction, project_id, limit=_AT_ONCE, offset=offset)
            revisions = [each.revision for each in page]
            details = exports.of_changesets(self.transaction, project_id, revisions)
            for changeset in page:
                name = f"{folder}/changesets/{names.of_revision(changeset.revision)}.json"
                self._write(name, changeset.singular, changeset, details[changeset.revision])
                self.people.add(changeset.user_id)
                self.people.add(changeset.committer_id or None)

    def _tickets(self, project_id: int, folder: str) -> None:
        context = Context(self.transaction, _EXPORTER, Project(id=project_id))
        for numbers in exports.numbers(self.transaction, project_id, at_once=_TICKETS_AT_ONCE):
            details = exports.of_tickets(self.transaction, project_id, numbers)
            for each in whole_tickets.several(self.transaction, project_id, numbers):
                ticket = links.with_links(context, each)
                place = f"{folder}/tickets/{names.numbered(ticket.number, ticket.title)}"
                files = self._files(place, ticket)
                attached = [changed(each, file=files[each.id]) for each in details[ticket.number].attachments]
                said = changed(details[ticket.number], attachments=attached)
                self._write(f"{place}/{names.TICKET}", ticket.singular, ticket, said)
                self.people.update(_named_in(ticket))
                self.people.update(text.user_id for text in said.earlier_texts)
                self.report.tickets += 1

    def _files(self, place: str, ticket: Ticket) -> dict[int, str]:
        """Record the files of a ticket for later, and return their names by id."""
        taken: set[str] = set()
        file_names: dict[int, str] = {}
        for file in ticket.attachments or ():
            name = file_names[file.id or 0] = names.of_file(file.filename, file.id, taken)
            key = attachments.key_of(self.transaction.account_id, file.code)
            title = f"attachment {file.id} of ticket {ticket.number}, {file.filename}"
            self._want(f"{place}/{name}", key, file, title)
            self.people.add(file.uploader_id)
        return file_names

    def _want(self, name: str, key: str, file: Attachment, title: str) -> None:
        self.wanted.write(json.encode((f"{self.root}/{name}", key, file.size, title)) + b"\n")

    def _user(self, user_id: int) -> None:
        user = users.one(self.transaction, user_id)
        if user is None:
            return
        folder = f"users/{names.numbered(user_id, user.name)}"
        self.report.users += 1
        joined = memberships.of_account(self.transaction, user_id)
        joined += memberships.in_projects(self.transaction, user_id, only=0)
        details = exports.of_user(self.transaction, user_id)
        self._write(f"{folder}/user.json", user.singular, user, details)
        self._write(f"{folder}/memberships.json", "memberships", joined)
        lists = list_settings.of_user(self.transaction, user_id)
        if lists:
            self._write(f"{folder}/{names.LISTS}", ListSettings.plural, lists)
        picture = avatars.one(self.transaction, user_id)
        if picture:
            ending = picture.attachment.filename.rpartition(".")[2]
            title = f"user {user_id}, the picture"
            self._want(f"{folder}/avatar.{ending}", picture.key, picture.attachment, title)


def _named_in(ticket: Ticket) -> Iterable[int | None]:
    """Yield the ids of all people whom a ticket names, in any version."""
    for each in (ticket, *(ticket.versions or ())):
        yield from (each.creator_id, each.user_id, each.assigned_user_id, *each.watchers_ids)
    for each in ticket.versions or ():
        yield from (each.diffable_attributes.get("assigned_user"), each.body_deleted_by, each.body_edited_by)
