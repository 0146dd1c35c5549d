"""Absolute links in texts that are read outside the site."""

import pytest

from skerry.text.markdown import render
from skerry.text.rendered_html import absolute

PAGE = "https://tracker.example/projects/1/messages/5"


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("#1", 'href="https://tracker.example/projects/1/tickets/1"'),
        ("![p](/attachments/1/p.png)", 'src="https://tracker.example/attachments/1/p.png"'),
        ("[x](/a?b=1&c=2)", 'href="https://tracker.example/a?b=1&amp;c=2"'),
        ("[x](6)", 'href="https://tracker.example/projects/1/messages/6"'),
        ("[x](//other.example/y)", 'href="https://other.example/y"'),
        ("[x](https://other.example/y)", 'href="https://other.example/y"'),
        ("<ada@example.org>", 'href="mailto:ada@example.org"'),
    ],
)
def test_a_link_is_absolute(text, link):
    assert link in absolute(render(text, 1), PAGE)


@pytest.mark.parametrize(
    "text", ['`href="/x"`', 'a href="/x" b', "1 < 2", '![ href="/x" ](https://a.example/p)']
)
def test_text_that_is_not_a_link_stays(text):
    html = render(text, 1)
    assert absolute(html, PAGE) == html
