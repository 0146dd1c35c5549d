"""Changesets over HTTP."""

from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest
import yaml

from skerry.text import markdown
from skerry.tracker import changesets
from tests.support.processes import PATIENCE

SHA = "5f1d0cbd8e2a4f6b9c3e7a1d2b4c6e8f0a1b2c3d"
WHEN = "2007-01-15T08:13:09Z"
FIELDS = ["body", "body_html", "changed_at", "changes", "project_id", "revision", "title", "user_id"]


def pairs(item):
    """Return the changes of an answer in either format."""
    changes = item["changes"]
    return yaml.safe_load(changes) if isinstance(changes, str) else changes


def push(client, project_id, revision=SHA, **fields):
    return client.post(f"/projects/{project_id}/changesets", {"changeset": {"revision": revision, **fields}})


@pytest.mark.matrix("both")
def test_a_changeset_is_kept_with_every_field_and_shown_as_it_was_answered(ben, roof):
    sent = {"title": "Ben at work", "body": "*Fix*", "changed_at": WHEN, "changes": "A /a b\nR /c"}
    answer = push(ben, roof, **sent)
    assert answer.status == 201
    assert answer.headers["location"] == f"http://{ben.host}/projects/{roof}/changesets/{SHA}.{ben.format}"
    item = answer.item
    assert list(item) == FIELDS
    assert pairs(item) == [["A", "/a b"], ["D", "/c"]]
    assert item | {"changes": 0} == {
        "body": "*Fix*",
        "body_html": "<div><p><em>Fix</em></p></div>",
        "changed_at": WHEN,
        "changes": 0,
        "project_id": roof,
        "revision": SHA,
        "title": "Ben at work",
        "user_id": ben.user_id,
    }
    assert ben.get(f"/projects/{roof}/changesets/{SHA}").item == item


@pytest.mark.matrix("both")
def test_the_bytes_of_both_formats_are_those_that_clients_know(ben, roof):
    push(ben, roof, "r1", title="T", changed_at=WHEN, changes="M /a")
    body = ben.get(f"/projects/{roof}/changesets/r1").body.decode()
    expected = {
        "xml": '<?xml version="1.0" encoding="UTF-8"?><changeset><body/><body-html/>'
        f'<changed-at type="datetime">{WHEN}</changed-at><changes type="yaml">---\n- - M\n  - /a\n</changes>'
        f'<project-id type="integer">{roof}</project-id><revision>r1</revision><title>T</title>'
        f'<user-id type="integer">{ben.user_id}</user-id></changeset>',
        "json": f'{{"changeset":{{"body":"","body_html":"","changed_at":"{WHEN}","changes":[["M","/a"]],'
        f'"project_id":{roof},"revision":"r1","title":"T","user_id":{ben.user_id}}}}}',
    }
    assert body == expected[ben.format]


@pytest.mark.matrix("both")
def test_a_new_changeset_is_empty_and_its_changes_are_an_empty_list(ben, roof):
    item = ben.get(f"/projects/{roof}/changesets/new").item
    assert list(item) == FIELDS
    assert pairs(item) == []
    assert (item["changed_at"], item["user_id"], item["project_id"]) == (None, None, roof)
    assert (item["revision"], item["title"], item["body"]) == ("", "", "")


def test_omitted_fields_of_a_changeset_have_defaults(ben, roof):
    item = push(ben, roof, "12").item
    assert (item["title"], item["body"], item["revision"]) == ("Changeset [12]", "", "12")
    assert pairs(item) == []
    assert item["changed_at"] > "2024"


def test_the_author_is_whoever_asks_whatever_the_body_says(ada, ben, roof):
    sent = {"revision": SHA, "user_id": ada.user_id, "project_id": 99, "committer": "Ada", "ticket-id": 3}
    item = ben.post(f"/projects/{roof}/changesets", {"changeset": sent}).item
    assert (item["user_id"], item["project_id"]) == (ben.user_id, roof)


@pytest.mark.matrix("both")
def test_the_list_shows_the_last_committed_first_in_pages_of_thirty(ben, roof):
    for day in (3, 1, 2):
        push(ben, roof, f"r{day}", changed_at=f"2007-01-0{day}", changes=f"A /{day}")
    for number in range(29):
        push(ben, roof, f"old{number}", changed_at="2001-01-01")
    first = ben.get(f"/projects/{roof}/changesets")
    assert [item["revision"] for item in first.items[:4]] == ["r3", "r2", "r1", "old28"]
    assert pairs(first.items[0]) == [["A", "/3"]]
    assert (len(first.items), first.headers["x-total-count"]) == (30, "32")
    rest = ben.get(f"/projects/{roof}/changesets?page=2").items
    assert [item["revision"] for item in rest] == ["old1", "old0"]
    assert ben.get(f"/projects/{roof}/changesets?page=9").items == []


