import re
import time
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skerry.text.markdown import MAX_CANDIDATES, MAX_TEXT_LENGTH, changeset_candidates, render
from tests.text.injections import INJECTIONS

ALLOWED_TAGS = set(
    "a abbr address b blockquote br code del div em h1 h2 h3 h4 h5 h6 hr i img li ol p pre s span "  # noqa: SIM905
    "strong table tbody td th thead tr tt u ul".split()
)
ALLOWED_ATTRIBUTES = {"href", "title", "class", "src", "alt", "rel", "start"}
BOX = {"type", "value", "aria-label", "checked", "disabled"}
REL = ' rel="nofollow noopener"'


def scheme_of(address: str) -> str:
    """Return the scheme of an address as browsers find it, or none."""
    without = re.sub(r"[\t\r\n]", "", address).lstrip("".join(map(chr, range(33))))
    match = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", without)
    return match[1].lower() if match else ""


class Inspector(HTMLParser):
    """Fails on anything that a browser could run, and on tags that do not balance."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "input":
            # The box of a task, which nobody can press.
            assert dict(attrs)["type"] == "checkbox"
            assert {"type", "disabled"} <= set(dict(attrs)) <= BOX
            return
        assert tag in ALLOWED_TAGS
        assert {name for name, _ in attrs} <= ALLOWED_ATTRIBUTES
        for name, value in attrs:
            if name in {"href", "src"}:
                assert scheme_of(value or "") in {"", "http", "https", "mailto", "ftp"}
        if tag not in {"br", "hr", "img"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(decl)


def inspect(html: str) -> None:
    assert html.startswith("<div>")
    assert html.endswith("</div>")
    inspector = Inspector()
    inspector.feed(html)
    inspector.close()
    assert inspector.open == []
    html.encode()
    assert not any(character < " " and character not in "\t\n\r" for character in html)


@pytest.mark.parametrize("text", INJECTIONS)
def test_no_scripts_are_let_through(text: str) -> None:
    for variant in (text, f"see {text} there", f"- {text}", f"> {text}", f"*{text}*", f"[a {text}](b)"):
        inspect(render(variant, 3, lambda _: True))


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("*em* and __strong__", "<p><em>em</em> and <strong>strong</strong></p>"),
        ("time_zone_aware_attributes", "<p>time_zone_aware_attributes</p>"),
        ("~~gone~~", "<p><s>gone</s></p>"),
        ("one  \ntwo", "<p>one<br>\ntwo</p>"),
        ("> said", "<blockquote>\n<p>said</p>\n</blockquote>"),
        ("3. c\n4. d", '<ol start="3">\n<li>c</li>\n<li>d</li>\n</ol>'),
        ("    a < b", "<pre><code>a &lt; b\n</code></pre>"),
        ('<b class="x" id="y" style="z">q</b>', "<p><b>q</b></p>"),
        ('"quotes" -- dashes', '<p>"quotes" -- dashes</p>'),
        ("`code`, @code@ and me@@you", "<p><code>code</code>, <code>code</code> and me@@you</p>"),
        ("@user hello @other", "<p>@user hello @other</p>"),
        ("@@@\n<b> #12\n@@@", "<pre><code>&lt;b&gt; #12\n</code></pre>"),
        ("@@@ none\nx\n@@@", '<pre><code title="none">x\n</code></pre>'),
        ("@@@ ruby\nend\n@@@", '<pre><code class="ruby"><span class="k">end</span>\n</code></pre>'),
        ("``` ruby\nend\n```", '<pre><code class="ruby"><span class="k">end</span>\n</code></pre>'),
        ("text\n@@@\ncode\n@@@\ntext", "<p>text</p>\n<pre><code>code\n</code></pre>\n<p>text</p>"),
        ("   ", ""),
    ],
)
def test_markdown_becomes_html(text: str, html: str) -> None:
    assert render(text, 3) == f"<div>{html}</div>"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ('<p class="card">p</p>', "<p>p</p>"),
        ('<a href="/x" class="button primary">q</a>', f'<p><a href="/x"{REL}>q</a></p>'),
        ('<b class="k">q</b>', "<p><b>q</b></p>"),
        ('<span class="k badge">q</span>', '<p><span class="k">q</span></p>'),
        ('<code class="ruby problems">q</code>', '<p><code class="ruby">q</code></p>'),
        ("``` button\nx\n```", '<pre><code title="button">x\n</code></pre>'),
        ("@@@ problems\nx\n@@@", '<pre><code title="problems">x\n</code></pre>'),
    ],
)
def test_no_text_takes_on_a_class_but_those_of_coloured_code(text: str, html: str) -> None:
    assert render(text, 3) == f"<div>{html}</div>"


def test_the_empty_text_stays_empty() -> None:
    assert render("", 3) == ""


def ticket(number: int) -> str:
    return f'<a href="/projects/3/tickets/{number}" title="Ticket #{number}"{REL}>#{number}</a>'


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("#12", ticket(12)),
        ("see #12, #13.", f"see {ticket(12)}, {ticket(13)}."),
        ("[#12 state:resolved]", f"[{ticket(12)} state:resolved]"),
        ("one\n#12", f"one<br>\n{ticket(12)}"),
        ("(#12) \"#12\" '#12' x#12 #12x #0 ##12", "(#12) \"#12\" '#12' x#12 #12x #0 ##12"),
        ("`#12` and @ #12@", f"<code>#12</code> and @ {ticket(12)}@"),
        ("\\#12", "#12"),
        ("[see #12](/x)", f'<a href="/x"{REL}>see #12</a>'),
        ("<code>see #12</code>", "<code>see #12</code>"),
        ("*a*#12", "<em>a</em>#12"),
        ("#1234567890123456789", "#1234567890123456789"),
    ],
)
def test_a_number_sign_leads_to_a_ticket(text: str, html: str) -> None:
    assert render(text, 3) == f"<div><p>{html}</p></div>"


def test_a_known_revision_in_brackets_leads_to_its_changeset() -> None:
    html = render("[abc1234] [fff] x[abc1234] `[abc1234]` [abc1234](/x)", 3, {"abc1234"}.__contains__)
    link = f'<a href="/projects/3/changesets/abc1234" title="Changeset [abc1234]"{REL}>[abc1234]</a>'
    rest = f'[fff] x[abc1234] <code>[abc1234]</code> <a href="/x"{REL}>abc1234</a>'
    assert html == f"<div><p>{link} {rest}</p></div>"


def test_outside_a_project_neither_tickets_nor_changesets_are_linked() -> None:
    assert render("#12 [abc]", None, lambda _: True) == "<div><p>#12 [abc]</p></div>"


def test_the_candidates_are_the_words_in_brackets_up_to_a_limit() -> None:
    assert changeset_candidates("[abc] x[no] [two words] [BUG] [y](z) [#1]") == {"abc", "BUG"}
    assert changeset_candidates("[a" + "b" * 100 + "]") == frozenset()
    assert len(changeset_candidates("".join(f" [r{n}]" for n in range(2000)))) == MAX_CANDIDATES


@given(st.text(alphabet="[]ab #(`\\@\n*", max_size=60))
@settings(deadline=None)
def test_only_candidates_are_asked_about(text: str) -> None:
    asked: list[str] = []
    render(text, 3, lambda revision: bool(asked.append(revision)))  # type: ignore[func-returns-value]
    assert set(asked) <= changeset_candidates(text)


@pytest.mark.parametrize(
    ("text", "href", "label", "rest"),
    [
        ("http://a.example/x_y__z_.", "http://a.example/x_y__z", "http://a.example/x_y__z", "_."),
        (
            "https://a.example/?a[b]=1&c",
            "https://a.example/?a%5Bb%5D=1&amp;c",
            "https://a.example/?a[b]=1&amp;c",
            "",
        ),
        ("www.a.example/b, c", "http://www.a.example/b", "www.a.example/b", ", c"),
        ("me@a.example, you", "mailto:me@a.example", "me@a.example", ", you"),
        ('"the page":http://a.example/b, c', "http://a.example/b", "the page", ", c"),
        ("http://a.example/b_(c))", "http://a.example/b_(c)", "http://a.example/b_(c)", ")"),
        ("http://a.example/b。次", "http://a.example/b", "http://a.example/b", "。次"),
        ("http://a.example/b）", "http://a.example/b", "http://a.example/b", "）"),
        ("http://a.example/（b）、", "http://a.example/%EF%BC%88b%EF%BC%89", "http://a.example/（b）", "、"),
        ("http://a.example/b“", "http://a.example/b", "http://a.example/b", "“"),
        ("http://a.example/b’…", "http://a.example/b", "http://a.example/b", "’…"),
        ("http://a.example/b\u200b", "http://a.example/b", "http://a.example/b", "\u200b"),
        ("http://a.example/" + "x" * 53, "http://a.example/" + "x" * 53, "http://a.example/" + "x" * 53, ""),
        (
            "http://a.example/" + "x" * 54,
            "http://a.example/" + "x" * 54,
            "http://a.example/" + "x" * 50 + "...",
            "",
        ),
    ],
)
def test_addresses_become_links(text: str, href: str, label: str, rest: str) -> None:
    assert render(text, 3) == f'<div><p><a href="{href}"{REL}>{label}</a>{rest}</p></div>'


def test_an_address_in_italics_becomes_a_link() -> None:
    link = f'<a href="http://a.example/b"{REL}>http://a.example/b</a>'
    assert render("_http://a.example/b_", 3) == f"<div><p><em>{link}</em></p></div>"
    assert render("a_http://a.example/b", 3) == "<div><p>a_http://a.example/b</p></div>"


@pytest.mark.parametrize("text", ["git@host.example:a/b.git", "README.md", "a::b", "http://", "x"])
def test_text_that_only_looks_like_an_address_stays_text(text: str) -> None:
    assert render(text, 3) == f"<div><p>{text}</p></div>"


def test_a_link_inside_a_label_does_not_break_it() -> None:
    html = render("[http://a.example](http://b.example)", 3)
    assert html == f'<div><p><a href="http://b.example"{REL}>http://a.example</a></p></div>'


def test_a_text_that_is_too_long_or_too_deep_is_shown_as_written() -> None:
    assert render("*a* <b>" + "x" * MAX_TEXT_LENGTH, 3).startswith("<div><pre>*a* &lt;b&gt;x")
    assert render(">" * 30 + " *deep*", 3) == f"<div><pre>{'&gt;' * 30} *deep*</pre></div>"


def test_raw_html_that_could_multiply_is_shown_as_written() -> None:
    html = render("x " + "".join(f"<b title={n}>" for n in range(500)) + "\n\na" * 500, 3)
    assert "&lt;b title=0&gt;" in html
    assert len(html) < 50_000


HOSTILE = [
    "[",
    "![",
    "[a](",
    "[a][",
    "*a ",
    "a**b",
    "*[",
    "`",
    ">",
    "- ",
    "<",
    "<b>\n",
    "<ul><li>",
    "<b></i>",
    "<div>\n\n",
    '<a title="',
    "a\n    b\n",
    "a\n# b\n",
    "a|b\n-|-\n1|2|3\n",
    "[a]: b\n\n",
    "&",
    "\\",
    "|a",
]
HOSTILE += [
    "a\n\n",
    "http://",
    "http://a[",
    "://",
    '"a":',
    "www.",
    "a@",
    "a.",
    "@a ",
    "#1 ",
    "[a] ",
    "~~a",
    "    ",
    "\t",
    "- a\n+ a\n",
    "1. a\n",
    "a\n-\n\n",
    "*a* ",
    "*a b",
    "`a` ",
    "a\n`b",
    "http://a.example/.. ",
    "http://a.example/a.a",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_text_takes_bounded_time(piece: str) -> None:
    start = time.process_time()
    render((piece * MAX_TEXT_LENGTH)[: MAX_TEXT_LENGTH // 16], 3, lambda _: True)
    render((piece * MAX_TEXT_LENGTH)[: 1 << 20], 3, lambda _: True)
    assert time.process_time() - start < 8  # the slowest takes 1, and half a minute if it is read again


SLOWEST = ["![", "[a\n", "> a\n- b\n", "|-|\n[", "[ a_", "http://[]", "- a\n\n"]
MANY_CELLS = "|a" * 4000 + "\n" + "|-" * 4000 + "\n" + "a\n" * 4000


@pytest.mark.parametrize("text", [*((piece * MAX_TEXT_LENGTH)[:65_000] for piece in SLOWEST), MANY_CELLS])
def test_a_text_that_takes_the_parser_too_many_steps_is_shown_as_written(text: str) -> None:
    html = render(text, 3)
    assert unescape(html).removeprefix("<div><pre>").removesuffix("</pre></div>") == text


@pytest.mark.parametrize(
    "line",
    [
        "[2026-01-01 10:00:00] ERROR [main] a.b.C(D.java:7): no <a@b.example>, *z* _q_ http://x.example/7\n",
        "| a word | another | 1234 | x.example | 7 |\n",
        "1. See #12, **now**, at [the page](https://a.example/b?c=d), by `make it`.\n",
        "- [ ] `a_b` is [not](#x) \\*done\\*; ask @ben\n\n",
    ],
)
def test_an_ordinary_text_of_the_largest_size_is_rendered(line: str) -> None:
    head = "| a | b | c | d | e |\n|---|---|---|---|---|\n" if line.startswith("|") else ""
    text = head + line * ((MAX_TEXT_LENGTH - len(head)) // len(line))
    assert not render(text, 3).startswith("<div><pre>")


@pytest.mark.fuzz
@given(
    st.lists(
        st.sampled_from([*HOSTILE, *SLOWEST, "]", "(", "_", "~~", "\n", " ", '"', "]("]),
        min_size=1,
        max_size=4,
    )
)
@settings(deadline=None, max_examples=100)
def test_any_repeated_pieces_take_bounded_time(pieces: list[str]) -> None:
    start = time.process_time()
    render(("".join(pieces) * MAX_TEXT_LENGTH)[:MAX_TEXT_LENGTH], 3, lambda _: True, {"ben": 1})
    assert time.process_time() - start < 2  # the slowest takes 0.7


@given(st.text() | st.text(alphabet="[]()<>ab/ !\"':=#*_`@~|-\n\t&;.\\1w\x00\ud800\ufffe", max_size=80))
@settings(deadline=None, max_examples=150)
def test_any_text_becomes_safe_and_balanced_html(text: str) -> None:
    html = render(text, 3, lambda _: True)
    assert (html == "") == (text == "")
    if html:
        inspect(html)


@given(
    st.lists(
        st.sampled_from([*INJECTIONS, "@", "*", "`", "\n\n", "> ", "- ", "http://", "[", "]("]), max_size=6
    )
)
@settings(deadline=None, max_examples=80)
def test_mixed_injections_stay_harmless(pieces: list[str]) -> None:
    html = render("".join(pieces), 3, lambda _: True)
    if html:
        inspect(html)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a.rb:12:in `each'\nb.rb:13:in `call'", "a.rb:12:in `each'<br>\nb.rb:13:in `call'"),
        ("1: WorkPlan`op + 153\n2: UIKit`main + 36", "1: WorkPlan`op + 153<br>\n2: UIKit`main + 36"),
        ("see `a` and `b\nor `c`", "see <code>a</code> and `b<br>\nor <code>c</code>"),
        ("`\none\ntwo\n`", "<code>one two</code>"),
        ("``a\nb`` and `c`", "<code>a b</code> and <code>c</code>"),
        ("`a ``b\n`` c`", "`a <code>b </code> c`"),
    ],
)
def test_a_backtick_in_a_trace_does_not_begin_code(text: str, html: str) -> None:
    assert render(text, 1) == f"<div><p>{html}</p></div>"


WORDS = "Fixed it. x-y (ok) a: b:/c www.a.de - = 1. ! '".split()  # noqa: SIM905


@given(st.lists(st.sampled_from([*WORDS, '"', " ", "  ", "\n", "\n\n"]), max_size=12))
@settings(deadline=None)
def test_plain_words_are_the_same_with_and_without_markup_below(pieces: list[str]) -> None:
    text = f"A{''.join(pieces)}"
    assert render(f"{text}\n\n&", 3) == f"{render(text, 3).removesuffix('</div>')}\n<p>&amp;</p></div>"
