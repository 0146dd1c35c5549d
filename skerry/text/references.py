"""Words in running text that become links: tickets, changesets, people, addresses."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline, backtick
from markdown_it.token import Token

from skerry.text import mentions, work

MAX_ADDRESS_LENGTH = 2000
ELSEWHERE = "In "
"""The prefix of the title of links to tickets in other projects."""

MAX_LABEL_LENGTH = 70

# Browsers encode these in the addresses that they copy: the marks around sentences and quotations in other
# scripts, and invisible characters.
_ENDS = (
    r"""\s<>"`。、，；：！？「」『』【】〔〕《》〈〉“”„«»‹›"""
    r"\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
)
# Brackets only in pairs, so that an address ends before a bracket around it.
_ADDRESS = rf"""(?:[^{_ENDS}\[\]（）]|\[[^{_ENDS}\[\]]*\]|（[^{_ENDS}（）]*）)++"""
_COLON_ADDRESS = re.compile(rf"://{_ADDRESS}", re.IGNORECASE)
_QUOTED_ADDRESS = re.compile(rf":((?:https?|ftp)://{_ADDRESS}|/{_ADDRESS})", re.IGNORECASE)
_SCHEME = re.compile(r"(?<![^\W_])(?<!\w_)(?<![.+-])(?:https?|ftp)$", re.IGNORECASE)
_QUOTED = re.compile(r'(?<!\w)"([^"\n]{1,200})"$')
_AT_CODE = re.compile(r"@([^\s@](?:[^@\n]*[^\s@])?)@(?!\w)")
_BACKTICK = re.compile(r"(?<!`)`(?!`)")
_CHANGESET = r"(?<!\w\[)(?P<revision>[A-Za-z0-9_]{1,100})\](?!\()"
_CANDIDATE = re.compile(rf"\[{_CHANGESET}")
WORD = r"(?:[A-Za-z0-9_][A-Za-z0-9_-]{0,254})"
PROJECT = rf"(?<![^\s\[]){WORD}"
"""Matches the word of a project before the number of a ticket."""
_BEFORE_NUMBER = re.compile(f"{PROJECT}$")
NUMBER = re.compile(r"#([1-9][0-9]{0,17})(?!\w)")
"""Matches a possible number of a ticket, wherever it is in a text."""
# A pattern that begins with a set of characters scans fast; it looks back from there.
_WORD = rf"""
    [\#\[wW](?:
        (?<=\#)(?<![^\s\[]\#)(?P<ticket>[1-9][0-9]{{0,17}})(?!\w)
      | (?<=[\w-]\#)(?P<elsewhere>[1-9][0-9]{{0,17}})(?!\w)
      | (?<=\[){_CHANGESET}
      | (?<=[wW])(?<![\w./@-].)(?P<site>[wW]{{2}}\.\w{_ADDRESS})
    )
"""
_MAIL = r"(?<![\w.+/:-])(?P<mail>[\w.+-]{1,64}@(?i:(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,63}))(?!:?[\w/@])"
_WORDS = re.compile(_WORD, re.VERBOSE)
# Any word may be the beginning of an e-mail address, so searching for these is slow.
_WORDS_AND_MAIL = re.compile(f"{_WORD} | {_MAIL} | {mentions.PATTERN}", re.VERBOSE)
_SHELTER = re.compile(r"<(/?)(?:a|code|pre|tt)[\s/>]", re.IGNORECASE)
# Never modified, so that all links can share it.
_LINK_CLOSE = Token("link_close", "a", -1)


@dataclass(frozen=True, slots=True)
class LinkContext:
    """The context of a text: its project, if any, and the changesets, people and projects that can be named.

    People have the keys of ``text/mentions.py``; the words of projects are in lower case.
    """

    project_id: int | None
    is_changeset: Callable[[str], bool]
    people: Mapping[str, int] = field(default_factory=dict)
    projects: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Link:
    """A link to be made of a part of a text up to ``end``; ``before`` characters of it precede the match."""

    end: int
    href: str
    label: str
    title: str = ""
    before: int = 0


def revisions_named(text: str) -> Iterator[str]:
    """Yield each word in square brackets that might be the revision of a changeset."""
    return (match["revision"] for match in _CANDIDATE.finditer(text))


def tickets_named(text: str) -> Iterator[tuple[str, int]]:
    """Yield the project's word, if any, and the number of each ticket that a text names."""
    for match in _words_in(text):
        if match["ticket"]:
            yield "", int(match["ticket"])
        elif match["elsewhere"] and (word := _word_of_project(match)):
            yield word.lower(), int(match["elsewhere"])


