"""A limit on the work of the parser, because some texts take far longer than others of the same length."""

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.utils import EnvType

MAX = 40_000
"""How many steps a text may take; each takes about ten microseconds, in hostile texts too."""

# How many steps the costly parts of a text count as, by measurement.
LINE, CELL, LINK = 2, 2, 5

# How many characters of an address count as one step.
ADDRESS = 50

KEY = "work"
"""The key in the parser's environment for the steps so far."""


class TooMuchWork(Exception):
    """The text takes more than MAX steps."""


def count(env: EnvType, steps: int) -> None:
    """Count steps of a text; raises TooMuchWork after too many."""
    env[KEY] += steps
    if env[KEY] > MAX:
        raise TooMuchWork


def in_line(state: StateInline, _silent: bool) -> bool:
    """Count a step at each place in a line that the rules look at; this rule comes before them."""
    count(state.env, 1)
    return False


def in_block(state: StateBlock, _start: int, _end: int, _silent: bool) -> bool:
    """Count each line that the rules look at; this rule comes before them."""
    count(state.env, LINE)
    return False
