"""Texts shown before they are kept, over HTTP."""

import pytest


def preview(client, project, body):
    return client.post(f"/projects/{project}/preview", {"preview": {"body": body}})


@pytest.mark.matrix("both")
def test_a_text_is_shown_as_a_comment_would_be(ada, roof):
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak"}})
    text = "See #1, *now*"
    kept = ada.put(f"/projects/{roof}/tickets/1", {"ticket": {"body": text}})
    answer = preview(ada, roof, text)
    assert answer.status == 200
    version = ada.get(f"/projects/{roof}/tickets/1/versions/{kept.item['version']}").item
    assert answer.item == {"body": text, "body_html": version["body_html"]}


def test_nothing_dangerous_is_shown(ada, roof):
    assert "<script" not in preview(ada, roof, "<script>alert(1)</script>").item["body_html"]


def test_no_text_is_shown_as_nothing(ada, roof):
    assert preview(ada, roof, "").item["body_html"] == ""