def at_code(state: StateInline, silent: bool) -> bool:
    """Parse ``@code@`` as code, unless it is inside a word such as an e-mail address."""
    if state.src[state.pos] != "@" or _word_before(state):
        return False
    match = _AT_CODE.match(state.src, state.pos)
    if not match or match.end() > state.posMax:
        return False
    if not silent:
        state.push("code_inline", "code", 0).content = match[1]
    state.pos = match.end()
    return True


def code_in_line(state: StateInline, silent: bool) -> bool:
    """Parse code between backticks. Between single ones it stays in its line, or has lines of its own.

    Logs and back traces have one backtick in a line, as in ``in `each'``, and are no code from there to the
    next line.
    """
    opening = _BACKTICK.match(state.src, state.pos)
    closing = _BACKTICK.search(state.src, state.pos + 1, state.posMax) if opening else None
    code = state.src[state.pos + 1 : closing.start()] if closing else ""
    if "\n" not in code or (code.startswith("\n") and code.endswith("\n")):
        return backtick(state, silent)
    if not silent:
        state.pending += "`"
    state.pos += 1
    return True


def _word_before(state: StateInline) -> bool:
    before = state.src[state.pos - 1 : state.pos]
    return before in {"@", "_"} or before.isalnum()


def address(state: StateInline, silent: bool) -> bool:
    """Parse ``http://host/path`` and ``"text":http://host/path`` as links, beginning at their colon."""
    if state.src[state.pos] != ":" or state.linkLevel > 0:
        return False
    return _quoted_address(state, silent) or _bare_address(state, silent)


def _bare_address(state: StateInline, silent: bool) -> bool:
    scheme = _SCHEME.search(state.src, max(0, state.pos - 6), state.pos)
    rest = scheme and _read(_COLON_ADDRESS, state)
    if not scheme or not rest or len(rest) <= 3:  # noqa: PLR2004 - the length of ://
        return False
    url = scheme[0] + rest
    return _linked(state, silent, scheme[0], url, shortened(url), len(rest))


def _quoted_address(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos - 1 : state.pos] != '"':
        return False
    quoted = _QUOTED.search(state.src, max(0, state.pos - 203), state.pos)
    rest = quoted and _read(_QUOTED_ADDRESS, state)
    if not quoted or not rest:
        return False
    return _linked(state, silent, quoted[0], rest[1:], quoted[1], len(rest))


def _read(pattern: re.Pattern[str], state: StateInline) -> str:
    """Return the address that begins at the colon; empty if there is none, or if it is too long."""
    limit = min(state.posMax, state.pos + MAX_ADDRESS_LENGTH)
    match = pattern.match(state.src, state.pos, limit)
    if not match or match.end() == state.pos + MAX_ADDRESS_LENGTH:
        return ""
    return _trimmed(match[0])


def _trimmed(url: str) -> str:
    """Return an address without punctuation that ends the sentence."""
    while url and (url[-1] in ".,;:!?'‘’…*_~|" or (url[-1] == ")" and url.count(")") > url.count("("))):
        url = url[:-1]
    return url


