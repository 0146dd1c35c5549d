"""Pages of messages."""

import pytest

from skerry.store import messages as store


@pytest.fixture
def message(ben, harbour):
    """A message in the public project, with its address."""
    item = ben.post(
        f"/projects/{harbour}/messages", {"message": {"title": "Hello", "body": "We *begin*."}}
    ).item
    return f"/projects/{harbour}/messages/{item['id']}"


def test_a_message_is_posted(surfing, ben, roof):
    messages = f"/projects/{roof}/messages"
    web = surfing(ben)
    assert f"{messages}/new" in web.get(messages).links
    page = web.get(f"{messages}/new")
    page = web.submit(page, messages, **{"message[title]": "Hello", "message[body]": "We *begin*."})
    assert page.path == f"{messages}/{ben.get(messages).items[0]['id']}"
    assert "<em>begin</em>" in page.source
    assert "Hello We begin. B Ben" in web.get(messages).text


def test_a_message_without_a_title_is_shown_again(surfing, ben, roof):
    messages = f"/projects/{roof}/messages"
    web = surfing(ben)
    page = web.submit(web.get(f"{messages}/new"), messages, **{"message[body]": "Kept <b>"})
    assert page.status == 422
    assert ("message[body]", "Kept <b>") in page.form(messages).fields


def test_a_stranger_comments_on_a_public_message_and_can_do_no_more(surfing, cy, message):
    web = surfing(cy)
    page = web.submit(web.get(message), f"{message}/comments", **{"comment[body]": "Ahoy"})
    (comment,) = cy.get(message).item["comments"]
    assert page.path == f"{message.rpartition('/')[0]}/{comment['id']}"
    assert "1 comment" in page.text
    assert "Ahoy" in page.text
    assert not [link for link in page.links if link.endswith(("/edit", "/delete"))]
    for action in ("edit", "delete"):
        assert web.get(f"{message}/{action}").status == 403


def test_messages_and_comments_show_the_pictures_of_their_authors_and_of_their_texts(surfing, ben, message):
    drawn = "![stairs](/attachments/1/stairs.png)"
    ben.post(f"{message}/comments", {"comment": {"body": drawn}})
    page = surfing(ben).get(message)
    assert '<img src="/attachments/1/stairs.png" alt="stairs"' in page.source
    main = page.source.partition('<main id="main"')[2]
    assert main.count('<svg class="avatar') == 2
    posts = surfing(ben).get(message.rpartition("/")[0]).source.partition('class="posts"')[2]
    assert posts.count('<svg class="avatar') == 1


def test_an_empty_comment_is_refused_and_the_message_shown_again(surfing, ben, message):
    web = surfing(ben)
    page = web.submit(web.get(message), f"{message}/comments", **{"comment[body]": " "})
    assert page.status == 422
    assert "Body can't be blank" in page.text
    assert "We begin." in page.text


def test_nobody_is_asked_to_sign_in_before_he_comments(surfing, message):
    page = surfing().get(message)
    assert "Sign in to comment" in page.text
    assert "Your comment" not in page.text


def test_a_message_and_a_comment_are_changed_and_lead_back(surfing, ben, message):
    comment = ben.post(f"{message}/comments", {"comment": {"body": "Ahoy"}}).item["id"]
    at_comment = f"{message.rpartition('/')[0]}/{comment}"
    web = surfing(ben)
    page = web.submit(web.get(f"{message}/edit"), message, **{"message[title]": "Good day"})
    assert page.path == message
    page = web.submit(web.get(f"{at_comment}/edit"), at_comment, **{"message[body]": "Ahoy there"})
    assert page.path == at_comment
    assert "Good day" in page.text
    assert "Ahoy there" in page.text


def test_the_address_of_a_comment_shows_the_message_that_it_is_on(surfing, ben, message):
    comment = ben.post(f"{message}/comments", {"comment": {"body": "Ahoy"}}).item["id"]
    page = surfing(ben).get(f"{message.rpartition('/')[0]}/{comment}")
    assert "We begin." in page.text
    assert page.form(f"{message}/comments")


def test_a_concurrent_change_of_a_message_is_shown_before_it_is_overwritten(surfing, ada, ben, message):
    web = surfing(ben)
    page = web.get(f"{message}/edit")
    ada.put(message, {"message": {"body": "Ada's words"}})
    page = web.submit(page, message, **{"message[body]": "Ben's words"})
    assert page.status == 412
    assert "Ada's words" in page.text
    web.submit(page, message)
    assert ben.get(message).item["body"] == "Ben's words"


def test_a_comment_on_a_message_does_not_stop_its_change(surfing, cy, ben, message):
    web = surfing(ben)
    page = web.get(f"{message}/edit")
    cy.post(f"{message}/comments", {"comment": {"body": "Ahoy"}})
    assert web.submit(page, message, **{"message[body]": "Changed"}).path == message


