"""Colours for fenced code, as spans with CSS classes."""

from functools import cache

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import STANDARD_TYPES

# Lexers are regular expressions that back-track, some with the square or cube of the length, of the lines
# or of one line: a hostile text gets little to do it on. The figure is for all the code of one text
# together, and takes a tenth of a second at most.
MOST_CODE = 4000
_LEAST_OF_A_LINE = 20
LONGEST_LINE = 500
_SLOW = frozenset({"java", "c#", "csharp"})

# Only these are ever loaded: hundreds of others exist, and some (Scala's) take exponential time.
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
    """Return how much of MOST_CODE it takes to colour some code, which may be more than there is."""
    if language not in LANGUAGES:
        return MOST_CODE + 1
    lines = code.split("\n")
    if max(map(len, lines)) > LONGEST_LINE:
        return MOST_CODE + 1
    cost = max(len(code), _LEAST_OF_A_LINE * (len(lines) - 1))
    return 2 * cost if language in _SLOW else cost


def highlighted(code: str, language: str) -> str:
    """Return the code as HTML with its words in classed spans; the language is one of LANGUAGES.

    The caller keeps to MOST_CODE.
    """
    return str(highlight(code, _lexer(language), _FORMATTER))


@cache
def _lexer(name: str) -> Lexer:
    # Blank lines at the ends are part of what somebody wrote.
    return get_lexer_by_name(name, stripnl=False)
