"""The keywords of the query language: what they accept, and what they find."""

from collections.abc import Callable
from dataclasses import dataclass

from skerry.text.queries.dates import NAMED, OVERDUE, UPCOMING
from skerry.text.queries.query_tokens import Raw
from skerry.text.queries.query_tree import MYSELF, NEXT, Value
from skerry.text.queries.query_values import (
    IS,
    as_comparison,
    as_dates,
    as_due,
    as_has,
    as_importance,
    as_is,
    as_text,
    as_text_or_none,
    as_ticket,
    as_words,
)


@dataclass(frozen=True)
class Key:
    """A keyword: its names, the values that it accepts, and what it finds.

    ``read`` converts the text of a value or raises QueryError; ``choices`` are values that are the same in
    every project.
    """

    name: str
    values: str
    finds: str
    examples: tuple[str, ...]
    read: Callable[[Raw], Value]
    aliases: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()


_DATE_VALUES = "a day, a span or a time ago"
_PEOPLE = "`me`, `none`, a name, a login or an id"
_SOMEBODY = "`me`, a name, a login or an id"

_DECLARED = (
    Key(
        "state",
        "`open`, `closed` or a state's name",
        "tickets in that state, or in any open or closed state; given again, in either state",
        ("state:open", "state:(new,hold)", "not-state:invalid"),
        as_text,
        choices=("open", "closed"),
    ),
    Key(
        "responsible",
        _PEOPLE,
        "tickets assigned to that person",
        ("responsible:me", "assigned:none"),
        as_text_or_none,
        aliases=("assigned",),
        choices=(MYSELF, "none"),
    ),
    Key(
        "reported_by",
        _SOMEBODY,
        "tickets that person opened",
        ("reported_by:ada",),
        as_text,
        choices=(MYSELF,),
    ),
    Key("watched", _SOMEBODY, "tickets that person watches", ("watched:me",), as_text, choices=(MYSELF,)),
    Key(
        "commented_by",
        _SOMEBODY,
        "tickets that person commented on",
        ("commented_by:'Ada Byron'",),
        as_text,
        choices=(MYSELF,),
    ),
    Key(
        "milestone",
        "`none`, `next`, a title, `id#7`; `*` stands for any text",
        "tickets of that milestone; `next` is the open one that is due next, today or later",
        ("milestone:next", "milestone:2.3.*", "milestone:'Next release'"),
        as_text_or_none,
        choices=(NEXT, "none"),
    ),
    Key(
        "tagged",
        "a tag",
        "tickets with that tag; given again, with both tags",
        ("tagged:patch", "tagged:'two words'", "not-tagged:docs"),
        as_text,
    ),
    Key(
        "importance",
        "a level's name or a number, also after `<` `<=` `>` `>=`, or `none`",
        "tickets of that priority",
        ("importance:high", "importance:>=3", "importance:none"),
        as_importance,
        aliases=("priority",),
        choices=("none",),
    ),
    Key(
        "due",
        "a day or a span, `overdue` or `none`",
        "tickets that are due then; `overdue` are open ones that were due before today",
        ("due:today", "due:this-week", "due:<2027-01-31", "due:overdue", "due:none"),
        as_due,
        choices=(OVERDUE, *NAMED, *UPCOMING, "none"),
    ),
    Key(
        "created",
        _DATE_VALUES,
        "tickets opened then",
        ("created:today", "created:2009-03-01..2009-03-31"),
        as_dates,
        choices=tuple(NAMED),
    ),
    Key(
        "updated",
        _DATE_VALUES,
        "tickets last changed then",
        ("updated:'since 7 days ago'", "updated:<2009-03-01"),
        as_dates,
        choices=tuple(NAMED),
    ),
    Key(
        "title",
        "a word, a prefix with `*`, or a phrase",
        "tickets with the words in their titles",
        ("title:crash", "title:'no such table'"),
        as_words,
    ),
    Key(
        "body",
        "a word, a prefix with `*`, or a phrase",
        "tickets with the words in their opening texts",
        ("body:backtrace", "body:segfault*"),
        as_words,
    ),
    Key(
        "keyword",
        "a word, a prefix with `*`, or a phrase",
        "the same as the words without a keyword",
        ("keyword:deadlock", "keyword:'lost update'"),
        as_words,
    ),
    Key(
        "number",
        "a number, also after `<` `<=` `>` `>=`",
        "tickets by number",
        ("number:(12,14)", "number:>500"),
        as_comparison,
    ),
    Key(
        "has",
        "`attachment`, `comments` or `children`",
        "tickets with files, with comments, or with children",
        ("has:attachment", "-has:comments", "has:children"),
        as_has,
        choices=("attachment", "comments", "children"),
    ),
    Key(
        "is",
        "`blocked`, `claimed`, `private` or `ready`",
        "tickets that are blocked by an open ticket, claimed, private, or ready to start: open, not blocked "
        "and not claimed",
        ("is:blocked", "-is:private", "is:ready sort:(importance,due)"),
        as_is,
        choices=tuple(IS),
    ),
    Key(
        "blocked-by",
        "the number of a ticket",
        "tickets that the other blocks",
        ("blocked-by:#12", "blocked-by:roof#12"),
        as_ticket,
    ),
    Key("parent", "the number of a ticket", "tickets whose parent is the other", ("parent:#3",), as_ticket),
    Key(
        "project",
        "a project's name or id",
        "tickets of that project, if the search covers several projects",
        ("project:roof",),
        as_text,
    ),
)

KEYS: dict[str, Key] = {key.name: key for key in _DECLARED}
"""The keywords by their own names, except ``sort``, which selects an order instead of tickets."""

NAMES: dict[str, str] = {name: key.name for key in _DECLARED for name in (key.name, *key.aliases)} | {
    "sort": "sort"
}
"""All keywords of a query, including aliases, with their own names."""
