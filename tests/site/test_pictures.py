"""Pictures in texts: those of this tracker are shown, others become links."""

import pytest

from skerry.text.markdown import render
from skerry.web.site.pictures import named, with_headings_in_order

HERE = "https://here.example"


def shown(text):
    """Return what stands on a page for a text."""
    return named(render(text, 3), HERE).removeprefix("<div>").removesuffix("</div>")


def linked(source, name):
    """Return the link that stands where a picture stood."""
    return f'<a href="{source}" rel="nofollow noopener noreferrer">{name}</a>'


@pytest.mark.parametrize(
    ("text", "source", "name"),
    [
        ("![Plan](https://x.example/a.png?b=1&c=2)", "https://x.example/a.png?b=1&amp;c=2", "Plan"),
        ('![a "b" < c](//x.example/a.png "Title")', "//x.example/a.png", 'a "b" &lt; c'),
        ("![](http://x.example/a.png)", "http://x.example/a.png", "http://x.example/a.png"),
        ("![Plan](https://here.example.net/a.png)", "https://here.example.net/a.png", "Plan"),
        ('<img src="/\\x.example/a.png" alt=Plan>', "/\\x.example/a.png", "Plan"),
        ('<img src="/&#9;/x.example/a.png" alt=Plan>', "/\t/x.example/a.png", "Plan"),
        ('<img src="https://x.example/&quot;b" alt=Plan>', "https://x.example/&quot;b", "Plan"),
    ],
)
def test_the_name_of_a_picture_from_elsewhere_leads_to_it(text, source, name):
    assert shown(text).removeprefix("<p>").removesuffix("</p>") == linked(source, name)


@pytest.mark.parametrize("source", ["/attachments/1/a.png", "a.png", "../a.png", "/a:b.png", f"{HERE}/a.png"])
def test_a_picture_of_this_tracker_is_shown(source):
    assert shown(f"![Plan]({source})") == f'<p><img src="{source}" alt="Plan"></p>'


def test_inside_a_link_only_the_name_of_a_picture_is_shown():
    link = '<a href="https://y.example" rel="nofollow noopener">{}</a>'
    text = "[![Plan](https://x.example/a.png)](https://y.example) ![Plan](https://x.example/a.png)"
    assert shown(text) == f"<p>{link.format('Plan')} {linked('https://x.example/a.png', 'Plan')}</p>"


def test_a_file_that_is_not_a_picture_is_shown_by_name():
    assert shown("![Plan](data:image/png;base64,AAAA)") == "<p>Plan</p>"


def test_html_of_a_picture_inside_code_stays_text():
    text = '`<img src="https://x.example/a.png">`'
    assert shown(text) == '<p><code>&lt;img src="https://x.example/a.png"&gt;</code></p>'


def test_the_interface_gives_a_text_as_it_is_kept(surfing, ada, tickets):
    ada.post(tickets, {"ticket": {"title": "Leak", "body": "![Plan](https://x.example/a.png)"}})
    page = surfing(ada).get(f"{tickets}/1")
    assert linked("https://x.example/a.png", "Plan") in page.source
    assert "<img src=" not in page.source
    assert '<img src="https://x.example/a.png" alt="Plan">' in ada.get(f"{tickets}/1").item["body_html"]


@pytest.mark.parametrize(
    ("written", "shown"),
    [("1", "2"), ("6", "2"), ("1 3 3 2", "2 3 3 3"), ("3 1 6 1", "2 2 3 2"), ("1 2 3 4 5 6", "2 3 4 5 6 6")],
)
def test_headings_of_a_text_follow_that_of_the_page_without_gaps(written, shown):
    texts = ["".join(f"<h{level}>A</h{level}>" for level in levels.split()) for levels in (written, shown)]
    assert with_headings_in_order(texts[0]) == texts[1]
