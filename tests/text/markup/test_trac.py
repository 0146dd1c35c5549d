"""Trac's WikiFormatting reads in Markdown as it reads in Trac."""

import re
from collections import Counter
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skerry.text.markdown import MAX_TEXT_LENGTH, render
from skerry.text.markup.trac import markdown
from skerry.text.markup.trac_links import Names
from tests.text.markup.tracing import steps

MARKS = [
    "'''",
    "''",
    "'''''",
    "**",
    "//",
    "__",
    "~~",
    "^",
    ",,",
    "`",
    "{{{",
    "}}}",
    "[",
    "]",
    "[[",
    "]]",
    "!",
]
MARKS += [
    "[ticket:1 ",
    "wiki:",
    "comment:",
    "changeset:",
    "attachment:",
    "r1",
    "{1}",
    "#1",
    "\\\\",
    "[=#",
    "|",
    "||",
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
    "javascript:",
    "<wiki:",
]
BLOCKS = [
    "\n",
    "\n\n",
    "\n= ",
    "\n * ",
    "\n   * ",
    "\n 1. ",
    "\n- ",
    "\n----\n",
    "\n||",
    "\n> ",
    "\n>> ",
    "\n  ",
]
BLOCKS += [
    "\n{{{\n",
    "\n}}}\n",
    "\n{{{#!python\n",
    "\n{{{#!div\n",
    "\n{{{#!td\n",
    "\n{{{#!html\n",
    "\n a:: ",
    "\\\n",
]
WORDS = [f"w{number}w" for number in range(40)]
PIECES = st.lists(st.sampled_from([*MARKS, *BLOCKS, " ", " ", *WORDS]), max_size=40)
SAFE = {
    *re.findall(
        r"\w+", "p br div em strong s u a code pre span blockquote ul ol li hr table thead tbody tr th td img"
    )
}
SAFE |= {"b", "h1", "h2", "del", "input", "label"}


class Shown(HTMLParser):
    """Collects the text of HTML with a blank for each tag, the tags, and the addresses."""

    def __init__(self, html):
        super().__init__()
        self.text, self.tags, self.addresses = "", [], []
        self.feed(html)

    def handle_data(self, data):
        self.text += data

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.addresses += [value for name, value in attributes if name in ("href", "src")]
        self.text += " ".join(["", *(value or "" for _, value in attributes), ""]) if attributes else ""


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("= Roof =\n== The ''tiles'' == #tiles", "# Roof\n\n## The _tiles_"),
        ("'''bold''' ''it'' ~~gone~~ __new__ `a'b` {{{c}}}", "**bold** _it_ ~~gone~~ <u>new</u> `a'b` `c`"),
        ("**bold** //it// a'''b'''c ''' d '''", "**bold** _it_ a<strong>b</strong>c <strong> d </strong>"),
        ("'''two\nlines''' '''no end", "**two\nlines** '''no end"),
        ("''a'''''b'''", "<em>a</em><strong>b</strong>"),
        (" * a\n   goes on\n   * b\n * c", "- a\n  goes on\n  - b\n- c"),
        (" 1. a\n   a. b\n 2. c", "1. a\n   1. b\n2. c"),
        (" 1. a\n\n 1. b\n\n 4. d", "1. a\n\n1) b\n\n4. d"),
        (" term:: what\n   it is", "- **term**: what\n  it is"),
        ("||= A =||= B =||\n||1||`x||y`||", "| A | B |\n|---|---|\n| 1 | `x\\|\\|y` |"),
        ("||1|| \\\n||2||\n|---\n||||wide||", None),
        ("{{{\na\n{{{\nb\n}}}\n}}}\nc", "```\na\n{{{\nb\n}}}\n```\n\nc"),
        ("{{{#!python\nx = 1\n}}}", "```python\nx = 1\n```"),
        (" * a\n   {{{\n   #!sh\n   ls\n   }}}\n * b", "- a\n  ```sh\n  ls\n  ```\n- b"),
        ("{{{\n#!CommitTicketReference revision=1\n''x''\n}}}", "> _x_"),
        ("{{{#!div style=x\n= a\n}}}", "# a"),
        ("{{{#!html\n<b>x</b>\n}}}", "**x**"),
        ("{{{#!html\n<ul><li><ul><li><ul><li></ul></ul></ul>x\n}}}", "x"),
        (
            "{{{#!html\n<table><tr><th><h2>A</h2><td><pre>b\n\nc</pre><blockquote>d</blockquote></table>\n}}}",
            "|  |  |\n|---|---|\n| **A** | `b`<br>`c`<br>d |",
        ),
        ("{{{#!python}}} in a line", "`#!python` in a line"),
        ("{{{\nno end", "```\nno end\n```"),
        ("> said\n>> before\nanswer", "> said\n>\n> > before\n\nanswer"),
        ("  quoted\n  more", "> quoted\n> more"),
        ("a\n----\nb [[BR]]c \\\\ d", "a\n\n---\n\nb\nc\nd"),
        (
            "!'''a!''' !#12 !WikiStart ![1] !http://a.example x!",
            "'''a''' \\#12 WikiStart [1] http://a.example x!",
        ),
        ("#12 WikiStart [text] a_b *c* <d>", "#12 WikiStart [text] a_b \\*c\\* <d>"),
        ("[http://a.example/x(y) the page] [[http://a.example|it]]", None),
        ("[=#here that place] [mailto:a@b.example me]", "that place [me](mailto:a@b.example)"),
        ("[[PageOutline]] [[Image(http://a.example/b.png, 9px)]]", None),
        ("2. two\n+ three", "2. two\n\n\\+ three"),
    ],
)
def test_markup_becomes_markdown(written, expected):
    others = {
        "||1": "|  |  |\n|---|---|\n| 1 | 2 |\n| wide |  |",
        "[ht": "[the page](http://a.example/x%28y%29) [it](http://a.example)",
        "[[P": "[[PageOutline]] ![http://a.example/b.png](http://a.example/b.png)",
    }
    assert markdown(written) == (expected or others[written[:3]])


