"""The files that archives of GitHub have for issues and comments."""

from collections.abc import Mapping

from skerry.transfer.sources.fields import Fields
from skerry.transfer.sources.files import SourceFile
from skerry.transfer.sources.forges.github_history import login
from skerry.transfer.sources.records import Attachment, Change, Ticket
from skerry.transfer.sources.report import Report

MARKS = ("asset_name", "asset_url")
"""The members that only records of attached files have."""


def place_of(record: Fields) -> str:
    """Return where a file is below the top of its archive."""
    return record.text("asset_url").removeprefix("tarball://root/")


def below_top(name: str) -> str:
    """Return the name of a file as records name it, whatever folder the archive is in."""
    _, sign, rest = f"/{name}".partition("/attachments/")
    return f"attachments/{rest}" if sign else name


def attach(ticket: Ticket, records: list[Fields], files: Mapping[str, SourceFile], report: Report) -> None:
    """Add files to a ticket, and name them in its texts as attachments."""
    taken = set[str]()
    for record in records:
        name, address = record.text("asset_name"), record.text("url")
        file = files.get(place_of(record))
        if file is None:
            report.lose("{n} {file is|files are} named, but not in the export", f"#{ticket.key}: {name}")
            continue
        while name in taken:
            name = f"2-{name}"
        taken.add(name)
        author, at = login(record.one("user")), record.moment("created_at")
        kind = record.text("asset_content_type", "")
        ticket.attachments.append(Attachment(name, at, author, file.size, file.pieces, kind))
        texts: list[Ticket | Change] = [ticket, *ticket.changes]
        for text in texts:
            text.body = text.body.replace(f"]({address})", f"](attachment:{name})")
