"""Redmine's Markdown keeps its form, and its references lead here."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skerry.text.markup.redmine import markdown, signs
from skerry.text.markup.redmine_links import Names
from tests.text.markup.test_textile import MARKS, names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n\n* **b** _c_ <u>d</u>\n", "# A\n\n* **b** _c_ <u>d</u>\n"),
        ("#12-3 and ##4 @ada", "#12, note 3 and #4 @3"),
        ("`#12-3` ``a ` #1-2``", "`#12-3` ``a ` #1-2``"),
        ("```\n#12-3\n```\n#12-3", "```\n#12-3\n```\n#12, note 3"),
        ("> ~~~\n> #1-2\n> ~~~", "> ~~~\n> #1-2\n> ~~~"),
        (
            "[a](http://x.example/#1-2) http://x.example/#1-2",
            "[a](http://x.example/#1-2) http://x.example/#1-2",
        ),
        (
            "![](a.png) ![alt](a.png) ![](b.png)",
            "![a.png](attachment:a.png) ![alt](attachment:a.png) ![](b.png)",
        ),
        ("{{toc}} r12", "{{toc}} r12"),
    ],
)
def test_only_references_change(text, expected):
    assert markdown(text, names()) == expected


def test_differences_are_counted():
    known = Names()
    markdown("{{toc}} r12 ![](b.png) attachment:c #5-6", known)
    assert dict(+known.told) == {"macros": 1, "words": 1, "pictures": 1, "files": 1, "notes": 1}


@pytest.mark.parametrize(
    ("text", "is_textile"),
    [
        ("h1. A\n\n@code@ and <pre>x</pre>", True),
        ('* a\n** b\n"x":http://x.example', True),
        ("# Title\n\n```\ncode\n```\n[a](http://x.example)", False),
        ("1. a\n2. b\n\n`x` **y**", False),
    ],
)
def test_the_signs_tell_the_markup(text, is_textile):
    found = signs(text)
    assert (found.textile > found.markdown) == is_textile


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([*MARKS, "```\n", "~~~", "![](", "](", "a"]), max_size=40).map("".join))
def test_no_text_is_refused(text):
    assert isinstance(markdown(text, names()), str)
    signs(text)
