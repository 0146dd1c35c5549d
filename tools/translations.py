"""Brings the catalogues of the site up to date: python tools/translations.py.

What is said on pages comes from the templates, what is said of mistakes from the places where they
are raised. A sentence with values in it stands in the catalogue with {0}, {1} in their places.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).parents[1]
SITE = ROOT / "skerry" / "web"
CATALOGUES = SITE / "locale"

# Who raises what people read on pages; the command line speaks English.
_FLOORS = ("errors.py", "text", "tracker", "web", "wire")
_TROUBLES = {
    "Collision",
    "Conflict",
    "Forbidden",
    "Invalid",
    "Missing",
    "QueryError",
    "Stale",
    "StatesError",
    "TooLarge",
    "TooMany",
    "Unauthenticated",
    "Unavailable",
    "Unreadable",
    "Unsupported",
}


def template() -> Catalog:
    """Give every sentence that the site can say, without any translation."""
    catalog = Catalog(project="Skerry", fuzzy=False)
    for file in sorted((SITE / "templates").glob("*.html")):
        options = {"extensions": "jinja2.ext.i18n", "newstyle_gettext": "true"}
        for line, message, _, _ in extract_from_file("jinja2.ext:babel_extract", file, options=options):
            catalog.add(message, locations=[(f"templates/{file.name}", line)])
    for name, sentence in sorted(set(_sentences())):
        catalog.add(sentence, locations=[(name, 1)])
    return catalog


def _sentences() -> Iterator[tuple[str, str]]:
    for floor in _FLOORS:
        found = ROOT / "skerry" / floor
        for file in [found] if found.is_file() else found.rglob("*.py"):
            name = file.relative_to(ROOT / "skerry").as_posix()
            yield from ((name, sentence) for sentence in _said_in(ast.parse(file.read_text())))


def _said_in(tree: ast.AST) -> Iterator[str]:
    """Give what is raised, what is yielded as a problem, and what stands as a constant's or class's text."""
    for node in ast.walk(tree):
        found: list[ast.expr] = []
        if isinstance(node, ast.Call) and _name(node.func) in _TROUBLES:
            found = node.args
        elif isinstance(node, ast.Yield | ast.Return | ast.Assign) and node.value:
            found = [node.value]
        for expression in found:
            yield from _texts(expression)


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _texts(expression: ast.expr) -> Iterator[str]:
    text = ""
    if isinstance(expression, ast.Constant) and isinstance(expression.value, str):
        text = expression.value
    elif isinstance(expression, ast.JoinedStr):
        text = _with_places(expression)
    if _is_sentence(text):
        yield text


def _with_places(joined: ast.JoinedStr) -> str:
    pieces, places = [], 0
    for value in joined.values:
        if isinstance(value, ast.Constant):
            pieces.append(str(value.value))
        else:
            pieces.append(f"{{{places}}}")
            places += 1
    return "".join(pieces)


def _is_sentence(text: str) -> bool:
    """Say whether a text is for people: it begins like a sentence and has words, not signs."""
    words = text.split()
    plain = not any(
        sign in text for sign in ("<", "=", "\n", "%", "\\", "://", "]", "SELECT", "Max-Age", "X-")
    )
    return len(words) > 2 and plain and (text[0].isupper() or text[0] == "{") and text.isprintable()  # noqa: PLR2004


def main() -> None:
    """Update each catalogue and say what is left to translate."""
    wanted = template()
    for file in sorted(CATALOGUES.glob("*.po")):
        with file.open("rb") as source:
            catalog = read_po(source, locale=file.stem)
        catalog.update(wanted, no_fuzzy_matching=True)
        catalog.obsolete.clear()
        with file.open("wb") as target:
            write_po(target, catalog, width=100, omit_header=False, sort_output=True)
        missing = [message.id for message in catalog if message.id and not message.string]
        print(f"{file.name}: {len(catalog)} messages, {len(missing)} to translate")


if __name__ == "__main__":
    main()
