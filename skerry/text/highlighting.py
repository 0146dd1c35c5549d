"""Colours for fenced code, as spans with CSS classes."""

from functools import cache

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name

# Lexers are regular expressions that back-track; a hostile text gets little to do it on.
LONGEST_CODE = 10_000

# Only these are ever loaded: a few hundred others exist, of every quality.
LANGUAGES = frozenset(
    "bash c c++ clojure cpp c# csharp css diff docker dockerfile elixir erb erlang go haskell html "
    "ini java javascript js json jsx kotlin lua make makefile nginx objective-c objc perl php "
    "powershell python py rb ruby rust scala sh shell sql swift toml ts typescript vim xml yaml yml".split()
)
_FORMATTER = HtmlFormatter(nowrap=True)


def highlighted(code: str, language: str) -> str:
    """Give the code as HTML with its words in classed spans; empty if it is not to be coloured.

    That is so for languages other than LANGUAGES and for more than LONGEST_CODE characters.
    """
    name = language.lower()
    if name not in LANGUAGES or len(code) > LONGEST_CODE:
        return ""
    return str(highlight(code, _lexer(name), _FORMATTER))


@cache
def _lexer(name: str) -> Lexer:
    # Blank lines at the ends are part of what somebody wrote.
    return get_lexer_by_name(name, stripnl=False)
