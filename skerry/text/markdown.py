"""Rendering of Markdown to safe HTML."""

import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from itertools import islice

import nh3
from markdown_it import MarkdownIt
from markdown_it.common.utils import unescapeAll
from markdown_it.renderer import RendererProtocol
from markdown_it.rules_block.fence import make_fence_rule
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from skerry.text import blocks, project_words, tasks, work
from skerry.text.characters import replace_invalid
from skerry.text.highlighting import CLASSES, LANGUAGES, MAX_CODE, cost, highlighted
from skerry.text.raw_html import (
    SCHEMES,
    TAGS,
    is_linkable,
    pair_tags,
    tag_in_line,
    tags_in_lines_of_their_own,
)
from skerry.text.references import (
    NUMBER,
    LinkContext,
    address,
    at_code,
    code_in_line,
    link_words,
    revisions_named,
)

# Each limit bounds the time for a hostile text; ordinary texts stay far below.
MAX_TEXT_LENGTH = 65_536
MAX_DEPTH = 20
MAX_JITTER = 4_000_000
MAX_CANDIDATES = 1000

_MARK = 10**15

# The block starts that a fence of three at-signs interrupts without a blank line, as backticks do.
_INTERRUPTED = ["paragraph", "reference", "blockquote", "list"]
# A word after an opening fence is a language; anything else is code.
_LANGUAGE = re.compile(r"[a-z][a-z0-9+#._-]{0,29}")
_RAW_TAG = re.compile(r"<[a-zA-Z]")
# A third of all texts are plain words, in which nothing can be markup, a reference or an address, and need no
# parser. The longest takes the parser far fewer steps than it may.
_MAX_PLAIN = 2000

_LINE = r"""[A-Za-z](?:[^\W_]|[ !"$%'()+,./;=?^{}-]|:(?!/))*+(?<! )"""
_PLAIN = re.compile(rf"{_LINE}(?:\n{{1,2}}{_LINE})*+", re.ASCII)
_CLEANER = nh3.Cleaner(
    # Only the renderer creates task boxes; authors cannot write them.
    tags={*TAGS, "input"},
    attributes={
        "*": {"title"},
        "a": {"href"},
        "img": {"src", "alt"},
        "ol": {"start"},
        "input": {"value", "checked", "aria-label"},
    },
    tag_attribute_values={"input": {"type": {"checkbox"}}},
    set_tag_attribute_values={"input": {"disabled": ""}},
    # The classes of coloured code. With others, a text could imitate a part of the site.
    allowed_classes={"code": set(LANGUAGES), "span": set(CLASSES)},
    url_schemes=set(SCHEMES),
    link_rel="nofollow noopener",
)


def _no_changeset(_revision: str) -> bool:
    return False


def render(
    text: str,
    project_id: int | None,
    is_changeset: Callable[[str], bool] = _no_changeset,
    people: Mapping[str, int] | None = None,
    projects: Mapping[str, int] | None = None,
) -> str:
    """Return the text as one ``<div>`` of safe HTML; the empty text stays empty.

    Nothing is lost: text that is not markup is shown as written.

    ``#12`` links to a ticket of the project, ``[revision]`` to a changeset if ``is_changeset``
    says that there is one; it is called only for words from changeset_candidates. Without
    a project neither becomes a link. ``@name`` links to one of the ``people``, by the keys of
    ``text/mentions.py``, and ``roof#12`` to a ticket of one of the ``projects``, by their words.

    Takes bounded time for any text, and raises nothing. A text is shown as written if it has more
    than MAX_TEXT_LENGTH characters, is nested about MAX_DEPTH levels deep, takes the parser more than
    ``work.MAX`` steps, or leaves so many HTML tags open that repeating them in each block would multiply it.
    Code is coloured up to MAX_CODE.
    """
    if not text:
        return ""
    if plain := _plain_paragraphs(text):
        return f"<div>{plain}</div>"
    known = set(changeset_candidates(text)) if project_id else set()
    context = LinkContext(
        project_id,
        lambda revision: revision in known and is_changeset(revision),
        people or {},
        projects or {},
    )
    return f"<div>{_body(replace_invalid(text), context)}</div>"


def _plain_paragraphs(text: str) -> str | None:
    """Return the HTML that the parser would make of a text of plain words, or None for any other text."""
    if len(text) > _MAX_PLAIN or not _PLAIN.fullmatch(text) or "www." in text.lower():
        return None
    lines = text.replace("\n\n", "</p>\0<p>").replace("\n", "<br>\n").replace("\0", "\n")
    return f"<p>{lines}</p>"


