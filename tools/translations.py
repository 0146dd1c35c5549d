"""Brings the catalogues of the site up to date: python tools/translations.py.

What is said on pages comes from the templates, what is said of mistakes from the places where they
are raised. A sentence with values in it stands in the catalogue with {0}, {1} in their places.
"""

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import falcon
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po

from skerry import resources, sizes
from skerry.hooks.problems import SENTENCES
from skerry.text.commands import COMMANDS
from skerry.text.palette import PALETTE
from skerry.tracker import suggestions
from skerry.web.responses.answer import STATUSES
from skerry.web.site.templates import CODE
from skerry.wire.record import Record, fields_of

ROOT = Path(__file__).parents[1]
SITE = ROOT / "skerry" / "web"
MAILS = ROOT / "skerry" / "mail" / "templates"
CATALOGUES = SITE / "locale"

_HEADER = """\
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Language: {language}\\n"
"Plural-Forms: {plural}\\n"

"""

# Who raises what people read on pages; the command line speaks English.
_FLOORS = (
    "errors.py",
    "files/blobs.py",
    "files/temporary_files.py",
    "hooks/deliveries.py",
    "hooks/loading.py",
    "hooks/problems.py",
    "hooks/schedule.py",
    "hooks/transport.py",
    "hooks/worker.py",
    "mail/sender.py",
    "mail/smtp.py",
    "text",
    "tracker",
    "transfer",
    "web",
    "wire",
)
_NOT_ON_PAGES = (
    "web/metrics",
    "web/openapi",
    "transfer",
    "wire/documents",
    "wire/exports",
    "wire/people_lists",
)
_REASON = "UnknownName"
_NAMING = {"must_end", "_open"}
_TROUBLES = {
    _REASON,
    "SerializationFailure",
    "Conflict",
    "Forbidden",
    "Invalid",
    "LevelsError",
    "NotFound",
    "QueryError",
    "Outcome",
    "PreconditionFailed",
    "Refused",
    "StatesError",
    "TooLarge",
    "TooManyRequests",
    "Unauthenticated",
    "Unavailable",
    "BadRequest",
    "UnsupportedMediaType",
    "ValueError",
    "unknown",
}


def template() -> Catalog:
    """Return every sentence that the site can say, without any translation."""
    catalog = Catalog(project="Skerry", fuzzy=False)
    for file in sorted((*(SITE / "templates").glob("*.html"), *MAILS.iterdir())):
        options = {"extensions": "jinja2.ext.i18n", "newstyle_gettext": "true", "silent": "false"}
        place = file.relative_to(MAILS.parents[1] if file.parent == MAILS else SITE).as_posix()
        for line, message, _, _ in extract_from_file("jinja2.ext:babel_extract", file, options=options):
            catalog.add(message, locations=[(place, line)])
    others = {("sizes.py", said) for said in (sizes.BYTE, sizes.BYTES)} | {("web/site/templates.py", CODE)}
    for name, sentence in sorted({*_sentences(), *_labels(), *_phrases(), *_helps(), *others}):
        catalog.add(sentence, locations=[(name, 1)])
    return catalog


def _sentences() -> Iterator[tuple[str, str]]:
    for floor in _FLOORS:
        found = ROOT / "skerry" / floor
        for file in [found] if found.is_file() else found.rglob("*.py"):
            name = file.relative_to(ROOT / "skerry").as_posix()
            if not name.startswith(_NOT_ON_PAGES):
                yield from ((name, sentence) for sentence in _said_in(ast.parse(file.read_text())))


def _labels() -> Iterator[tuple[str, str]]:
    """Return what fields are called in the sentences about them."""
    for module in pkgutil.walk_packages(resources.__path__, "skerry.resources."):
        importlib.import_module(module.name)
    # Whoever else has records, such as tests, says nothing on pages.
    for record in (each for each in _below(Record) if each.__module__.startswith(resources.__name__)):
        yield from (("wire/record.py", field.label) for field in fields_of(record) if field.writable)


