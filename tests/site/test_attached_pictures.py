"""Pictures and files that texts name, as they stand on a ticket's page."""

import re

import pytest

from skerry.resources.tickets import Attachment
from skerry.web.site import pictures
from tests.support.forms import KIND, field, file, form

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000"
    "0500015e0df7760000000049454e44ae426082"
)
BODY = "Look: ![stairs](attachment:a%20b.png), [log](attachment:door.log), ![gone](attachment:x.png)"
SHOWN = '<img src="/attachments/7/stairs.png" width="2" height="3" alt="x">'
STAIRS = Attachment(id=7, filename="stairs.png", width=2, height=3)


def sent(client, at, body, *files):
    parts = (field("ticket[title]", "Leak"), field("ticket[body]", body), *(file(*each) for each in files))
    return client.send("PUT" if at[-1].isdigit() else "POST", at, raw=form(*parts), kind=KIND)


@pytest.mark.matrix("databases")
def test_a_picture_stands_in_the_text_and_not_again_below_it(surfing, ada, tickets):
    files = ((PNG, "a b.png", "image/png"), (b"shut", "door.log", "text/plain"))
    assert sent(ada, tickets, BODY, *files).status == 201
    page = surfing(ada).get(f"{tickets}/1")
    stored = ada.get(f"{tickets}/1").item
    address = {each["filename"]: each["url"].split("/", 3)[3] for each in stored["attachments"]}
    assert page.source.count(f'src="/{address["a_b.png"]}"') == 1
    assert f'<a href="/{address["door.log"]}" rel="nofollow noopener">log</a>, gone' in page.source
    assert page.source.count(f'href="/{address["door.log"]}" download') == 1
    assert 'src="attachment:a%20b.png"' in stored["body_html"]


def test_each_comment_shows_its_own_file_of_a_name(surfing, ada, tickets):
    assert sent(ada, tickets, "![one](attachment:a.png)", (PNG, "a.png", "image/png")).status == 201
    assert sent(ada, f"{tickets}/1", "![two](attachment:a.png)", (PNG, "a.png", "image/png")).status == 200
    source = surfing(ada).get(f"{tickets}/1").source
    shown = {
        alt: number for number, alt in re.findall(r'src="/attachments/(\d+)/a.png"[^>]* alt="(\w+)"', source)
    }
    assert shown == {"one": "1", "two": "2"}


def test_texts_without_files_show_the_words_alone(surfing, ada, roof):
    message = {"message": {"title": "Hi", "body": "![plan](attachment:x.png) and [log](attachment:y.log)"}}
    address = f"/projects/{roof}/messages/{ada.post(f'/projects/{roof}/messages', message).item['id']}"
    assert "attachment:" not in surfing(ada).get(address).source
    assert "plan and" in surfing(ada).get(address).text


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            '<img src="attachment:stairs.png" alt="x">',
            f'<a href="/attachments/7/stairs.png">{SHOWN}</a>',
        ),
        (
            '<a href="/x"><img src="attachment:stairs.png" alt="x"></a>',
            f'<a href="/x">{SHOWN}</a>',
        ),
        ('<img src="attachment:" alt="&lt;b&gt;">', "&lt;b&gt;"),
        ('<img src="attachment:%ff%00.png">', ""),
        ('<p> src="attachment:stairs.png"</p>', '<p> src="attachment:stairs.png"</p>'),
    ],
)
def test_only_tags_name_files_and_nothing_else_comes_in(html, expected):
    assert pictures.placed(html, [STAIRS]) == expected
