"""Syntax highlighting of fenced code, as spans with CSS classes."""

from functools import cache

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import STANDARD_TYPES

# Lexers are backtracking regular expressions, some quadratic or cubic in the length of the text or of a line,
# so the amount of code is limited. The limit is for all code of one text, and takes at most a tenth of a
# second.
MAX_CODE = 4000
_MIN_OF_A_LINE = 20
MAX_LINE_LENGTH = 500
_SLOW = frozenset({"java", "c#", "csharp"})

# Only these are ever loaded: there are hundreds of others, and some (Scala's) take exponential time.
LANGUAGES = frozenset(
    """
    bash c c++ clojure cpp c# csharp css diff docker dockerfile elixir erb erlang go haskell html
    ini java javascript js json jsx kotlin lua make makefile nginx objective-c objc perl php
    powershell python py rb ruby rust sh shell sql swift toml ts typescript vim xml yaml yml
    """.split()  # noqa: SIM905 - a list is easier to read without the quotes
)
CLASSES = frozenset(filter(None, STANDARD_TYPES.values()))
"""The classes of the spans."""

_FORMATTER = HtmlFormatter(nowrap=True)


def cost(code: str, language: str) -> int:
    """Return how much of MAX_CODE the highlighting of some code takes, possibly more than all of it."""
    if language not in LANGUAGES:
        return MAX_CODE + 1
    lines = code.split("\n")
    if max(map(len, lines)) > MAX_LINE_LENGTH:
        return MAX_CODE + 1
    cost = max(len(code), _MIN_OF_A_LINE * (len(lines) - 1))
    return 2 * cost if language in _SLOW else cost


def highlighted(code: str, language: str) -> str:
    """Return the code as HTML with classed spans; the language is one of LANGUAGES.

    The caller must respect MAX_CODE.
    """
    return str(highlight(code, _lexer(language), _FORMATTER))


@cache
def _lexer(name: str) -> Lexer:
    # Blank lines at the start and end belong to the code.
    return get_lexer_by_name(name, stripnl=False)
