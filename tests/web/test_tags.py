"""The tags of a project, by use."""

import pytest

from tests.web.test_suggest import tag


def names(client, project):
    answer = client.get(f"/projects/{project}/tags")
    assert answer.status == 200, answer.body
    return [(found["name"], found["tickets_count"]) for found in answer.items]


@pytest.mark.matrix("both")
def test_tags_are_listed_by_use_and_then_by_name(ada, roof):
    tag(ada, roof, "wind wet", "wet", "'dry rot', wet")
    assert names(ada, roof) == [("wet", 3), ("dry rot", 1), ("wind", 1)]


@pytest.mark.matrix("both")
def test_an_unused_tag_disappears(ada, roof):
    tag(ada, roof, "wet")
    ada.put(f"/projects/{roof}/tickets/1", {"ticket": {"tag": "dry"}})
    assert names(ada, roof) == [("dry", 1)]
    ada.delete(f"/projects/{roof}/tickets/1")
    assert names(ada, roof) == []


def test_tags_are_those_of_one_project(ada, cy, roof, harbour):
    tag(ada, roof, "wet")
    assert names(cy, harbour) == []
    assert cy.get(f"/projects/{roof}/tags").status == 404
