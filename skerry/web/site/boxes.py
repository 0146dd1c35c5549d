"""Checkboxes of task lists: anybody who may change the text can tick them, with and without scripts."""

import re

# The form in which the HTML cleaner writes the renderer's checkboxes.
_BOX = re.compile(
    r'<input type="checkbox" value="(?P<number>[0-9]+)" aria-label="(?P<name>[^"]*)"(?P<done> checked="")?'
    r' disabled="">'
)


def has_any(html: str) -> bool:
    """Return whether the HTML of a text contains a checkbox."""
    return "<input " in html


def sending(html: str, form: str) -> str:
    """Return the HTML of a text with its checkboxes replaced by buttons that submit a form."""

    def button(box: re.Match[str]) -> str:
        does, state = ("untick", "true") if box["done"] else ("tick", "false")
        return (
            f'<button class="task" form="{form}" name="{does}" value="{box["number"]}" role="checkbox"'
            f' aria-checked="{state}" aria-label="{box["name"]}"></button>'
        )

    return _BOX.sub(button, html) if has_any(html) else html
