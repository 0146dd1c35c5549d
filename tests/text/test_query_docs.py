"""The guide to the query language says what the code does."""

import re
from pathlib import Path

import pytest

from skerry.text.actions import actions_in_message
from skerry.text.commands import COMMANDS, CommandKey, parse_commands
from skerry.text.queries.query import parse
from skerry.text.queries.query_keys import KEYS, Key
from skerry.text.queries.query_tree import QueryError
from skerry.text.queries.query_values import SORTS

GUIDE = Path(__file__).parents[2].joinpath("docs", "query.md").read_text(encoding="utf-8")
REFUSED = re.compile(r"```query\n([^`]+)\n```\n\n```answer\n([^`]+)\n```")
REFUSALS = REFUSED.findall(GUIDE)


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.+?)\n```", REFUSED.sub("", GUIDE), re.DOTALL)


def lines(kind: str) -> list[str]:
    return [line for block in blocks(kind) for line in block.split("\n")]


def names(key: Key | CommandKey) -> str:
    return ", ".join(f"`{name}`" for name in (key.name, *key.aliases))


def examples(key: Key | CommandKey) -> str:
    return ", ".join(f"`{example}`" for example in key.examples)


@pytest.mark.parametrize("query", lines("query"))
def test_every_query_shown_is_understood(query: str) -> None:
    parse(query)


@pytest.mark.parametrize("command", lines("command"))
def test_every_command_shown_is_understood(command: str) -> None:
    assert parse_commands(command)


@pytest.mark.parametrize("message", blocks("message"))
def test_every_message_shown_does_something(message: str) -> None:
    assert actions_in_message(message)


@pytest.mark.parametrize(("query", "answer"), REFUSALS)
def test_every_refusal_shown_is_given_in_these_words(query: str, answer: str) -> None:
    with pytest.raises(QueryError) as refusal:
        parse(query)
    assert str(refusal.value) == answer


@pytest.mark.parametrize("key", KEYS.values(), ids=lambda key: key.name)
def test_every_keyword_has_its_line_and_its_examples_work(key: Key) -> None:
    assert f"| {names(key)} | {key.values} | {key.finds} | {examples(key)} |\n" in GUIDE
    for example in key.examples:
        parse(example)


@pytest.mark.parametrize("command", COMMANDS.values(), ids=lambda command: command.name)
def test_every_command_has_its_line_and_its_examples_work(command: CommandKey) -> None:
    only = " (bulk edit only)" if command.only_in_bulk else ""
    line = f"| {names(command)} | {command.values} | {command.does}{only} | {examples(command)} |\n"
    assert line in GUIDE
    for example in command.examples:
        assert parse_commands(example)[0].key == command.name


def test_every_order_is_named() -> None:
    order = GUIDE.split("## Order")[1].split("##")[0]
    assert all(f"`{name}`" in order for name in SORTS)


def test_the_guide_holds_examples_of_each_kind() -> None:
    assert len(lines("query")) > 20
    assert len(REFUSALS) > 8
    assert len(lines("command")) > 3
    assert len(blocks("message")) > 3
