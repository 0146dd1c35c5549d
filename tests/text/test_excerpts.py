"""Excerpts of rendered texts: words without markup."""

import pytest

from skerry.text.markdown import render
from skerry.text.rendered_html import excerpt


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Rain *comes* in.\n\nOften, **very**.", "Rain comes in. Often, very."),
        ("<div><p>G1 (1.6)<br>not seen</p></div>", "G1 (1.6) not seen"),
        ("1. one\n2. two\n\n@@@ python\nx = 1 < 2\n@@@", "one two x = 1 < 2"),
        ("| a | b |\n|---|---|\n| c | d |", "a b c d"),
        ("un<em>break</em>able", "unbreakable"),
        ('[a > b](http://x.example "x > y")', "a > b"),
        ("Tom &amp; &lt;Jerry&gt;", "Tom & <Jerry>"),
        ("", ""),
    ],
)
def test_only_the_words_are_left(text, words):
    assert excerpt(render(text, 1), 200) == words


def test_an_excerpt_may_have_the_maximum_length():
    assert excerpt("<p>" + "word " * 100 + "</p>", 14) == "word word…"


@pytest.mark.parametrize(
    ("words", "cut"), [("one two", "one…"), ("abcdefgh", "abcde…"), ("one tw", "one tw")]
)
def test_words_that_are_left_out_are_marked(words, cut):
    assert excerpt(words, 6) == cut


@pytest.mark.parametrize("length", range(70))
def test_a_text_cut_off_anywhere_shows_no_half_tag(length):
    html = '<p>See <a href="/tickets/1" title="x>y">Q&amp;A</a> &#39;now&#39;<br>'
    assert "See Q&A 'now'".startswith(excerpt(html[:length], 200).rstrip("'"))
