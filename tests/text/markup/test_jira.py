"""Jira's wiki markup reads in Markdown as it reads in Jira."""

import re
from collections import Counter
from html.parser import HTMLParser

import jira2markdown
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skerry.text.markdown import MAX_TEXT_LENGTH, render
from skerry.text.markup.jira import markdown
from skerry.text.markup.jira_lines import Names
from tests.text.markup.tracing import steps

MARKS = [
    "*",
    "_",
    "-",
    "+",
    "??",
    "^",
    "~",
    "{{",
    "}}",
    "[",
    "]",
    "|",
    "||",
    "!",
    "\\",
    "\\\\",
    "{*}",
    "#",
    "`",
]
MARKS += [
    "<b>",
    "</b>",
    "<",
    "&amp;",
    "@",
    "(",
    ")",
    ":",
    "http://a.example/x_y",
    '"',
    "~~",
    "***",
    "1. ",
    "> ",
]
BLOCKS = [
    "\n",
    "\n\n",
    "\nh1. ",
    "\nbq. ",
    "\n* ",
    "\n** ",
    "\n# ",
    "\n*# ",
    "\n- ",
    "\n----\n",
    "\n| ",
    "\n|| ",
]
BLOCKS += [
    "{code}",
    "{code:java}",
    "{noformat}",
    "{quote}",
    "{panel:title=x}",
    "{panel}",
    "{color:red}",
    "{color}",
]
WORDS = [f"w{number}w" for number in range(40)]
PIECES = st.lists(st.sampled_from([*MARKS, *BLOCKS, " ", " ", *WORDS]), max_size=40)


class Shown(HTMLParser):
    """Collects the text of HTML with a blank for each tag, and the addresses."""

    def __init__(self, html):
        super().__init__()
        self.text, self.tags = "", []
        self.feed(html)

    def handle_data(self, data):
        self.text += data

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.text += " ".join(["", *(value or "" for _, value in attributes), ""]) if attributes else ""


def shown(text):
    return Shown(render(markdown(text), None))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("h2. Roof\nh3.Tiles #", "## Roof\n\n### Tiles \\#"),
        ("*bold* _it_ -gone- +new+ ??Ada?? {{a*b}}", "**bold** _it_ ~~gone~~ <u>new</u> _Ada_ `a*b`"),
        ("te{*}st{*}s", "te<strong>st</strong>s"),
        ("a * b, c*d*e, -v --force 1-2 x", "a * b, c\\*d\\*e, -v --force 1-2 x"),
        ("* a\n** b\n*# c\n*# d\n* e", "- a\n  - b\n  1. c\n  2. d\n- e"),
        ("# a\ngoes on\n# b", "1. a\n   goes on\n2. b"),
        ("# a\n\n# b", "1. a\n\n1) b"),
        ("*** deep", "- deep"),
        ("- a\n- b", "- a\n- b"),
        ("[the page|https://a.example/x (y)]", "[the page|https://a.example/x (y)]"),
        ("[the page|https://a.example/x(y)|tip]", '[the page](https://a.example/x%28y%29 "tip")'),
        (
            "[https://a.example] [mailto:a@b.example]",
            "https://a.example [mailto:a@b.example](mailto:a@b.example)",
        ),
        ("[ERROR]: x [1] [WARN](y)", "\\[ERROR]: x [1] [WARN\\](y)"),
        ("{quote}one\n\n* two{quote}", "> one\n>\n> - two"),
        ("bq. said", "> said"),
        ("{panel:title=Note|borderStyle=solid}in{panel}", "> **Note**\n>\n> in"),
        ("{color:red}red{color} text", "red text"),
        ("a\n----\nb\n---\nc", "a\n\n---\n\nb\n\\---\nc"),
        ("one \\\\ two\\\\three C:\\x", "one\ntwo\\\\\\three C:\\x"),
        (r"\*not bold\* \{code} \[x]", r"\*not bold\* {code} [x]"),
        ("{code:java}\n  x * y;\n{code}", "```java\n  x * y;\n```"),
        ("{code:title=a.js|lang=javascript}x{code}", "`a.js`\n\n```javascript\nx\n```"),
        ("{noformat}```\n*x*\n{noformat}", "````\n```\n*x*\n````"),
        ("{code}no end *x*", "{code}no end **x**"),
        ("* {quote}said{quote}\n* {code}x{code}", "- > said\n- ```\n  x\n  ```"),
        ("* a {code}x{code}\n* b", "- a\n  ```\n  x\n  ```\n- b"),
        ("||a||b||\n|1|{{x|y}}|\n|[t|http://a.example]|2|", None),
        ("|a|b|\n|c\nd|e|", "|  |  |\n|---|---|\n| a | b |\n| c<br>d | e |"),
        ("||Name|Ada|\n||Age|36|", "|  |  |\n|---|---|\n| **Name** | Ada |\n| **Age** | 36 |"),
        ("# 12 and #12, x#13", "1. 12 and \\#12, x\\#13"),
        ("2. two\n+ three\n> four", "2\\. two\n\\+ three\n\\> four"),
        ("snake_case __init__ List<String> <b> :) (!)", r"snake_case \_\_init\_\_ List<String> \<b> :) (!)"),
        (
            "{html}<p>One <b>two</b></p><pre><code>x\n\ny</code></pre>{html}",
            "One **two**\n\n```\nx\n\ny\n```",
        ),
    ],
)
def test_markup_becomes_markdown(written, expected):
    if expected is None:
        expected = "| a | b |\n|---|---|\n| 1 | `x\\|y` |\n| [t](http://a.example) | 2 |"
    assert markdown(written) == expected


