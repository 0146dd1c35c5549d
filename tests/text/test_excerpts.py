"""Excerpts are words: no tags, no marks, and nothing of what was cut off."""

import pytest

from skerry.text.excerpts import excerpt
from skerry.text.markdown import render


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


def test_it_is_as_long_as_it_may_be():
    assert excerpt("<p>" + "word " * 100 + "</p>", 14) == "word word word"


@pytest.mark.parametrize("length", range(70))
def test_a_text_cut_off_anywhere_shows_no_half_tag(length):
    html = '<p>See <a href="/tickets/1" title="x>y">Q&amp;A</a> &#39;now&#39;<br>'
    assert "See Q&A 'now'".startswith(excerpt(html[:length], 200).rstrip("'"))
