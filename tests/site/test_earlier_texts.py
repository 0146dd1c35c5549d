"""The mark of an edited text on pages, and the page of its earlier texts."""

import pytest


@pytest.fixture
def comment(ada, ben, harbour):
    """A comment of Ada's that Ben has edited, in the public project."""
    tickets = f"/projects/{harbour}/tickets"
    ada.post(tickets, {"ticket": {"title": "Leak", "body": "It drips"}})
    ada.post(f"{tickets}/1/versions", {"version": {"body": "Since <May>"}})
    ben.put(f"{tickets}/1/versions/2", {"version": {"body": "Since June"}})
    return f"{tickets}/1/versions/2"


def test_an_edited_comment_says_who_edited_it_and_links_to_what_it_said(surfing, cy, comment):
    web = surfing(cy)
    page = web.get(comment.partition("/versions")[0])
    assert "edited by Ben" in page.text
    assert page.text.count("edited by") == 1
    assert f"{comment}/texts" in page.links
    texts = web.get(f"{comment}/texts")
    assert "Since <May>" in texts.text
    assert "Since &lt;May&gt;" in texts.source
    assert f"{comment}/texts/1" not in texts.source.replace("/texts/1.json", "")


def test_a_member_deletes_an_earlier_text(surfing, ben, comment):
    web = surfing(ben)
    page = web.submit(web.get(f"{comment}/texts"), f"{comment}/texts/1")
    assert page.path == f"{comment}/texts"
    assert "There is no earlier text." in page.text


def test_an_edited_message_says_who_edited_it(surfing, ada, ben, harbour):
    item = ada.post(
        f"/projects/{harbour}/messages", {"message": {"title": "Hello", "body": "We begin."}}
    ).item
    message = f"/projects/{harbour}/messages/{item['id']}"
    ben.put(message, {"message": {"body": "We wait."}})
    web = surfing(ada)
    assert "edited by Ben" in web.get(message).text
    page = web.submit(web.get(f"{message}/texts"), f"{message}/texts/1")
    assert "There is no earlier text." in page.text
