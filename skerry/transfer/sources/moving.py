"""The export of another tracker as an unpacked archive, ready to be imported."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile

from skerry.errors import Invalid
from skerry.store.transfer.unpacking import Unpacked, unpacked
from skerry.transfer.sources.files import Progress, SourceFile, source_files
from skerry.transfer.sources.layout import ArchiveWriter, People, ProjectWriter
from skerry.transfer.sources.links import Links
from skerry.transfer.sources.numbering import Places
from skerry.transfer.sources.records import SourceOptions
from skerry.transfer.sources.registry import source
from skerry.transfer.sources.report import Report

_WITH_TABLES = frozenset({"csv", "jira"})


def _is_table(file: SourceFile) -> bool:
    return file.name.lower().endswith((".csv", ".tsv"))


@contextmanager
def as_archive(
    kind: str, path: Path, folder: Path, options: SourceOptions, progress: Progress, name: str = ""
) -> Iterator[tuple[Unpacked, Report]]:
    """Yield the unpacked archive that a source becomes, and the report about what it could not keep.

    The archive is an unnamed file in ``folder``. If ``kind`` is empty, the source is an archive already.
    Raises Invalid, naming the file and the place, for a source that cannot be used, ArchiveError for a
    damaged archive, Conflict if the disk is full.
    """
    report = Report()
    if not kind:
        with unpacked(path, folder, partial(progress, "Unpacking bytes")) as archive:
            yield archive, report
        return
    with TemporaryFile(dir=folder) as file:
        with source_files(path, folder, progress, name) as files:
            if kind not in _WITH_TABLES and all(_is_table(file) for file in files):
                raise Invalid(f"{files.path.name} is a table; choose CSV as its source (--from csv)")
            projects = source(kind)(files, report, options)
            if not projects:
                raise Invalid(f"{name or path} has no project of {kind}")
            people = People()
            writer = ArchiveWriter(projects[0].origin or kind, file, folder)
            places = Places(projects, report)
            links = Links(places, report)
            for place, project in enumerate(projects, 1):
                ProjectWriter(writer, people, project, report, places, place).write(
                    links, lambda done, total: progress("Converting tickets", done, total)
                )
            people.write(writer, report)
            report.keep("{n} {person|people}", len(people))
            writer.close()
        yield Unpacked(file), report
