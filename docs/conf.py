"""The documentation site: `make docs` builds it from the same Markdown that is read in the repository."""

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

from skerry.web.openapi.document import document

ROOT = Path(__file__).parent.parent

project = "Skerry"
author = "The Skerry authors"
extensions = ["myst_parser"]
# The sources begin at the root of the repository, so that every link is the same there and on the site.
root_doc = "README"
include_patterns = ["*.md", "docs/**.md"]
exclude_patterns = [".*", "build", "dist", "data"]
myst_heading_anchors = 4
# Examples leave out parts (…), so not all of them are whole JSON or XML; the changelog has its own levels.
suppress_warnings = ["misc.highlighting_failure", "myst.header"]

html_theme = "furo"
html_title = "Skerry"
html_static_path = ["site"]
html_css_files = ["skerry.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False

_DOCS = "docs/{}".format

CHILDREN = {
    "README": [
        "docs/for/trying",
        "docs/for/operators",
        "docs/for/moving-in",
        "docs/for/terminal",
        "docs/for/programs",
        "docs/for/agents",
        "docs/for/contributors",
    ],
    "docs/for/trying": map(_DOCS, ["query", "texts", "mail-in", "passkeys"]),
    "docs/for/operators": [
        *map(_DOCS, ["operate", "mail", "single-sign-on", "second-factors", "sign-up", "backup"]),
        *map(_DOCS, ["audit", "security"]),
        *map(_DOCS, ["export", "scale", "performance"]),
        "docs/versions",
        "SECURITY",
        "CHANGELOG",
    ],
    "docs/for/moving-in": ["docs/moving-in"],
    "docs/for/terminal": ["docs/sk"],
    "docs/for/programs": map(_DOCS, ["tasks", "api/README", "operations", "hooks", "forges"]),
    "docs/for/agents": ["docs/agents"],
    "docs/for/contributors": [
        "CONTRIBUTING",
        "CODE_OF_CONDUCT",
        *map(_DOCS, ["reading", "architecture", "pages", "data", "events", "decisions/README"]),
    ],
}
"""The pages below each page. They are not in the Markdown, because other readers would show the directive."""

for folder in ("api", "decisions"):
    CHILDREN[f"docs/{folder}/README"] = sorted(
        f"docs/{folder}/{page.stem}" for page in ROOT.glob(f"docs/{folder}/[a-z0-9]*.md")
    )
CHILDREN = {page: list(below) for page, below in CHILDREN.items()}


def _add_children(_app: Sphinx, page: str, source: list[str]) -> None:
    """Add the pages below a page to its text."""
    if page in CHILDREN:
        below = "\n".join(f"/{child}" for child in CHILDREN[page])
        source[0] += f"\n\n```{{toctree}}\n:hidden:\n\n{below}\n```\n"


def _add_operations(_app: Sphinx, page: str, source: list[str]) -> None:
    """Add all operations to their page."""
    if page == "docs/operations":
        source[0] += "\n".join(_operations(document("json")))


def _operations(described: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines about all operations, by what they are about."""
    schemas = described["components"]["schemas"]
    for tag in described["tags"]:
        yield f"\n## {tag['name'].capitalize()}\n\n{tag['description']}\n\n| Request | Answer |\n|---|---|"
        for path, item in described["paths"].items():
            for method, operation in item.items():
                if method != "parameters" and tag["name"] in operation["tags"]:
                    yield f"| `{method.upper()} {path}` | {_operation(operation)} |"
        fields = schemas.get(tag["x-schema"], {}).get("properties", {})
        yield "\nFields: " + ", ".join(f"`{name}` ({_type(field)})" for name, field in fields.items())


def _operation(operation: Mapping[str, Any]) -> str:
    said = f"{operation['summary']}. {operation.get('description', '')}"
    names = [f"`{each['name']}`" for each in operation["parameters"] if each.get("in") == "query"]
    more = f" Parameters: {', '.join(names)}." if names else ""
    return " ".join(f"{said}{more}".replace("|", "\\|").split())


def _type(field: Mapping[str, Any]) -> str:
    kinds = field.get("type", "object")
    written = kinds if isinstance(kinds, str) else " or ".join(kinds)
    return f"{written}, read-only" if field.get("readOnly") else written


def _add_index(app: Sphinx, error: Exception | None) -> None:
    """Let the site begin with the README; its links hold, because it is in the same folder."""
    if error is None:
        shutil.copyfile(Path(app.outdir, "README.html"), Path(app.outdir, "index.html"))


def setup(app: Sphinx) -> None:
    """Register what the site needs beyond its settings."""
    app.add_lexer("output", TextLexer)
    app.connect("source-read", _add_children)
    app.connect("source-read", _add_operations)
    app.connect("build-finished", _add_index)