def test_people_and_files_are_named_by_the_tracker():
    names = Names(
        {"ada": "Ada Lovelace", "5:1": "Ben"}.get, {"a b.png": "https://jira.example/1/a b.png"}.get
    )
    text = "[~ada] [~accountid:5:1] [~cy] !a b.png|thumbnail! [^a b.png] [log|^x.log] !gone.png!"
    assert markdown(text, names) == (
        '@"Ada Lovelace" @Ben @cy ![a b.png](https://jira.example/1/a%20b.png) '
        "[a b.png](https://jira.example/1/a%20b.png) [log] [gone.png]"
    )
    assert names.told == {"files": 1, "pictures": 1}


def test_what_markdown_does_not_have_is_counted():
    names = Names()
    markdown("{color:red}x{color} {color:#fff}y{color}", names)
    assert names.told["colors"] == 2


def test_a_text_that_is_shown_as_written_stays_as_it_is():
    names = Names()
    text = "*x* " * MAX_TEXT_LENGTH
    assert markdown(text, names) == text
    assert names.told == {"texts": 1}


@settings(deadline=None, max_examples=300)
@given(PIECES)
def test_no_word_is_lost(pieces):
    text = "".join(pieces)
    # An address may be there twice: as the text of a link, and as its target.
    assert Counter(re.findall(r"w\d+w", text)) <= Counter(re.findall(r"w\d+w", shown(text).text))


@settings(deadline=None, max_examples=300)
@given(
    st.lists(st.sampled_from(["`", "~~", "<b>", "</b>", "&amp;", "> ", "1. ", "=", "a", " ", "\n", "@", ")"]))
)
def test_marks_of_markdown_are_text(pieces):
    text = "".join(pieces)
    page = shown(text)
    assert set(page.tags) <= {"div", "p", "br"}
    assert "".join(page.text.split()) == "".join(text.split())


@pytest.mark.parametrize(
    "text",
    [
        "h1. Roof\n\nIt *leaks* over the _stairs_.",
        "* one\n* two\n** three\n* four",
        "# one\n# two",
        "||a||b||\n|1|2|",
        "{code:python}\nx = 1\n{code}",
        "[the page|https://a.example] and https://b.example",
        "{quote}\nsaid\n{quote}\n\nanswered",
    ],
)
def test_another_converter_says_the_same(text):
    theirs = Shown(render(jira2markdown.convert(text), None))
    ours = shown(text)
    assert (ours.text.split(), ours.tags) == (theirs.text.split(), theirs.tags)


HOSTILE = [
    "*a ",
    "_",
    "[",
    "[a|",
    "{{",
    "{{a}",
    "!a",
    "{code}",
    "{code:a}",
    "{quote}",
    "{panel:a}",
    "\\",
    "|",
    "||a",
]
HOSTILE += [
    "* a\n",
    "** a\n",
    "{color:",
    "http://a)",
    ")",
    "<b",
    "@a",
    "`",
    "&a",
    "{*}",
    "??",
    "-a",
    "\n",
    "{html}",
]
HOSTILE += ["\n|a", "# a\n\n", "{code}x{code}", "{quote}*a{quote}", "~~", "{html}<b>a", "{html}<ul><li>"]


@pytest.mark.parametrize("piece", HOSTILE)
def test_twice_the_text_takes_twice_the_steps(piece):
    half, whole = (steps(markdown, piece * count) for count in (500, 1000))
    assert whole <= 2 * half + 200
