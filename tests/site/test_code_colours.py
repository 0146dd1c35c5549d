"""Highlighted code in texts is readable in the light and the dark theme."""

import re

import pytest

from skerry.text.highlighting import CLASSES
from skerry.text.markdown import render
from skerry.web.site import assets

CSS = assets.content(next(name for name in assets.names() if name.endswith(".css"))).decode()
COLOURS = dict(re.findall(r"(--[\w-]+): light-dark\((#\w{6}, #\w{6})\)", CSS))
RULES = {
    name: colour
    for names, colour in re.findall(r"\.prose code :is\(([^)]+)\) \{ color: var\((--\w+)\)", CSS)
    for name in re.findall(r"\.(\w+)", names)
}
# Other words, and what stands between words, are as dark as running text.
PLAIN = {"w", "x", "n", "nx", "o", "p", "pm", "g", "ge", "gs", "ges"}


def luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted([luminance(one), luminance(other)])
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("name", sorted({"--ink", *RULES.values()}))
def test_each_colour_of_code_has_enough_contrast(name: str, theme: int) -> None:
    colour, behind = (COLOURS[each].split(", ")[theme] for each in (name, "--side-bg"))
    assert contrast(colour, behind) >= 4.5


def test_every_class_of_coloured_code_has_a_colour() -> None:
    assert set(RULES) == CLASSES - PLAIN


def test_words_of_a_code_differ_in_colour() -> None:
    html = render("```python\n# why\ndef f(x): return len('a') + 1\n```", 3)
    found = {RULES[name] for name in re.findall(r'<span class="(\w+)">', html) if name in RULES}
    assert found == {"--comment", "--keyword", "--name", "--builtin", "--string", "--number"}
