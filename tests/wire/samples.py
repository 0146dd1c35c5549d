"""Records and strategies that the tests of the wire share."""

from datetime import UTC, datetime
from typing import Annotated, Any

from hypothesis import strategies as st

from skerry.visibility import is_visible
from skerry.wire.record import (
    UNSET,
    Items,
    Members,
    Record,
    UnsetType,
    longest,
    required,
    writable,
)

NOON = datetime(2007, 1, 15, 8, 13, 9, tzinfo=UTC)


class Name(Record, frozen=True):
    """A record with a single field."""

    singular, plural = "name", "names"

    name: str = ""


class Picture(Record, frozen=True):
    """A record that stands in lists."""

    singular, plural = "picture", "pictures"

    file_name: str = ""
    taken_at: datetime | None = None


class Stone(Record, frozen=True):
    """A record with a field of every kind."""

    singular, plural = "big_stone", "big_stones"
    aliases = ("stone",)

    title: Annotated[str, writable, required, longest(255)] = ""
    note: Annotated[str | None, writable] = None
    owner_id: Annotated[int | None, writable] = None
    weight: Annotated[int, writable] = 0
    height: Annotated[int | None, writable] = None
    wet: Annotated[bool, writable] = False
    found_at: Annotated[datetime | None, writable] = None
    friends_ids: Annotated[list[int], writable] = []
    changes: Annotated[list[tuple[str, str]], writable] = []
    colour: str = "grey"
    was: Annotated[dict[str, Any], Members(lambda: {"owner": int})] = {}
    finder: Name | UnsetType | None = UNSET
    later: str | UnsetType = UNSET
    pictures: Annotated[list[Picture] | UnsetType, Items("pic", "A::Picture")] = UNSET
    drawings: Annotated[list[Picture] | UnsetType, Items(lambda _: "sketch", "D", wrapped="drawing")] = UNSET


STORABLE = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\ufffe\uffff").filter(
        lambda character: character >= " " or character in "\t\n\r"
    )
)
WHOLE = st.integers(-(2**63), 2**63 - 1)
STONES = st.builds(
    Stone,
    title=STORABLE.map(lambda text: text[:255]).filter(is_visible),
    note=st.none() | STORABLE,
    owner_id=st.none() | WHOLE.filter(bool),
    weight=WHOLE,
    height=st.none() | WHOLE,
    wet=st.booleans(),
    found_at=st.none() | st.datetimes().map(lambda timestamp: timestamp.replace(microsecond=0, tzinfo=UTC)),
    friends_ids=st.lists(WHOLE),
)