def changeset_candidates(text: str) -> frozenset[str]:
    """Return the words of a text that ``render`` may ask about, the first MAX_CANDIDATES of them."""
    if "[" not in text or len(text) > MAX_TEXT_LENGTH:
        return frozenset()
    distinct = dict.fromkeys(revisions_named(text))
    return frozenset(islice(distinct, MAX_CANDIDATES))


def project_candidates(text: str) -> frozenset[str]:
    """Return the words of a text, in lower case, that ``render`` may look up among the projects."""
    if "#" not in text or len(text) > MAX_TEXT_LENGTH:
        return frozenset()
    return frozenset(islice(dict.fromkeys(project_words.named(text)), MAX_CANDIDATES))


def qualified(text: str, word: str, last: int) -> str:
    """Return a text that means the same in another project: ``#12`` becomes ``word#12`` where it is a link.

    Numbers greater than ``last`` stay as they are.
    """
    spots = [spot for spot in NUMBER.finditer(text) if int(spot[1]) <= last]
    there = _linked(text, spots)
    return _replaced(text, {spot.start(): f"{word}{spot[0]}" for spot in there}, there)


def reworded(text: str, words: Mapping[str, str]) -> str:
    """Return a text with new words of projects, given by the old ones, where they are part of a link."""
    if not words:
        return text
    spots = [spot for spot in project_words.IN_TEXT.finditer(text) if spot[1].lower() in words]
    there = _linked(text, spots, dict.fromkeys(words, 1))
    new = {spot.start(): f"{words[spot[1].lower()]}{spot[0].removeprefix(spot[1])}" for spot in there}
    return _replaced(text, new, there)


def _linked(
    text: str, spots: Sequence[re.Match[str]], projects: Mapping[str, int] | None = None
) -> list[re.Match[str]]:
    """Return those matches of references to tickets that the renderer makes links of."""
    if not spots or len(text) > MAX_TEXT_LENGTH:
        return []
    # Parsed with a different number at each place, so that each link shows where it comes from.
    marks = {_MARK + place: spot for place, spot in enumerate(spots)}
    numbered = {spot.start(): f"{spot[0].partition('#')[0]}#{mark}" for mark, spot in marks.items()}
    context = LinkContext(1, _no_changeset, projects=projects or {})
    tokens = _parsed(replace_invalid(_replaced(text, numbered, spots)), context) or []
    labels = "".join(str(token.meta["label"]) for token in tokens if token.type == "definition")
    # In "[#12]: http://...", the number is the name of a link.
    names = {spot[0] for mark, spot in marks.items() if str(mark) in labels}
    inside = [child for token in tokens for child in token.children or ()]
    linked = {child.attrGet("href") for child in inside if child.type == "link_open"}
    return [
        spot
        for mark, spot in marks.items()
        if f"/projects/1/tickets/{mark}" in linked and spot[0] not in names
    ]


def _replaced(text: str, new: Mapping[int, str], spots: Sequence[re.Match[str]]) -> str:
    """Return a text with matches, in order, replaced by new texts, which are given by their starts."""
    pieces, done = list[str](), 0
    for spot in spots:
        pieces += (text[done : spot.start()], new[spot.start()])
        done = spot.end()
    return "".join((*pieces, text[done:]))


def ticked(text: str, number: int, *, done: bool) -> str | None:
    """Return a text with a task marked as done or not done, by its number in the rendered text.

    Returns None if there is no such task.
    """
    return tasks.ticked(
        text, _tokens(replace_invalid(text), LinkContext(None, _no_changeset)) or [], number, done=done
    )


def noted(html: str, note: str) -> str:
    """Return rendered HTML with one more paragraph of plain text."""
    return f"{html.removesuffix('</div>')}\n<p>{escape(replace_invalid(note), quote=False)}</p></div>"


def _body(text: str, context: LinkContext) -> str:
    tokens = _tokens(text, context)
    if tokens is None:
        return f"<pre>{escape(text, quote=False)}</pre>"
    html = _WITH_HTML.renderer.render(tokens, _WITH_HTML.options, {})
    # Character references in raw HTML can name characters that XML parsers refuse.
    clean = _CLEANER.clean(html)
    return (replace_invalid(clean) if "&" in text else clean).rstrip("\n")


def _tokens(text: str, context: LinkContext) -> list[Token] | None:
    """Return the parsed text, or None if it must be shown as written."""
    return None if len(text) > MAX_TEXT_LENGTH else _parsed(text, context)


