"""Text that is not markup is shown as written."""

import re
from html.parser import HTMLParser
from itertools import count
from urllib.parse import unquote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from skerry.text.markdown import render

LINES = [
    "\n",
    "\n\n",
    "\n    ",
    "\n\n    ",
    "\n- ",
    "\n  ",
    "\n1. ",
    "\n> ",
    "\n# ",
    "\n```",
    "\n@@@ ",
    "\n===\n",
]
LINES += ["\n---\n", "\n|-|-|\n", "\n| ", " | ", " |\n", "  \n"]
MARKS = [
    " ",
    " *",
    "* ",
    "**",
    "`",
    "``",
    " @",
    "@ ",
    "_",
    "~~",
    "[",
    "](",
    ")",
    "]",
    "]: ",
    "![",
    '"',
    '":',
    "\\",
]
MARKS += [
    "http://",
    "https://a.example/",
    "www.",
    "#",
    "#<",
    "::",
    ":0x1f>",
    "<<",
    "<",
    ">",
    "</",
    "/>",
    "&",
    ";",
]
TAGS = [
    "<b>",
    "</b>",
    "<i>",
    "</i>",
    "<code>",
    "</code>",
    "<code ",
    "<a href=",
    "</a>",
    "<pre>",
    "</pre>",
    "<s>",
]
TAGS += [
    "<p>",
    "</p>",
    "<div>",
    "</div>",
    "\n<div>\n",
    "\n</div>\n",
    "<table>",
    "<tr><td>",
    "</table>",
    "<li>",
]
TAGS += [
    "<br>",
    "<hr>",
    "<script>",
    "</script>",
    "<style>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?",
    "?>",
    "<!A ",
]
TAGS += [
    "<title>",
    "<textarea>",
    "<svg>",
    "<font>",
    "<String>",
    "<Foo::Bar",
    "\n<b>\n",
    "\n<pre>\n",
    "\n<ul>\n",
]
WORD = ""
"""Each place of it gets a word of its own."""


