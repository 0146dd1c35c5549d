"""Tables in files: their charset, their separator, and their rows one after the other."""

import codecs
import csv
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from json import detect_encoding

from skerry.errors import Invalid
from skerry.transfer.sources.columns import DATES, SEPARATORS, Mapped, guessed, spaced
from skerry.transfer.sources.dates import Order
from skerry.transfer.sources.files import SourceFile, SourceFiles, opened
from skerry.transfer.sources.report import Report

MAX_COLUMNS = 2_000

# The limit of the library is too small for long texts.
_MAX_CELL = 8 * 1024 * 1024

# How what is no table begins; no heading does.
_JSON = re.compile(r'\s*(?:\{\s*"|\[\s*[\[{]|[\[{]\s*$)')
_MARKUP = re.compile(r"\s*<(?:[!?]|[a-z]+[\s/>])", re.IGNORECASE)
_HEAD = 64 * 1024
_WIDTHS = {"utf-16": 2, "utf-32": 4}
# Letters with accents before others, without the quotation marks of the other charset.
_MAC_LETTERS = re.compile(rb"(?<=[A-Za-z])[\x80-\x91\x93-\x9f](?=[A-Za-z])|[\x86\x8a\x8e\x9a\x9f](?=[a-z])")
_WINDOWS_LETTERS = re.compile(rb"[\xc0-\xd1\xd6-\xff](?=[A-Za-z])")


@dataclass(frozen=True)
class Table:
    """A table and how it is read; the field of an unknown column is empty."""

    name: str
    charset: str
    separator: str
    header: list[str]
    fields: list[str]
    order: str
    rows: int

    @property
    def unknown(self) -> list[str]:
        """Return the headings of columns that mean nothing here."""
        return [heading for heading, name in zip(self.header, self.fields, strict=True) if not name]


def understood(files: SourceFiles, file: SourceFile, mapped: Mapped, report: Report) -> Table:
    """Return how a table is read, after reading all of it once and reporting rows that are too short.

    Raises Invalid for a table without a title, for dates that can be read two ways, and, naming the line, for
    damaged rows.
    """
    charset = mapped.charset or charset_of(files, file)
    separator = mapped.separator or separator_of(files, file, charset)
    rows = cells(files, file, charset, separator, report)
    first = next(rows, None)
    if first is None:
        raise Invalid(f"{file.name} is empty")
    header = [spaced(cell) for cell in first[1]]
    if any("\0" in heading for heading in header):
        said = "write 'charset: utf-16' or another into a file for --columns"
        raise Invalid(f"{file.name} is not in {charset}; {said}")
    if len(header) > MAX_COLUMNS:
        raise Invalid(f"{file.name} has more than {MAX_COLUMNS} columns")
    fields = guessed(header, mapped)
    if "title" not in fields:
        raise Invalid(
            f"{file.name} has no column that looks like a title; line {first[0]} is taken as the heading: "
            f"{', '.join(filter(None, header))[:500]}. If the heading is below it, remove the lines above; "
            "otherwise write 'column = title' into a file for --columns"
        )
    order, count = Order(mapped.dates), 0
    dated = [place for place, name in enumerate(fields) if name in DATES]
    for line, row in rows:
        count += 1
        for place in dated:
            if place < len(row) and row[place]:
                order.note(row[place], f"{file.name}, line {line}, column {place + 1}")
    return Table(file.name, charset, separator, header, fields, order.settled(), count)


def cells(
    files: SourceFiles, file: SourceFile, charset: str, separator: str, report: Report | None = None
) -> Iterator[tuple[int, list[str]]]:
    """Yield the line and the cells of each row that is not empty, reporting those with too few.

    Raises Invalid, naming the line, for damaged rows and those with more cells than the first.
    """
    csv.field_size_limit(_MAX_CELL)
    with _text(files, file, charset) as text:
        lines = iter(text)
        skipped = width = heading = 0
        first = next(lines, "")
        _check_is_table(file, first)
        if first.lower().startswith("sep="):
            skipped, first = 1, next(lines, "")
        reader = csv.reader(_chained(first, lines), delimiter=separator, strict=True)
        try:
            for row in reader:
                if not any(row):
                    continue
                line, width = reader.line_num + skipped, width or len(row)
                heading = heading or line
                if any(row[width:]):
                    said = f"there are {len(row)} cells, but {width} in the heading, which is line {heading}"
                    raise Invalid(f"{file.name}, line {line}: {said}")
                # Some programs leave out empty cells at the end, so this need not be damage.
                if report and len(row) < width:
                    example = f"{file.name}, line {line}: {len(row)} of {width} cells"
                    report.lose("{n} {row|rows} with fewer cells than there are headings", example)
                yield line, row[:width]
        except csv.Error as error:
            line = reader.line_num + skipped
            raise Invalid(f"{file.name} is damaged: {error}, line {line}") from error


def _check_is_table(file: SourceFile, first: str) -> None:
    if _JSON.match(first):
        raise Invalid(f"{file.name} is JSON, not a table; choose the tracker that it comes from")
    if _MARKUP.match(first):
        raise Invalid(f"{file.name} is HTML or XML, not a table; perhaps it is a page that asks to sign in")


@contextmanager
def _text(files: SourceFiles, file: SourceFile, charset: str) -> Iterator[io.TextIOWrapper]:
    """Yield a file as text; raises Invalid if it lacks the mark that its charset needs."""
    try:
        with io.TextIOWrapper(opened(files.pieces(file)), charset, "replace", newline="") as text:
            yield text
    except UnicodeError as error:
        raise Invalid(f"{file.name} is not in {charset}: it has no byte order mark") from error


def _chained(first: str, lines: Iterator[str]) -> Iterator[str]:
    if first:
        yield first
    yield from lines


def charset_of(files: SourceFiles, file: SourceFile) -> str:
    """Return the charset of a file: a Unicode one if it is valid, or that of Windows or old Macs.

    Raises Invalid if it ends in the middle of a character.
    """
    decoder, shown = codecs.getincrementaldecoder("utf-8")(), ""
    for piece in files.pieces(file):
        shown = shown or detect_encoding(piece[:4])
        if file.size % _WIDTHS.get(shown[:6], 1):
            raise Invalid(f"{file.name} is damaged: it ends in the middle of a character in {shown}")
        if shown != "utf-8":
            return shown
        try:
            decoder.decode(piece)
        except UnicodeDecodeError:
            is_mac = len(_MAC_LETTERS.findall(piece)) > len(_WINDOWS_LETTERS.findall(piece))
            return "mac-roman" if is_mac else "cp1252"
    return "utf-8"


def called(charset: str) -> str:
    """Return a charset as reports name it, with the way to say another one unless it is certain."""
    certain = charset.startswith("utf")
    return charset.removesuffix("-sig") if certain else f"{charset} (or another: 'charset:' in --columns)"


def separator_of(files: SourceFiles, file: SourceFile, charset: str) -> str:
    """Return what separates the cells of a file."""
    with _text(files, file, charset) as text:
        head = text.read(_HEAD)
    if head[:4].lower() == "sep=" and head[4:5].strip("\r\n"):
        return head[4]
    line = next((line for line in head.splitlines() if line.strip()), "")
    unquoted = "".join(line.split('"')[::2])
    return max(SEPARATORS.values(), key=unquoted.count)
