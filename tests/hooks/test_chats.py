"""Messages for chats are one line with a link."""

import pytest

from skerry.hooks import chats
from skerry.wire import json

URL = "https://tracker.example/projects/1/tickets/2"


def linked(form, label):
    return f"<{URL}|{label}>" if form == "slack" else f"[{label}]({URL})"


def said(form, title, name="Ada", versions=(), **changes):
    event = {
        "type": "ticket.updated",
        "subject_id": 2,
        "subject_kind": "ticket",
        "user_name": name,
        "changes": changes,
        "url": URL,
        "version": 2,
    }
    sent = json.decode(
        chats.written(
            form, json.encode({"event": event, "ticket": {"title": title, "versions": [*versions]}})
        )
    )
    return sent["text" if form == "slack" else "content"]


@pytest.mark.parametrize("form", ["slack", "discord"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\u2028", "\u2029", "\x85", "\x0b", "\x0c"])
def test_a_title_of_two_lines_does_not_add_a_line(form, end):
    text = said(form, f"Rain{end}Ben: ticket deleted", f"A{end}da", state=[f"new{end}", "open"])
    link = linked(form, "#2 Rain Ben: ticket deleted")
    assert text == f"A da: ticket updated {link} (state: new → open)"


@pytest.mark.parametrize(("form", "special", "escape"), [("slack", "&", "&amp;"), ("discord", "*", "\\*")])
@pytest.mark.parametrize("before", range(7))
def test_a_long_message_is_cut_between_characters_and_keeps_its_link(form, special, escape, before):
    text = said(form, "x" * before, tag=["y" * before, special * 3000])
    assert len(text) <= 2000
    assert linked(form, f"#2 {'x' * before}".strip()) in text
    assert text.endswith(f"{escape}…")
    assert text.rpartition("→ ")[2][:-1].replace(escape, "") == ""


def test_a_message_of_emoji_is_within_the_limit_however_they_are_counted():
    text = said("discord", "👩‍💻" * 255, tag=["👩" * 2000, "b"])
    assert len(text.encode("utf-16-le")) // 2 <= 2000
    assert text.endswith("…")
    assert f"…]({URL})" in text


@pytest.mark.parametrize("form", ["slack", "discord"])
def test_a_comment_is_quoted_without_its_markup(form):
    versions = [
        {"version": 1, "body_html": "<p>Rain</p>"},
        {"version": 2, "body_html": "<p>It <b>drips</b> &lt;here</p>"},
    ]
    text = said(form, "Leak", versions=versions, body=None)
    assert text.endswith(": It drips &lt;here" if form == "slack" else ": It drips <here")


def test_markup_in_a_title_does_not_become_a_link():
    assert linked("discord", r"#2 x\]\(https://evil.example\)") in said("discord", "x](https://evil.example)")
    assert linked("slack", "#2 x&gt;&lt;https://evil.example|y&gt;") in said(
        "slack", "x><https://evil.example|y>"
    )
