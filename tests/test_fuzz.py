"""Hostile input for all that reads what strangers send: it is understood, or refused in words, in time.

`make fuzz` goes on for SKERRY_FUZZ_SECONDS with each reader, 60 without it; `make test` looks in briefly.
"""

import json
import os
import time

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from skerry.errors import SkerryError
from skerry.text.actions import actions_in_message, commands_in_comment
from skerry.text.changed_files import read_changes
from skerry.text.commands import parse_commands
from skerry.text.markdown import render
from skerry.text.queries.query import parse
from skerry.text.queries.query_complete import complete
from skerry.text.queries.query_print import print_query
from skerry.text.queries.query_tree import QueryError
from skerry.text.states import StatesError, read_states
from skerry.wire import forms, xmlreader
from skerry.wire import json as wire_json
from skerry.wire.uploads import MultipartForm
from tests.text.injections import INJECTIONS
from tests.text.test_markdown import inspect
from tests.wire.test_uploads import Basket

SECONDS = float(os.environ.get("SKERRY_FUZZ_SECONDS", "60"))
AT_ONCE = 200
MAX_SECONDS_LENGTH = 2
"""How long a reader may take for a text of some thousand characters, on any machine."""

XML = [
    '<?xml version="1.0" encoding="UTF-8"?><ticket><title>Leak</title><tag nil="true"/></ticket>',
    '<projects type="array"><project><id type="integer">1</id></project></projects>',
    '<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><x>&c;</x>',
    "<a><![CDATA[<b>]]><!-- c --><?d e?>&lt;&#x41;&#0;&amp;</a>",
    '<a xmlns="x" b:c="d" xml:lang="e"/>',
    "<a>" * 70,
    "\ufeff<a\u0000>\ud7ff</a >",
]
FORMS = [
    "ticket[title]=Leak&ticket[tag]=rain%20cold&ticket[attachment][]=x",
    "a[b][c][d]=1&a[b]=2&a[]=3&a[][b]=4",
    "%5B%5D=&=&&a&a=%zz&a=%ff%fe&a+b=c+d;e=f",
    "a[" + "b[" * 70,
]
_PART = "--xyz\r\nContent-Disposition: form-data; "
MULTIPART = [
    f'{_PART}name="ticket[title]"\r\n\r\nLeak\r\n--xyz--\r\n',
    f'{_PART}name="f"; filename="a\\"b.png"\r\nContent-Type: image/png\r\n\r\n\x89PNG\r\n--xyz--\r\n',
    f'{_PART}name="t"\r\nContent-Type: application/json\r\n\r\n{{"ticket": {{}}}}\r\n--xyz\r\n\r\n--xyz--',
    f"{_PART}name*=utf-8''%ff\r\nContent-Length: 9\r\n\r\n--xyz--\r\n",
]
JSON = [
    '{"ticket": {"title": "Leak", "tag": null, "milestone_id": 1e400}}',
    '[[[{"a": [1, -0.0, "\\ud800", true]}]]]',
    '{"a": 1, "a": 2, "": {}}',
    "[" * 70,
]
QUERIES = [
    "responsible:me state:open,new milestone:next tagged:'high priority' sort:importance-",
    "not (created:since \"2 weeks ago\" or #12 or number:>5) keyword* 'two words'",
    "watched:ada updated:yesterday..today -tagged:x all or none ((()))",
    "((" * 60 + "a*" * 9,
]
COMMANDS = [
    "state:resolved responsible:ada tagged:'a b' not-tagged:c milestone:none",
    '[#12 state:resolved tagged:"x"] fixes #13, closes #14 [#99999999999999999999 x:y]',
    "[state:open]\n[[responsible:me] importance:7]",
]
STATES = [
    "new/f17  # You can add comments here\nopen/aaa # if you want to.",
    "resolved/6A0\nhold/EB0\ninvalid/A30 # 'A30'\n/\n#\n//x",
    "a b/123456\nA B/12345\n\u2028x/fff",
]
CHANGES = [
    "[['M', 'roof'], ['A', 'wall']]",
    "- - M\n  - roof\n",
    "!!python/object:os.system x",
    "&a [*a, *a]",
]
MARKDOWN = [*INJECTIONS, "# A\n\n* b\n  1. `c`\n\n> d\n\n|e|f|\n|-|-|\n|g|h|", "```ruby\nend\n```\n#1 [abc]"]


def mixed(samples):
    """Return texts that were put together from pieces of good ones, with odd signs between them."""
    signs = st.text(max_size=3) | st.sampled_from([*"<>&;:'\"[](){}#*-=%\\/\r\n\t\0, ", "--xyz", "\ud800"])
    sample = st.sampled_from(samples)
    piece = st.tuples(sample, st.integers(0, 200), st.integers(1, 80)).map(
        lambda cut: cut[0][cut[1] % len(cut[0]) :][: cut[2]]
    )
    return st.lists(sample | piece | piece | signs, max_size=8).map("".join)


def raw(text):
    return text.encode("utf-8", "surrogatepass")


def same(reader, writer):
    """A tree that was understood is understood in the same way when it is written in JSON."""

    def check(text):
        tree = reader(raw(text))
        assert isinstance(tree, dict)
        return writer(tree)

    return check


def read_query(text):
    query = parse(text)
    assert parse(print_query(query)) == query
    for caret in (0, len(text) // 2, len(text)):
        complete(text, caret)


def read_commands(text):
    commands_in_comment(text)
    actions_in_message(text)
    parse_commands(text)


def read_all_states(text):
    half = len(text) // 2
    for first, second in ((text, ""), ("", text), (text[:half], text[half:])):
        read_states(first, second)


def show(text):
    html = render(text, 3, lambda _: True)
    if html:
        inspect(html)


def read_form(text):
    body = raw(text)
    form = MultipartForm("multipart/form-data; boundary=xyz", len(body), Basket, 1000)
    form.feed(body)
    form.tree()


READERS = {
    "xml": (XML, same(xmlreader.read, json.dumps), SkerryError),
    "json": (JSON, same(wire_json.read, repr), SkerryError),
    "form": (FORMS, same(forms.read, json.dumps), SkerryError),
    "multipart": (MULTIPART, read_form, SkerryError),
    "query": (QUERIES, read_query, QueryError),
    "commands": (COMMANDS, read_commands, QueryError),
    "states": (STATES, read_all_states, StatesError),
    "changes": (CHANGES, read_changes, ValueError),
    "markdown": (MARKDOWN, show, ()),
}


def feed(name, examples):
    """Return a reader so many texts that nobody has seen before."""
    samples, reader, refusal = READERS[name]

    @given(mixed(samples))
    @settings(
        deadline=None,
        max_examples=examples,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    def fed(text):
        note(ascii(text))
        began, words = time.process_time(), "understood"
        try:
            reader(text)
        except refusal as refused:
            words = str(refused)
        assert words
        assert time.process_time() - began < MAX_SECONDS_LENGTH

    fed()


@pytest.mark.parametrize("name", READERS)
def test_hostile_input_is_understood_or_refused(name):
    feed(name, 40)


@pytest.mark.fuzz
@pytest.mark.parametrize("name", READERS)
def test_for_a_long_time_what_strangers_send_is_understood_or_refused(name):
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        feed(name, AT_ONCE)
