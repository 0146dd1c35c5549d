"""Queries, as the tracker takes them from people."""

from skerry.errors import Invalid
from skerry.text.query import Query, QueryError, parse


def parsed(text: str) -> Query:
    """Understand a query; raises Invalid with the sentence that says what is wrong and where."""
    try:
        return parse(text)
    except QueryError as error:
        raise Invalid(str(error)) from error