def test_a_comment_and_a_message_are_deleted_only_after_a_question(surfing, ben, harbour, message):
    comment = ben.post(f"{message}/comments", {"comment": {"body": "Ahoy"}}).item["id"]
    messages = f"/projects/{harbour}/messages"
    web = surfing(ben)
    page = web.submit(web.get(f"{messages}/{comment}/delete"), f"{messages}/{comment}")
    assert page.path == message
    assert "Ahoy" not in page.text
    page = web.submit(web.get(f"{message}/delete"), message)
    assert page.path == messages
    assert ben.get(message).status == 404


def test_an_archived_project_takes_no_comments(surfing, ada, ben, harbour, message):
    ada.put(f"/projects/{harbour}", {"project": {"archived": True}})
    page = surfing(ben).get(message)
    assert page.status == 200
    assert "Your comment" not in page.text


def test_each_message_of_the_list_has_its_own_last_comment_or_none(surfing, ben, cy, harbour, message):
    messages = f"/projects/{harbour}/messages"
    other, _ = (ben.post(messages, {"message": {"title": title}}).item["id"] for title in ("Calm", "Quiet"))
    for who, number in ((ben, other), (cy, message.rpartition("/")[2]), (ben, other)):
        assert who.post(f"{messages}/{number}/comments", {"comment": {"body": "Ahoy"}}).status == 201
    text = surfing(ben).get(messages).text
    assert "2 comments, the last by Ben" in text
    assert "1 comment, the last by Cy" in text
    assert text.count("the last by") == 2


def test_the_list_says_who_commented_last(surfing, ben, cy, harbour, message):
    for who in (ben, cy):
        comment = who.post(f"{message}/comments", {"comment": {"body": "Ahoy"}}).item["id"]
    page = surfing(cy).get(f"/projects/{harbour}/messages")
    assert "2 comments, the last by Cy" in page.text
    assert f"/projects/{harbour}/messages/{comment}#comment-{comment}" in page.links


@pytest.fixture
def said(world, ben, harbour, message):
    """The ids of 120 comments on the message, that say 'Said 000.' to 'Said 119.'"""
    parent = int(message.rpartition("/")[2])
    with world.write() as transaction:
        return [
            store.add_comment(
                transaction, harbour, parent, user_id=ben.user_id, body=text, body_html=f"<p>{text}</p>"
            )
            for text in (f"Said {n:03}." for n in range(120))
        ]


def test_a_long_conversation_comes_in_pages(surfing, ben, message, said):
    web = surfing(ben)
    page = web.get(message)
    assert "120 comments" in page.text
    assert [text in page.text for text in ("Said 000.", "Said 049.", "Said 050.")] == [True, True, False]
    page = web.get(next(href for href, text in page.reading.links if text == "Next"))
    assert (page.path, "Said 050." in page.text) == (f"{message}?page=2", True)
    page = web.get(f"{message}?page=99")
    assert [text in page.text for text in ("We begin.", "Said 099.", "Said 100.")] == [True, False, True]
    assert len(ben.get(message).item["comments"]) == 120


def test_a_comment_on_a_later_page_is_found_by_its_own_address(surfing, ben, harbour, message, said):
    web, at = surfing(ben), f"/projects/{harbour}/messages/"
    for place, number, shown in ((49, 1, "Said 049."), (50, 2, "Said 050."), (119, 3, "Said 119.")):
        page = web.get(f"{at}{said[place]}")
        assert (f"Page {number} of 3" in page.text, shown in page.text) == (True, True)
        assert f'id="comment-{said[place]}"' in page.source
    last = f"{at}{said[119]}#comment-{said[119]}"
    for listed in (at.rstrip("/"), "/activity", "/"):
        assert last in web.get(listed).links
    assert f"{at}{said[70]}#comment-{said[70]}" in web.get(f"{at}{said[70]}/edit").links


def test_a_form_on_a_later_page_of_a_conversation_returns_to_it(surfing, ben, harbour, message, said):
    web, at = surfing(ben), f"/projects/{harbour}/messages"
    page = web.get(f"{message}?page=2")
    page = web.submit(page, f"{message}/comments", **{"comment[body]": " "})
    assert (page.status, "Said 050." in page.text) == (422, True)
    page = web.submit(page, f"{message}/comments", **{"comment[body]": "At last"})
    assert ("Page 3 of 3" in page.text, "At last" in page.text) == (True, True)
    page = web.submit(web.get(f"{at}/{said[60]}/delete"), f"{at}/{said[60]}", "delete")
    assert page.path == f"{message}?page=2"
    assert ("Said 060." in page.text, "Said 100." in page.text) == (False, True)