def _parsed(text: str, context: LinkContext) -> list[Token] | None:
    env = {"link_context": context, work.KEY: 0}
    try:
        tokens = _WITH_HTML.parse(text, env)
        if "<" in text and _spread(tokens) > MAX_JITTER:
            tokens = _WITHOUT_HTML.parse(text, {"link_context": context, work.KEY: env[work.KEY]})
    except work.TooMuchWork:
        return None
    # The parser drops content that is nested too deeply.
    return None if any(token.level >= MAX_DEPTH - 1 for token in tokens) else tokens


def _spread(tokens: list[Token]) -> int:
    """Return an upper bound for the characters of tags: HTML repeats open tags in each block."""
    raw = [piece for token in tokens for piece in _raw_html(token)]
    tags = sum(len(_RAW_TAG.findall(piece)) for piece in raw)
    return sum(map(len, raw)) * (tags + len(tokens))


def _raw_html(token: Token) -> list[str]:
    if token.type == "html_block":
        return [token.content]
    return [child.content for child in token.children or () if child.type == "html_inline"]


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802 - overrides a method of the parser
        """Return whether an address may be linked; otherwise it stays text."""
        return super().validateLink(url) and is_linkable(url)


def _parser(*, html: bool) -> MarkdownIt:
    options = {
        "breaks": True,
        "inline_definitions": True,
        "langPrefix": "",
        "maxNesting": MAX_DEPTH,
        "tasklists": True,
    }
    parser = _Parser("commonmark", options)
    parser.enable(["table", "strikethrough"])
    parser.disable("lheading")
    parser.block.ruler.at("paragraph", blocks.paragraph)
    parser.block.ruler.at("table", blocks.table, {"alt": ["paragraph", "reference"]})
    parser.block.ruler.at("reference", blocks.reference)
    interrupted = ["paragraph", "reference", "blockquote"]
    parser.block.ruler.at("html_block", tags_in_lines_of_their_own, {"alt": interrupted})
    parser.inline.ruler.at("html_inline", tag_in_line)
    parser.inline.ruler.at("backticks", code_in_line)
    if not html:
        parser.disable(["html_block", "html_inline"])
    parser.block.ruler.before("table", "count_lines", work.in_block, {"alt": [*_INTERRUPTED, "table"]})
    parser.inline.ruler.before("text", "count_steps", work.in_line)
    at_fence = make_fence_rule(markers=("@",), disallow_marker_in_info=("@",))
    parser.block.ruler.before("fence", "at_fence", at_fence, {"alt": _INTERRUPTED})
    parser.inline.ruler.before("escape", "at_code", at_code)
    parser.inline.ruler.before("escape", "address", address)
    parser.core.ruler.after("inline", "pair_tags", pair_tags)
    parser.core.ruler.after("inline", "show_addresses", blocks.show_addresses)
    # Before texts are joined, an escaped \#12 is still separate.
    parser.core.ruler.before("text_join", "link_words", link_words)
    parser.core.ruler.push("number_tasks", tasks.number)
    parser.core.ruler.push("color_code", _color_code)
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("link_open", blocks.link_open)
    parser.add_render_rule("list_item_open", tasks.list_item_open)
    parser.add_render_rule("definition", blocks.definition)
    return parser


def _color_code(state: StateCore) -> None:
    """Mark the fences to highlight, in order, up to MAX_CODE."""
    left = MAX_CODE
    for token in state.tokens:
        if token.type != "fence":
            continue
        needed = cost(token.content, _language(token))
        if needed <= left:
            left -= needed
            token.meta["colored"] = True


def _language(token: Token) -> str:
    """Return the language that a fence names; empty if there is none."""
    word = unescapeAll(token.info).strip()
    known = word.lower() in LANGUAGES or _LANGUAGE.fullmatch(word)
    return word.lower() if known else ""


def _fence(_renderer: RendererProtocol, tokens: Sequence[Token], index: int, *_rest: object) -> str:
    token = tokens[index]
    language = _language(token)
    colored = token.meta.get("colored")
    code = highlighted(token.content, language) if colored else escape(token.content, quote=False)
    if token.info and not language:
        # The author began the code on the line of the fence.
        code = f"{escape(token.info.strip(), quote=False)}\n{code}"
    # The name of an unknown language is shown as text.
    attribute = f' {"class" if language in LANGUAGES else "title"}="{language}"' if language else ""
    return f"<pre><code{attribute}>{code}</code></pre>\n"


_WITH_HTML = _parser(html=True)
_WITHOUT_HTML = _parser(html=False)