def _linked(state: StateInline, silent: bool, before: str, url: str, label: str, length: int) -> bool:
    """Make a link of ``before``, already parsed as text, and the next ``length`` characters."""
    work.count(state.env, work.LINK + len(url) // work.ADDRESS)
    href = state.md.normalizeLink(url)
    if not state.md.validateLink(href):
        return False
    if not silent:
        if not state.pending.endswith(before):
            return False
        state.pending = state.pending[: -len(before)]
        state.push("link_open", "a", 1).attrs = {"href": href}
        state.push("text", "", 0).content = label
        state.push("link_close", "a", -1)
    state.pos += length
    return True


def shortened(label: str) -> str:
    """Return the label, or its beginning and three dots if it is longer than MAX_LABEL_LENGTH."""
    return label if len(label) <= MAX_LABEL_LENGTH else label[: MAX_LABEL_LENGTH - 3] + "..."


def link_words(state: StateCore) -> None:
    """Make links of ``#12``, ``[revision]``, ``@name``, ``www.`` addresses and e-mail addresses.

    Requires a LinkContext in the environment under ``link_context``. Code and links are left unchanged.
    """
    context: LinkContext = state.env["link_context"]
    if not _hinted(state.src):
        return
    for block in state.tokens:
        if block.children and block.type == "inline" and _hinted(block.content):
            block.children = list(_with_links(block.children, context))


def _hinted(text: str) -> bool:
    """Return whether a text might contain any of these words."""
    return "#" in text or "[" in text or "@" in text or "www." in text.lower()


def _with_links(tokens: list[Token], context: LinkContext) -> Iterator[Token]:
    sheltered = 0
    line_start = True
    for token in tokens:
        sheltered = max(0, sheltered + _shelter(token))
        if token.type == "text" and not sheltered and _hinted(token.content):
            yield from _split(token, line_start, context)
        else:
            yield token
        # There are empty texts between marks; the line still starts after them.
        line_start = token.type.endswith("break") or (
            line_start and token.type == "text" and not token.content
        )


def _shelter(token: Token) -> int:
    """Return 1 for the start of a link or raw code, -1 for its end, and 0 for the rest."""
    if token.type in {"link_open", "link_close"}:
        return token.nesting
    tag = _SHELTER.match(token.content) if token.type == "html_inline" else None
    if tag is None:
        return 0
    return -1 if tag[1] else 1


def _split(token: Token, line_start: bool, context: LinkContext) -> Iterator[Token]:
    done = 0
    for match in _words_in(token.content):
        link = _link(match, context)
        start = match.start() - link.before if link else 0
        is_ticket = match["ticket"] or match["elsewhere"]
        if link and start >= done and (start or line_start or not is_ticket):
            yield text_token(token.content[done:start])
            yield from link_tokens(link)
            done = link.end
    yield text_token(token.content[done:]) if done else token


def _words_in(text: str) -> Iterator[re.Match[str]]:
    words = _WORDS_AND_MAIL if "@" in text else _WORDS
    return words.finditer(text)


def _link(match: re.Match[str], context: LinkContext) -> Link | None:
    """Return the link for a word, or None if it stays a word."""
    make = {
        "ticket": _to_ticket,
        "elsewhere": _to_ticket_elsewhere,
        "revision": _to_changeset,
        "site": _to_site,
        "mail": _to_mail,
        "person": _to_person,
        "quoted": _to_person,
    }
    return make[match.lastgroup or ""](match, context)


def _to_ticket(match: re.Match[str], context: LinkContext) -> Link | None:
    number = match["ticket"]
    href = f"/projects/{context.project_id}/tickets/{number}"
    return Link(match.end(), href, match[0], f"Ticket #{number}") if context.project_id else None


def _word_of_project(match: re.Match[str]) -> str:
    """Return the word before a number; empty if there is none, or if it is part of something else."""
    word = _BEFORE_NUMBER.search(match.string, max(0, match.start() - 255), match.start())
    return word[0] if word else ""


def _to_ticket_elsewhere(match: re.Match[str], context: LinkContext) -> Link | None:
    word = _word_of_project(match)
    project_id = context.projects.get(word.lower())
    if project_id is None:
        return None
    href = f"/projects/{project_id}/tickets/{match['elsewhere']}"
    title = f"{ELSEWHERE}{word}: ticket {match[0]}"
    return Link(match.end(), href, f"{word}{match[0]}", title, len(word))


def _to_changeset(match: re.Match[str], context: LinkContext) -> Link | None:
    revision = match["revision"]
    href = f"/projects/{context.project_id}/changesets/{revision}"
    known = context.project_id and context.is_changeset(revision)
    return Link(match.end(), href, match[0], f"Changeset [{revision}]") if known else None


def _to_site(match: re.Match[str], _context: LinkContext) -> Link | None:
    if len(match[0]) >= MAX_ADDRESS_LENGTH:
        return None
    site = _trimmed(match[0])
    return Link(match.start() + len(site), f"http://{site}", shortened(site))


def _to_mail(match: re.Match[str], _context: LinkContext) -> Link:
    return Link(match.end(), f"mailto:{match[0]}", shortened(match[0]))


def _to_person(match: re.Match[str], context: LinkContext) -> Link | None:
    for name in mentions.readings(match):
        if user_id := context.people.get(name.key):
            return Link(match.start() + name.length, f"/users/{user_id}", match[0][: name.length])
    return None


def link_tokens(link: Link) -> tuple[Token, Token, Token]:
    """Return the parser's tokens for a link with this label."""
    attributes: dict[str, str | int | float] = {"href": link.href}
    if link.title:
        attributes["title"] = link.title
    return Token("link_open", "a", 1, attributes), text_token(link.label), _LINK_CLOSE


def text_token(content: str) -> Token:
    """Return the parser's token for running text."""
    return Token("text", "", 0, content=content)
