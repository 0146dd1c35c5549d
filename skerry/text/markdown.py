"""Markdown as people write it in tickets, to HTML that is safe to show to anybody."""

import re
from collections.abc import Callable
from html import escape
from itertools import islice

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_block.fence import make_fence_rule
from markdown_it.token import Token

from skerry.text.characters import mended
from skerry.text.highlighting import highlighted
from skerry.text.references import Place, address, at_code, link_words, revisions_named

# Each figure bounds the time of a hostile text; what people write stays far below all of them.
LONGEST_TEXT = 65_536
DEEPEST = 40
MOST_SPREAD = 100_000
MOST_CANDIDATES = 1000

_RAW_TAG = re.compile(r"<[a-zA-Z]")
_TAGS = frozenset(
    "a abbr address b blockquote br code del div em h1 h2 h3 h4 h5 h6 hr i img li ol p pre s span strong "
    "table tbody td th thead tr tt u ul".split()
)
_CLEANER = nh3.Cleaner(
    tags=set(_TAGS),
    attributes={"*": {"class", "title"}, "a": {"href"}, "img": {"src", "alt"}, "ol": {"start"}},
    url_schemes={"http", "https", "mailto", "ftp"},
    link_rel="nofollow noopener",
)


def _no_changeset(_revision: str) -> bool:
    return False


def render(
    text: str, project_id: int | None, is_changeset: Callable[[str], bool] = _no_changeset
) -> str:
    """Give the text as one ``<div>`` of safe HTML; the empty text stays empty.

    ``#12`` links to a ticket of the project, ``[revision]`` to a changeset if ``is_changeset``
    says that there is one; it is asked only about words that changeset_candidates gives. Without
    a project neither becomes a link.

    Takes bounded time for any text, and raises nothing: a text of more than LONGEST_TEXT
    characters, or nested deeper than DEEPEST, is shown as written. Raw HTML is shown as written
    if it has so many tags that leaving them all open would multiply the text.
    """
    if not text:
        return ""
    known = set(changeset_candidates(text)) if project_id else set()
    place = Place(project_id, lambda revision: revision in known and is_changeset(revision))
    return f"<div>{_body(mended(text), {'place': place})}</div>"


def changeset_candidates(text: str) -> frozenset[str]:
    """Give the words of a text that ``render`` may ask about, the first MOST_CANDIDATES of them."""
    if len(text) > LONGEST_TEXT:
        return frozenset()
    distinct = dict.fromkeys(revisions_named(text))
    return frozenset(islice(distinct, MOST_CANDIDATES))


def _body(text: str, environment: dict[str, Place]) -> str:
    tokens = _tokens(text, environment)
    if tokens is None:
        return f"<pre>{escape(text, quote=False)}</pre>"
    html = _WITH_HTML.renderer.render(tokens, _WITH_HTML.options, environment)
    # Character references in raw HTML can name what a reader of XML would choke on.
    return mended(_CLEANER.clean(html)).rstrip("\n")


def _tokens(text: str, environment: dict[str, Place]) -> list[Token] | None:
    """Give the parsed text, or None if it is to be shown as written."""
    if len(text) > LONGEST_TEXT:
        return None
    tokens = _WITH_HTML.parse(text, environment)
    if _spread(tokens) > MOST_SPREAD:
        tokens = _WITHOUT_HTML.parse(text, environment)
    # The parser leaves out what is nested deeper than it goes.
    return None if any(token.level >= DEEPEST - 1 for token in tokens) else tokens


def _spread(tokens: list[Token]) -> int:
    """Give how many elements the text could grow to: HTML repeats each open tag in each block."""
    raw = sum(len(_RAW_TAG.findall(token.content)) for token in tokens if _has_html(token))
    return raw * (raw + len(tokens))


def _has_html(token: Token) -> bool:
    if token.type == "html_block":
        return True
    return any(child.type == "html_inline" for child in token.children or ())


def _parser(*, html: bool) -> MarkdownIt:
    options = {"html": html, "langPrefix": "", "maxNesting": DEEPEST, "highlight": _highlight}
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    interrupts = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    at_fence = make_fence_rule(markers=("@",), disallow_marker_in_info=("@",))
    parser.block.ruler.before("fence", "at_fence", at_fence, interrupts)
    parser.inline.ruler.before("escape", "at_code", at_code)
    parser.inline.ruler.before("escape", "address", address)
    # Before texts are joined, an escaped \#12 still stands apart.
    parser.core.ruler.before("text_join", "link_words", link_words)
    return parser


def _highlight(code: str, language: str, _attributes: str) -> str:
    return highlighted(code, language)


_WITH_HTML = _parser(html=True)
_WITHOUT_HTML = _parser(html=False)