class Shown(HTMLParser):
    """What a page shows, and what the links and pictures on it lead to."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self.feed(html)
        self.close()
        self.text = "".join(self.pieces)

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.pieces += [f" {unquote(value or '')} " for _, value in attrs]

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)


@given(st.lists(st.sampled_from([WORD] * 40 + LINES + MARKS + TAGS), max_size=24))
@settings(deadline=None, max_examples=600)
@example(["<code ", WORD, ">\n", WORD, "(<<", WORD, ")\n", WORD, "\n\n", WORD])
@example([WORD, " | ", WORD, "\n|-|-|\n", WORD, " | ", WORD, " | ", WORD])
@example(["[", WORD, "]: ", WORD, "\n\n[", WORD, "](", WORD, ":", WORD, ")"])
@example(["<div>", WORD, "\n", WORD, "<", WORD, "\n", WORD, "</div> <table>", WORD])
@example(["```", WORD, " ", WORD, "\n", WORD, "\n```\n", WORD])
@example(["```", WORD, "\n", WORD, "\n```\n", WORD])
def test_every_word_of_a_text_is_shown(pieces: list[str]) -> None:
    numbers = count()
    words = [f"w{next(numbers)}x" if piece == WORD else piece for piece in pieces]
    text = "".join(words)
    shown = Shown(render(text, 3, lambda _: True)).text
    lost = [word for word in re.findall(r"w[0-9]+x", text) if word not in shown]
    assert not lost, render(text, 3)


@pytest.mark.parametrize(
    "text",
    [
        "#<Foo::Bar:0x1f>",
        "List<String> and Set<S>",
        "<b>left open",
        "closed only</b>",
        "<code ruby>",
        "new(<<EOM)",
        "<font color=red>x</font>",
        "<script>alert(1)</script>",
        "<!-- a remark -->",
        "<td>a cell of no table</td>",
        "[x](javascript:alert)",
        '<a href="app:start">x</a>',
        "<app:start>",
        "http://a.example|b",
        "</br>",
    ],
)
def test_unknown_markup_is_shown_as_written(text: str) -> None:
    html = render(text, 3)
    assert Shown(html).text == text
    assert html.startswith("<div><p>")
    assert html.count("<") == 4


def test_text_after_an_unknown_or_open_tag_is_not_part_of_it() -> None:
    html = render("<code ruby>\nnew(<<EOM)\nEOM\n\n*after*\n\n<b>open\n\nlast", 3)
    first = "&lt;code ruby&gt;<br>\nnew(&lt;&lt;EOM)<br>\nEOM"
    assert html == f"<div><p>{first}</p>\n<p><em>after</em></p>\n<p>&lt;b&gt;open</p>\n<p>last</p></div>"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a <B>b</b> <i><u>c</u></i>", "<p>a <b>b</b> <i><u>c</u></i></p>"),
        ("a<br/>b<br>\nc", "<p>a<br>b<br>\nc</p>"),
        ('<a href="/x">*y*</a>', '<p><a href="/x" rel="nofollow noopener"><em>y</em></a></p>'),
        ("*a <b> c* d</b>", "<p><em>a &lt;b&gt; c</em> d&lt;/b&gt;</p>"),
        ("<pre>\na < b && c\n\n*d*</pre>", "<pre>a &lt; b &amp;&amp; c\n\n*d*</pre>"),
        ("<pre>a&copy=2 &lt;</pre>", "<pre>a&amp;copy=2 &lt;</pre>"),
        ("<div>\n\n*a*\n\n</div>", "<div>\n<p><em>a</em></p>\n</div>"),
        ("<ul><li>a<li>b</ul>", "<ul><li>a</li><li>b</li></ul>"),
        (
            "<table><tr><td>a<td>b</table>",
            "<table><tbody><tr><td>a</td><td>b</td></tr></tbody></table>",
        ),
    ],
)
def test_known_tags_work(text: str, html: str) -> None:
    assert render(text, 3) == f"<div>{html}</div>"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a\nb  \nc", "<p>a<br>\nb<br>\nc</p>"),
        ("- a\n  b", "<ul>\n<li>a<br>\nb</li>\n</ul>"),
        ("> a\nb", "<blockquote>\n<p>a<br>\nb</p>\n</blockquote>"),
        ("a\r\nb\rc", "<p>a<br>\nb<br>\nc</p>"),
    ],
)
def test_single_line_ends_are_kept(text: str, html: str) -> None:
    assert render(text, 3) == f"<div>{html}</div>"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a:\n    *b*\n\tc\nd", "<p>a:</p>\n<pre><code>*b*\nc\n</code></pre>\n<p>d</p>"),
        ("> a\n>     b", "<blockquote>\n<p>a</p>\n<pre><code>b\n</code></pre>\n</blockquote>"),
        ("- a\n      b\n      c\n- d", "<ul>\n<li>a<br>\nb<br>\nc</li>\n<li>d</li>\n</ul>"),
        ("a\n2. b\n     c\n     d", "<p>a<br>\n2. b<br>\nc<br>\nd</p>"),
        ("- a\n    - b", "<ul>\n<li>a\n<ul>\n<li>b</li>\n</ul>\n</li>\n</ul>"),
        ("a\n    b\n---\nc", "<p>a</p>\n<pre><code>b\n</code></pre>\n<hr>\n<p>c</p>"),
        ("a\nb\n---\nc", "<h2>a<br>\nb</h2>\n<p>c</p>"),
    ],
)
def test_indented_lines_below_a_line_of_text_are_code_outside_of_lists(text: str, html: str) -> None:
    assert render(text, 3) == f"<div>{html}</div>"


def test_the_address_of_a_link_is_shown_only_where_no_link_has_it() -> None:
    link = '<a href="http://a.example/" rel="nofollow noopener">{}</a>'
    assert render("[a]\n\n[a]: http://a.example/", 3) == f"<div><p>{link.format('a')}</p></div>"
    shown = f'<div><p>[a]: {link.format("http://a.example/")} "t"</p></div>'
    assert render('[a]: http://a.example/ "t"', 3) == shown
    assert render("[ERROR]: failed", 3) == "<div><p>[ERROR]: failed</p></div>"


@pytest.mark.parametrize("line", ["[^1]: note", "[ERROR]: failed", "[main]: 10:30", "[a]:  a/b"])
def test_a_word_in_brackets_with_a_colon_is_shown_where_the_brackets_occur_again(line: str) -> None:
    word = line.partition(":")[0]
    assert render(f"see {word}\n\n{line}", 3) == f"<div><p>see {word}</p>\n<p>{line}</p></div>"


@pytest.mark.parametrize("address", ["http://a.example/", "/users/1", "#12", "<a b>", "\n  /x"])
def test_a_link_whose_address_follows_below_is_a_link(address: str) -> None:
    assert ">a</a></p></div>" in render(f"see [a]\n\n[a]: {address}", 3)


def test_a_link_without_a_label_shows_its_address() -> None:
    assert render("map[](x)", 3) == '<div><p>map<a href="x" rel="nofollow noopener">x</a></p></div>'