@pytest.mark.parametrize(
    "revision",
    ["1234", "r1.2", "v2.rc", "a.json", "é", "日本", "a%b", "a+b", "a?b#c", "x@y:z", "..", "a&b=c"],
)
def test_a_revision_is_any_text_and_its_address_leads_to_it(ben, roof, revision):
    answer = push(ben, roof, revision)
    assert answer.status == 201
    address = f"/projects/{roof}/changesets/{quote(revision, safe='')}.{ben.format}"
    assert answer.headers["location"] == f"http://{ben.host}{address}"
    assert ben.get(address).item["revision"] == revision
    assert ben.delete(address).status == 200
    assert ben.get(address).status == 404


@pytest.mark.parametrize("revision", ["a/b", "a b", "a\tb", "a\nb", "a\u00a0b", "a\u2028b"])
def test_a_revision_without_an_address_is_refused(ben, roof, revision):
    answer = push(ben, roof, revision)
    assert (answer.status, answer.errors) == (422, ['Revision must not contain "/" or white space'])


@pytest.mark.parametrize("written", [f"{SHA}\n", f"\r\n    {SHA}\r\n  "])
def test_white_space_around_a_revision_is_no_part_of_it(ben, roof, leak, written):
    answer = push(ben, roof, written, body="Mend it [#1]")
    assert (answer.status, answer.item["revision"]) == (201, SHA)
    assert answer.headers["location"].endswith(f"/changesets/{SHA}.{ben.format}")
    assert ben.get(leak).item["versions"][-1]["body"] == f"(from [{SHA}]) Mend it [#1]"
    assert push(ben, roof, written).errors == ["Revision has already been taken"]


@pytest.mark.parametrize(
    ("revision", "said"),
    [
        ("", "Revision can't be blank"),
        (" \n", "Revision can't be blank"),
        ("x" * 256, "Revision is too long (at most 255 characters)"),
        ("new", 'Revision must not be "new"'),
    ],
)
def test_a_revision_that_cannot_be_used_is_refused_with_the_reason(ben, roof, revision, said):
    answer = push(ben, roof, revision)
    assert (answer.status, answer.errors) == (422, [said])


@pytest.mark.matrix("both")
def test_a_revision_is_accepted_once_in_each_project(ben, roof, harbour):
    assert push(ben, roof, title="First").status == 201
    again = push(ben, roof, title="Second")
    assert (again.status, again.errors) == (422, ["Revision has already been taken"])
    assert ben.get(f"/projects/{roof}/changesets/{SHA}").item["title"] == "First"
    assert push(ben, harbour).status == 201
    assert push(ben, roof, SHA.upper()).status == 201


def test_a_missing_revision_is_named(ben, roof):
    answer = ben.post(f"/projects/{roof}/changesets", {"changeset": {"title": "T"}})
    assert (answer.status, answer.errors) == (422, ["Revision can't be blank"])


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (
            {"changes": "A /a\nX"},
            "Changes must be codes, such as A, M or D, each with a path; line 2 is 'X'",
        ),
        (
            {"changes": "- &a [A, /x]\n- *a"},
            "Changes must not contain anchors or aliases; there is one in line 1",
        ),
        ({"changed_at": "soon"}, "Changed at must be a date or a time such as 2007-01-15T08:13:09Z"),
        ({"title": "x" * 256}, "Title is too long (at most 255 characters)"),
    ],
)
def test_an_invalid_changeset_is_refused_and_nothing_is_stored(ben, roof, fields, said):
    answer = push(ben, roof, **fields)
    assert (answer.status, answer.errors) == (422, [said])
    assert ben.get(f"/projects/{roof}/changesets").items == []


def test_a_changeset_can_be_removed_but_not_changed(ben, roof):
    push(ben, roof)
    answer = ben.put(f"/projects/{roof}/changesets/{SHA}", {"changeset": {"title": "New"}})
    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD, DELETE, OPTIONS")
    answer = ben.delete(f"/projects/{roof}/changesets/{SHA}")
    assert (answer.status, answer.body) == (200, b"")
    assert ben.delete(f"/projects/{roof}/changesets/{SHA}").status == 404
    assert push(ben, roof).status == 201


def test_a_later_text_links_to_a_known_revision_and_to_no_other(ben, roof):
    push(ben, roof)
    body = f"Broken since [{SHA}], not since [{SHA[::-1]}]"
    html = ben.post(f"/projects/{roof}/tickets", {"ticket": {"title": "T", "body": body}}).item["body_html"]
    assert f'href="/projects/{roof}/changesets/{SHA}"' in html
    assert f'title="Changeset [{SHA}]"' in html
    assert html.count("<a ") == 1


