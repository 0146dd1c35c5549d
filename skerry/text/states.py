"""The states of a project, as listed in its settings."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

from skerry.text.words import SELECTORS, folded

OPEN_DEFAULT = "new/f17  # You can add comments here\nopen/aaa # if you want to."
CLOSED_DEFAULT = (
    "resolved/6A0 # You can customize colors\n"
    "hold/EB0     # with 3 or 6 character hex codes\n"
    "invalid/A30  # 'A30' expands to 'AA3300'"
)
MAX_NAME_LENGTH = 50
MAX_TEXT_LENGTH = 10_000

MAX_CACHED_LENGTH = 2_000
"""The maximum length of texts whose states are cached, to limit memory."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_STATE = re.compile(r"(?P<name>[^\s/]+)[ \t]*/[ \t]*(?P<color>[0-9a-fA-F]{6}|[0-9a-fA-F]{3})")


class StatesError(ValueError):
    """The text is not a list of states; the message names the line."""


@dataclass(frozen=True, slots=True)
class StateDefinition:
    """A state: its name as written, its colour as six lower-case hex digits, and its class."""

    name: str
    color: str
    closed: bool


@lru_cache(maxsize=1024)
def spellable(name: str) -> str:
    """Return a valid state name, with a dash for each forbidden character, cut to the limit."""
    runs = groupby(_of_names(unicodedata.normalize("NFC", name)), itemgetter(1))
    kept = ("".join(character for character, _ in run) if fits else "-" for fits, run in runs)
    return "".join(kept)[:MAX_NAME_LENGTH]


def read_states(open_text: str, closed_text: str) -> "States":
    """Return the states in two texts, cached for short ones. Raises StatesError as States does."""
    read = _cached if len(open_text) + len(closed_text) <= MAX_CACHED_LENGTH else States
    return read(open_text, closed_text)


@lru_cache(maxsize=256)
def _cached(open_text: str, closed_text: str) -> "States":
    return States(open_text, closed_text)


class States:
    """The open and closed states of a project, in the order of the text.

    Each line is ``name/color`` with three or six hex digits; ``#`` begins a comment. Names consist of letters
    with their vowel signs and accents, digits and ``- _ .``. They have at most 50 characters and differ by
    more than case. Raises StatesError if a line is anything else, or if there is no open or no closed state.
    """

    def __init__(self, open_text: str, closed_text: str) -> None:
        """Parse both texts."""
        self._by_name: dict[str, StateDefinition] = {}
        self.open = self._read("Open states", open_text, closed=False)
        self.closed = self._read("Closed states", closed_text, closed=True)
        self.names = tuple(state.name for state in self.open + self.closed)
        self.open_list = ",".join(state.name for state in self.open)
        self.closed_list = ",".join(state.name for state in self.closed)

    @property
    def default(self) -> StateDefinition:
        """The default state of a new ticket: ``new`` if it is open, else the first open one."""
        new = self.find("new")
        return new if new and not new.closed else self.open[0]

    @property
    def first_closed(self) -> StateDefinition:
        """The state that ``fixes #12`` sets."""
        return self.closed[0]

    def stage(self, state: StateDefinition) -> str:
        """Return how far a state is: ``new``, ``open``, ``done``, or ``void`` for another closed one."""
        if state.closed:
            return "done" if state == self.first_closed else "void"
        return "new" if state == self.default else "open"

    def find(self, name: str) -> StateDefinition | None:
        """Return the state with this name in any case, or None."""
        return self._by_name.get(folded(name))

    def _read(self, field: str, text: str, *, closed: bool) -> tuple[StateDefinition, ...]:
        if len(text) > MAX_TEXT_LENGTH:
            raise StatesError(f"{field} are too long (at most {MAX_TEXT_LENGTH} characters)")
        states = tuple(self._add(place, line, closed=closed) for place, line in definitions(field, text))
        if not states:
            raise StatesError(f"{field} must name at least one state")
        return states

    def _add(self, place: str, line: str, *, closed: bool) -> StateDefinition:
        state = _state(place, line, closed=closed)
        if self.find(state.name):
            raise StatesError(f"{place}: {state.name} is listed twice")
        self._by_name[folded(state.name)] = state
        return state


def definitions(field: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield each line that contains more than a comment, after its place for an error message."""
    for number, line in enumerate(_LINE_END.split(unicodedata.normalize("NFC", text)), start=1):
        content = line.partition("#")[0].strip()
        if content:
            yield f"{field} line {number}", content


def _state(place: str, line: str, *, closed: bool) -> StateDefinition:
    match = _STATE.fullmatch(line)
    # The line itself is not quoted, because it may have characters that responses cannot contain.
    if not match or not all(fits for _, fits in _of_names(match["name"])):
        raise StatesError(f"{place}: write a name, a slash and 3 or 6 hex digits, as in new/f17")
    if len(match["name"]) > MAX_NAME_LENGTH:
        raise StatesError(f"{place}: the name is too long (at most {MAX_NAME_LENGTH} characters)")
    return StateDefinition(match["name"], six_digits(match["color"].lower()), closed)


def _of_names(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each character, and whether a name may contain it there.

    In many scripts vowels are marks after their letters. Elsewhere a mark has no meaning, and marks that only
    choose a form of a character are invisible.
    """
    behind_letter = False
    for character in text:
        is_mark = unicodedata.category(character) in {"Mn", "Mc"} and ord(character) not in SELECTORS
        behind_letter = character.isalnum() or (behind_letter and is_mark)
        yield character, behind_letter or character in "_.-"


def six_digits(color: str) -> str:
    """Return a colour of three or six hex digits with six."""
    return color if len(color) == 6 else "".join(digit * 2 for digit in color)  # noqa: PLR2004 - digits