def test_tickets_and_comments_are_numbers():
    names = Names()
    text = "ticket:1, [ticket:1], [ticket:1 that], bug:1#comment:2 comment:2:ticket:1 comment:3 <ticket:1>"
    assert markdown(text, names) == "#1, #1, that (#1), #1, comment 2 #1, comment 2 comment:3 #1"
    assert names.told["comments"] == 3


def test_what_does_not_come_along_is_words_or_leads_to_the_old_tracker():
    names, known = Names(), Names(address="https://trac.example/roof")
    text = '[12] r12 {3} wiki:Roof [wiki:"A b" roof] milestone:1.0 [changeset:"abcdef0123/x" abcdef0]'
    assert markdown(text, names) == "[12] r12 {3} wiki:Roof roof (wiki:A b) milestone:1.0 [abcdef0123]"
    assert names.told == {"words": 6}
    assert markdown(text, known) == (
        "[12](https://trac.example/roof/changeset/12) [r12](https://trac.example/roof/changeset/12) "
        "[{3}](https://trac.example/roof/report/3) [wiki:Roof](https://trac.example/roof/wiki/Roof) "
        "[roof](https://trac.example/roof/wiki/A%20b) "
        "[milestone:1.0](https://trac.example/roof/milestone/1.0) "
        "[abcdef0123]"
    )


def test_files_and_pictures_are_those_of_the_ticket():
    names = Names({"a.png": "attachment:a.png"}.get)
    text = "[[Image(a.png)]] attachment:a.png [attachment:a.png it] [[Image(wiki:b.png)]] attachment:c.txt"
    assert markdown(text, Names(lambda name: names.file(name) or "", told=names.told)) == (
        "![a.png](attachment:a.png) [a.png](attachment:a.png) [it](attachment:a.png) [wiki:b.png] "
        "attachment:c.txt"
    )
    assert names.told == {"pictures": 1, "files": 1}


def test_macros_and_small_letters_stay_text_and_are_counted():
    names = Names()
    assert markdown("[[TOC(x, y)]] ^2^ ,,i,,", names) == "[[TOC(x, y)]] ^2^ ,,i,,"
    assert names.told == {"macros": 1, "small": 4}


def test_a_text_that_is_shown_as_written_stays_as_it_is():
    names = Names()
    text = "''x'' " * MAX_TEXT_LENGTH
    assert markdown(text, names) == text
    assert names.told == {"texts": 1}


@settings(deadline=None, max_examples=300)
@given(PIECES)
def test_any_text_is_safe_and_loses_no_word(pieces):
    text = "".join(pieces)
    page = Shown(render(markdown(text), None))
    assert set(page.tags) <= SAFE
    assert not any((each or "").lower().lstrip().startswith("javascript") for each in page.addresses)
    # Processors and anchors have words that nobody sees, and addresses may be there twice.
    if "#!" not in text and "[=#" not in text:
        assert Counter(re.findall(r"w\d+w", text)) <= Counter(re.findall(r"w\d+w", page.text))


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=200))
def test_nothing_fails(text):
    render(markdown(text, Names(address="https://trac.example")), None)


HOSTILE = [
    "'''a ",
    "'",
    "''",
    "'''''",
    "**",
    "//a",
    "__",
    "[",
    "[[",
    "[[a",
    "[a:",
    "{{{",
    "{{{a",
    "{{{\n",
    "}}}\n",
]
HOSTILE += [
    "`",
    "ticket:",
    "ticket:!",
    "<ticket:",
    " * a\n",
    " 1. a\n",
    "||",
    "||a",
    "||a\n",
    "||\\\n",
    ">",
    "> a\n",
]
HOSTILE += [
    " a::\n",
    "a::",
    " `:",
    "=",
    "= a =",
    "r1 ",
    "!",
    "!AaBb",
    "~~",
    "^",
    "{{{#!div\n",
    "{{{#!td\n",
    "\\\\ ",
]
HOSTILE += [
    "http://a)",
    'changeset:"',
    "[=#a ",
    "|-",
    "{{{#!html\n<b>",
    "{{{x}}}",
    "{{{\n}}}\n",
    ">\n",
    "#1",
    "\t",
    "x\n",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_twice_the_text_takes_twice_the_steps(piece):
    half, whole = (steps(markdown, piece * count) for count in (500, 1000))
    assert whole <= 2 * half + 200