def _below(kind: type[Record]) -> Iterator[type[Record]]:
    for each in kind.__subclasses__():
        yield each
        yield from _below(each)


def _phrases() -> Iterator[tuple[str, str]]:
    """Return the headings of the pages that say what went wrong."""
    statuses = {falcon.HTTP_500, *STATUSES.values()}
    return (("web/responses/answer.py", status.partition(" ")[2]) for status in statuses)


def _helps() -> Iterator[tuple[str, str]]:
    """Return what the keywords find and what the commands do."""
    yield from (("text/commands.py", command.does) for command in COMMANDS.values())
    yield from (("text/palette.py", name) for name in PALETTE.values())
    yield from (("tracker/suggestions.py", said) for said in suggestions.SAID)
    yield from (("hooks/problems.py", sentence) for _, sentence in SENTENCES)


def _said_in(tree: ast.AST) -> Iterator[str]:
    """Return what is raised, what is yielded as a problem, and the texts of constants and classes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name(node.func) in _TROUBLES:
            texts = [text for argument in node.args for text in _texts(argument) if _has_words(text)]
            yield from texts
            if _name(node.func) == _REASON:
                yield from (text[0].upper() + text[1:] for text in texts)
        elif isinstance(node, ast.Call) and _name(node.func) in _NAMING:
            yield from (text for argument in node.args for text in _texts(argument))
        elif isinstance(node, ast.Yield) and isinstance(node.value, ast.Tuple):
            yield from (text for item in node.value.elts for text in _texts(item) if _is_sentence(text))
        elif isinstance(node, ast.Yield | ast.Return | ast.Assign) and node.value:
            yield from (text for text in _texts(node.value) if _is_sentence(text))


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _texts(expression: ast.expr) -> Iterator[str]:
    if isinstance(expression, ast.Constant) and isinstance(expression.value, str):
        yield expression.value
    elif isinstance(expression, ast.JoinedStr):
        yield _with_places(expression)
    elif isinstance(expression, ast.IfExp):
        yield from (*_texts(expression.body), *_texts(expression.orelse))


def _with_places(joined: ast.JoinedStr) -> str:
    pieces, places = [], 0
    for value in joined.values:
        if isinstance(value, ast.Constant):
            pieces.append(str(value.value))
        else:
            pieces.append(f"{{{places}}}")
            places += 1
    return "".join(pieces)


def _has_words(text: str) -> bool:
    """Return whether a text has words enough for a sentence, or puts one before another sentence."""
    many = len(text.split()) > 2  # noqa: PLR2004 - three begin a sentence
    return text.endswith(": {0}") or (many and any(word.strip(",;:").isalpha() for word in text.split()))


def _is_sentence(text: str) -> bool:
    """Return whether a text is for people: it begins like a sentence or asks, and has words, not signs."""
    plain = not any(sign in text for sign in ("<", "=", "\n", "%", "\\", "]", "SELECT", "Max-Age", "X-"))
    begun = text[:1].isupper() or text[:1] == "{" or text[-1:] == "?"
    return _has_words(text) and plain and begun and text.isprintable()


def main() -> None:
    """Update each catalogue and say what is left to translate."""
    wanted = template()
    for file in sorted(CATALOGUES.glob("*.po")):
        with file.open("rb") as source:
            catalog = read_po(source, locale=file.stem)
        catalog.update(wanted, no_fuzzy_matching=True)
        catalog.obsolete.clear()
        with file.open("wb") as target:
            target.write(_HEADER.format(language=file.stem, plural=catalog.plural_forms).encode())
            write_po(target, catalog, width=100, omit_header=True, sort_output=True, include_lineno=False)
        missing = [message.id for message in catalog if message.id and not _is_translated(message)]
        print(f"{file.name}: {len(catalog)} messages, {len(missing)} to translate")


def _is_translated(message: Message) -> bool:
    said = message.string
    return all(said) if isinstance(said, list | tuple) else bool(said)


if __name__ == "__main__":
    main()
