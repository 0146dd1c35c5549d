"""Redmine's Markdown, whose references get the form that they have here, and which markup a text has."""

import re
from typing import NamedTuple

from skerry.text.markup import fences
from skerry.text.markup.redmine_links import REFERENCE, Links, Names
from skerry.text.markup.writing import URL, converted

_KEPT = re.compile(
    rf"""
    (?P<code>``[^\n]{{1,500}}?``|`[^`\n]{{1,500}}`)
  | (?P<macro>(?<!!)\{{\{{\w{{1,60}}(?:\([^{{}}\n]{{0,500}}\))?)
  | !\[(?P<alternative>[^\[\]\n]{{0,300}})\]\((?P<picture>[^()\s<>]{{1,1000}})[^()\n]{{0,300}}\)
  | (?P<target>\]\([^()\n]{{0,2000}}\))
  | (?P<address>{URL})
  | {REFERENCE}
""",
    re.VERBOSE | re.IGNORECASE,
)
_TEXTILE = re.compile(
    r"""
    ^(?:h[1-6]|bq|bc|p)[^\s.]{0,99}\.[ ] | </?pre\b | (?<!\w)@[^\s@][^@\n]{0,200}@(?!\w)
  | "[^"\n]{1,200}":(?:https?://|/) | ^\|_[.=] | ^[*\#]{2,6}[ ](?=\S) | %\{[^{}\n]{1,99}\}
  | (?<!\w)![^\s!()]{1,200}\.\w{2,5}!
""",
    re.MULTILINE | re.VERBOSE,
)
_MARKDOWN = re.compile(
    r"""
    ^\#{1,6}[ ](?=[A-Z]) | ^[ >]*```|^~~~ | (?<!`)`[^`\s][^`\n]{0,200}`(?!`) | \[[^\[\]\n]{1,200}\]\(\S
  | \*\*[^\s*][^*\n]{0,200}\*\*(?!\w) | ^[ ]{0,3}\d{1,3}\.[ ](?=\S) | ^[ ]{0,3}[-+][ ](?=\S) | ^\|[ ]?:?-{3}
""",
    re.MULTILINE | re.VERBOSE,
)
_LOOKED_AT = 20_000


class Signs(NamedTuple):
    """How many signs of each markup there are."""

    textile: int
    markdown: int


def signs(text: str) -> Signs:
    """Return how many signs of each markup the beginning of a text has."""
    start = text[:_LOOKED_AT].replace("\r\n", "\n")
    return Signs(len(_TEXTILE.findall(start)), len(_MARKDOWN.findall(start)))


def markdown(text: str, names: Names | None = None) -> str:
    """Return a text in Redmine's Markdown with its references as they are here; macros stay text."""
    names = names or Names()
    links = Links(names)
    return converted(text, names.told, lambda plain: _rewritten(plain, names, links))


def _rewritten(text: str, names: Names, links: Links) -> str:
    return "".join(
        line if is_code else _KEPT.sub(lambda match: _part(match, names, links), line)
        for line, is_code in fences.lines_of(text)
    )


def _part(match: re.Match[str], names: Names, links: Links) -> str:
    """Return what stands here instead of a match."""
    if match["code"] or match["target"] or match["address"]:
        return match[0]
    if match["macro"]:
        names.told["macros"] += 1
        return match[0]
    if match["picture"]:
        return links.picture(match["picture"], match["alternative"]) or match[0]
    return links.written(match)
