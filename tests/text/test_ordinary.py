import re

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import block, inline, normalize

from skerry.text import markdown
from skerry.text.markdown import render
from tests.text.injections import INJECTIONS

LINES = ["- ", "* ", "1. ", "2. ", "10) ", "> ", "# ", "  ", "    ", "\n", "\n\n", "  \n", " \n\t"]
LINES += ["---\n", "|-\n"]
SPANS = ["*a b*", "**a**", "`a`", "` a `", "``a``", "a_b", "_a_", "#12", "[abc]", "me@a.example"]
SPANS += ["http://a.example", "https://a.example/b_c?d=%41&e#f", "http://a.example/%zz", "www.a.example"]
SPANS += ['"a":http://b.example/']
JOINTS = ["a", "b ", " ", ".", "(", ")", "*", "_", "`", "\\", "&amp;", "<b>", "[", "](", "!", "~~", "|"]
JOINTS += ["é", "\u00a0"]


def slow_parser(html: bool) -> MarkdownIt:
    """Give a parser that has none of the short ways."""
    parser = markdown._parser(html=html).disable(["ordinary_paragraph", "short_list"])
    for name, rule in {"normalize": normalize, "block": block, "inline": inline}.items():
        parser.core.ruler.at(name, rule)
    parser.inline.terminator_re = ParserInline().terminator_re
    parser.renderer = RendererHTML(parser)
    parser.add_render_rule("fence", markdown._fence)
    return parser


WITH_HTML, WITHOUT_HTML = slow_parser(True), slow_parser(False)


def rendered_by_all_rules(text: str) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(markdown, "_PLAIN", WITH_HTML)
        patch.setattr(markdown, "_WITH_HTML", WITH_HTML)
        patch.setattr(markdown, "_WITHOUT_HTML", WITHOUT_HTML)
        return render(text, 1, lambda _: True)


@settings(deadline=None, max_examples=400)
@given(
    st.text(alphabet="ab1 #(`):'\"=*_/.w-+!\n\t\r\x00", max_size=80)
    | st.text(alphabet="ab1 *_`\n-.[]()<>&\\~|:@", max_size=60)
    | st.lists(st.sampled_from([*LINES, *SPANS, *JOINTS]), max_size=12).map("".join)
    | st.lists(st.sampled_from([*INJECTIONS, *LINES, *SPANS]), max_size=4).map("".join)
)
@example("a\n\nb\r\nc \n  d\n\n")
@example("- a\n- b\n\nc")
@example("- a\n- b\n\n  c")
@example("- a\n- b\n\n- c")
@example("- a\n+ b\nc")
@example("  3. a\n  4. `b`\n")
@example("a\n1. b\n2. c\n- d\n---\n")
@example("a | b\n:- | -:\nc | d")
@example("> a\nb\n    c\n# d")
@example("*ttp://a.example/ `ttp://a.example/ h*ttp://a.example/")
@example("` \t ` a`b`_c_ x_y_z __x_y__ *a http://b.example c* *see #12*\n#13")
def test_the_short_ways_lead_to_what_all_rules_give(text: str) -> None:
    # With all rules, a low line cuts what is in quotation marks in two, and no link comes of it.
    assume(not re.search(r'_[^"]*":', text))
    assert render(text, 1, lambda _: True) == rendered_by_all_rules(text)


def test_what_is_linked_may_have_low_lines_in_its_words() -> None:
    html = render('"a_b":http://c.example/', 1)
    assert html == '<div><p><a href="http://c.example/" rel="nofollow noopener">a_b</a></p></div>'


def test_a_text_without_rare_signs_needs_no_rule_of_the_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = "<div><p>a <em>b</em></p>\n<ul>\n<li><code>c</code></li>\n</ul></div>"
    monkeypatch.setattr(ParserInline, "parse", None)
    assert render("a *b*\n\n- `c`", 1) == expected