def test_a_changeset_links_to_tickets_and_to_changesets_before_it(ben, roof):
    push(ben, roof, "abc1")
    html = push(ben, roof, "abc2", body="Undo [abc1], see #7").item["body_html"]
    assert f'href="/projects/{roof}/changesets/abc1"' in html
    assert f'href="/projects/{roof}/tickets/7"' in html


def test_only_members_push_and_who_sees_the_project_reads(ada, ben, cy, nobody, roof, harbour):
    for project_id, strangers in ((roof, 404), (harbour, 403)):
        assert push(ada, project_id).status == 201
        assert push(cy, project_id).status == strangers
        assert cy.delete(f"/projects/{project_id}/changesets/{SHA}").status == strangers
        assert cy.get(f"/projects/{project_id}/changesets/new").status == strangers
        assert push(nobody, project_id).status == 401
    assert cy.get(f"/projects/{roof}/changesets/{SHA}").status == 404
    assert nobody.get(f"/projects/{harbour}/changesets/{SHA}").status == 200
    assert ben.get(f"/projects/{harbour}/changesets").items[0]["user_id"] == ada.user_id


def test_a_read_only_token_reads_and_pushes_nothing(world, ben, roof):
    reader = ben.speaking(**{"X-ServiceToken": world.token(ben.user_id, read_only=True)})
    assert reader.get(f"/projects/{roof}/changesets").status == 200
    answer = push(reader, roof)
    assert (answer.status, answer.errors) == (403, ["This token is read-only"])


def test_a_revision_of_another_project_or_account_is_not_found(ben, roof, harbour):
    push(ben, roof)
    assert ben.get(f"/projects/{harbour}/changesets/{SHA}").status == 404
    assert ben.get(f"/projects/{roof}/changesets/%00").status == 404


def test_a_changeset_echoed_back_under_another_revision_is_the_same(ben, roof):
    push(ben, roof, title="T", body="B", changed_at=WHEN, changes="A /été\nM /b")
    body = ben.get(f"/projects/{roof}/changesets/{SHA}").body
    raw = body.replace(SHA.encode(), b"echo")
    kind = f"application/{ben.format}"
    item = ben.send("POST", f"/projects/{roof}/changesets", raw=raw, kind=kind).item
    assert item == ben.get(f"/projects/{roof}/changesets/{SHA}").item | {"revision": "echo"}


@pytest.mark.matrix("both")
def test_the_tickets_that_a_message_names_are_listed(ben, roof):
    for title in ("One", "Two", "Three"):
        ben.post(f"/projects/{roof}/tickets", {"ticket": {"title": title}})
    push(ben, roof, "r1", body="See #2. [1 state:resolved] Not #9, not a#3.")
    found = ben.get(f"/projects/{roof}/changesets/r1/tickets").items
    assert [(ticket["number"], ticket["state"]) for ticket in found] == [(1, "resolved"), (2, "new")]


def test_the_tickets_of_a_missing_changeset_are_404(ben, roof):
    assert ben.get(f"/projects/{roof}/changesets/r9/tickets").status == 404


@pytest.mark.matrix("both")
def test_a_text_links_to_what_comes_and_goes_while_it_is_rendered(ada, ben, roof, monkeypatch):
    render = markdown.render

    def render_slowly(text, *rest):
        monkeypatch.setattr(markdown, "render", render)
        assert ben.post(f"/projects/{roof}/changesets", {"changeset": {"revision": "next"}}).status == 201
        assert ben.delete(f"/projects/{roof}/changesets/old").status == 200
        return render(text, *rest)

    ada.post(f"/projects/{roof}/changesets", {"changeset": {"revision": "old"}})
    monkeypatch.setattr(markdown, "render", render_slowly)
    body = f"Done in [next], not in [old]. {'drip ' * 1000}"
    made = ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "body": body}})
    html = made.item["body_html"]
    assert f'<a href="/projects/{roof}/changesets/next"' in html
    assert "[old]" in html


@pytest.mark.matrix("both")
def test_others_write_while_the_changes_of_a_commit_are_read(ada, ben, roof, monkeypatch):
    opened, read = [], changesets.read_changes

    def read_slowly(sent):
        with ThreadPoolExecutor(1) as thread:
            opening = thread.submit(ada.post, f"/projects/{roof}/tickets", {"ticket": {"title": "Leak"}})
            opened.append(opening.result(PATIENCE).status)
        return read(sent)

    monkeypatch.setattr(changesets, "read_changes", read_slowly)
    answer = push(ben, roof, changes="A /roof")
    assert (answer.status, opened, pairs(answer.item)) == (201, [201], [["A", "/roof"]])
