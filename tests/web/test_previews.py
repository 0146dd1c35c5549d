"""Previews of texts over HTTP."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event, Semaphore

import pytest

from skerry.text import markdown
from tests.conftest import PASSWORD
from tests.support.client import basic
from tests.support.processes import PATIENCE


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


@pytest.mark.matrix("databases")
def test_a_stranger_who_previews_many_huge_texts_does_not_block_sign_ins(world, ada, cy, monkeypatch):
    yard = ada.post("/projects", {"project": {"name": "Yard", "public": True}}).item["id"]
    going, go_on, real = Semaphore(0), Event(), markdown.render

    def render(text, *rest):
        if text.startswith("Cy"):
            going.release()
            go_on.wait(PATIENCE)
        return real(text, *rest)

    monkeypatch.setattr(markdown, "render", render)
    with ThreadPoolExecutor(10) as pool:
        seen = [pool.submit(preview, cy, yard, "Cy" + "x" * 9000) for _ in range(9)]
        assert going.acquire(timeout=PATIENCE)
        # Somebody new, whose password is not remembered, and a huge text of somebody else.
        dan = world.client(**basic(world.person("dan").email, PASSWORD))
        assert dan.get("/projects").status == 200
        assert preview(ada, yard, "x" * 9000).status == 200
        assert not going.acquire(blocking=False)
        go_on.set()
        assert {answer.result().status for answer in seen} == {200}
