"""Edits of a query by menus: one value of a keyword is added, replaced or taken out."""

from skerry.text.queries.query_print import print_query
from skerry.text.queries.query_tree import And, Condition, Everything, Query, Term, Text, Value
from skerry.text.words import small


def values_of(query: Query, key: str) -> tuple[Value, ...]:
    """Return the values of a keyword that every ticket must match one of."""
    return tuple(value for part in _parts(query) for value in _values(part, key))


def has_value(query: Query, term: Term) -> bool:
    """Return whether a query has one of the values of a term."""
    return any(_is_in(value, term.values) for value in values_of(query, term.key))


def toggled(query: Query, term: Term, *, several: bool) -> Query:
    """Return a query with a term, or without it if it was there.

    The term replaces those of the same keyword, unless ``several`` can stand beside each other.
    """
    if has_value(query, term):
        return _with(query, [rest for part in _parts(query) for rest in _without(part, term)])
    parts = list(_parts(query))
    if not several:
        first = next((at for at, part in enumerate(parts) if _values(part, term.key)), len(parts))
        parts = [part for part in parts if not _values(part, term.key)]
        return _with(query, [*parts[:first], term, *parts[first:]])
    return _with(query, [*parts, term])


def without_key(query: Query, key: str) -> Query:
    """Return a query without the terms of a keyword."""
    return _with(query, [part for part in _parts(query) if not _values(part, key)])


def as_typed(query: Query) -> str:
    """Return a query as text; the one for all tickets is empty."""
    return "" if query == Query(Everything()) else print_query(query)


def _parts(query: Query) -> tuple[Condition, ...]:
    match query.condition:
        case And(parts):
            return parts
        case Everything():
            return ()
        case condition:
            return (condition,)


def _with(query: Query, parts: list[Condition]) -> Query:
    match parts:
        case []:
            return Query(Everything(), query.sorts)
        case [part]:
            return Query(part, query.sorts)
    return Query(And(tuple(parts)), query.sorts)


def _values(part: Condition, key: str) -> tuple[Value, ...]:
    return part.values if isinstance(part, Term) and part.key == key else ()


def _without(part: Condition, term: Term) -> list[Condition]:
    """Return a part without the values of a term; nothing if that leaves none."""
    if not isinstance(part, Term) or part.key != term.key:
        return [part]
    rest = tuple(value for value in part.values if not _is_in(value, term.values))
    return [Term(part.key, rest, part.position)] if rest else []


def _is_in(value: Value, values: tuple[Value, ...]) -> bool:
    return any(_comparable(value) == _comparable(each) for each in values)


def _comparable(value: Value) -> Value:
    """Return a value whose name has small letters, because names match in any case."""
    return Text(small(value.text)) if isinstance(value, Text) else value
