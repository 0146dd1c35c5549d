"""Fenced code has colours, up to a limit, that can be read in light and dark."""

import pytest

from skerry.text.highlighting import LANGUAGES, MAX_CODE, highlighted
from skerry.text.markdown import render


def test_code_is_coloured_only_so_far() -> None:
    html = render("```ruby\nend\n```\n\n" * 2 + "```ruby\n" + "end\n" * MAX_CODE + "```", 3)
    assert html.count("<span") == 2


@pytest.mark.parametrize("code", ["\n" * 3900, "a\n" * 1950, " a" * 1950, "_" * 3900, "a b " * 25 + "\n"])
@pytest.mark.parametrize("language", ["java", "c#", "c++", "make", "javascript"])
def test_code_that_takes_long_to_colour_is_shown_without_colours(language: str, code: str) -> None:
    html = render(f"```{language}\n{(code * 3900)[:3900]}\n```", 3)
    assert html.startswith(f'<div><pre><code class="{language}">')
    assert ("<span" in html) == (code.startswith("a b") and language not in ("java", "c#"))


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_language_offered_can_be_coloured(language: str) -> None:
    assert "x" in highlighted("x = 1\n", language)
