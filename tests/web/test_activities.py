"""Recent activity over HTTP."""

import pytest


def summary(answer):
    return [(item["kind"], item["action"], item["title"]) for item in answer.items]


@pytest.fixture
def busy(ben, roof):
    """A project in which something of each kind has happened."""
    project = f"/projects/{roof}"
    ben.post(f"{project}/tickets", {"ticket": {"title": "Leak", "body": "Rain *comes* in.\n\nOften."}})
    message = ben.post(f"{project}/messages", {"message": {"title": "Hello", "body": "We begin."}}).item["id"]
    ben.put(f"{project}/tickets/1", {"ticket": {"body": "Which tile?"}})
    ben.put(f"{project}/tickets/1", {"ticket": {"tag": "wet"}})
    ben.post(f"{project}/messages/{message}/comments", {"comment": {"body": "At last."}})
    ben.put(f"{project}/tickets/1", {"ticket": {"state": "resolved"}})
    ben.post(f"{project}/changesets", {"changeset": {"revision": "abc1", "title": "Seal"}})
    return roof


@pytest.mark.matrix("both")
def test_all_activity_is_listed_newest_first(ben, busy):
    expected = [
        ("changeset", "committed", "Seal"),
        ("ticket", "closed", "Leak"),
        ("message", "commented", "Hello"),
        ("ticket", "changed", "Leak"),
        ("ticket", "commented", "Leak"),
        ("message", "posted", "Hello"),
        ("ticket", "opened", "Leak"),
    ]
    assert summary(ben.get(f"/projects/{busy}/activity")) == expected
    assert summary(ben.get("/activity")) == expected


@pytest.mark.matrix("both")
def test_each_says_who_where_and_what_was_written(ben, busy):
    opened = ben.get(f"/projects/{busy}/activity").items[-1]
    assert opened["excerpt"] == "Rain comes in. Often."
    assert (opened["project_name"], opened["user_name"], opened["state"]) == ("Roof", "Ben", "new")
    assert (opened["number"], opened["version"], opened["message_id"], opened["revision"]) == (
        1,
        1,
        None,
        None,
    )
    assert opened["url"] == f"http://{ben.host}/projects/{busy}/tickets/1"


def test_a_version_without_text_is_not_a_comment(ben, busy):
    ben.put(f"/projects/{busy}/tickets/1", {"ticket": {"title": "Leaks", "body": ""}})
    latest = ben.get(f"/projects/{busy}/activity").items[0]
    assert (latest["action"], latest["excerpt"]) == ("changed", "")


def test_a_command_without_words_is_a_change(ben, busy):
    ben.put(f"/projects/{busy}/tickets/1", {"ticket": {"body": "[tagged:moss]"}})
    latest = ben.get(f"/projects/{busy}/activity").items[0]
    assert (latest["action"], latest["excerpt"]) == ("changed", "")


def test_a_comment_leads_to_the_message_that_it_is_on(ben, busy):
    found = {
        item["action"]: item for item in ben.get(f"/projects/{busy}/activity").items if item["message_id"]
    }
    assert found["commented"]["url"] == found["posted"]["url"]
    assert found["commented"]["message_id"] != found["posted"]["message_id"]


@pytest.mark.matrix("both")
def test_activity_is_divided_into_pages(ben, busy):
    whole = ben.get(f"/projects/{busy}/activity").items
    parts = [ben.get(f"/projects/{busy}/activity?limit=3&page={page}") for page in (1, 2, 3, 4)]
    assert [item for part in parts for item in part.items] == whole
    assert parts[0].headers["x-total-count-exact"] == "false"
    assert "x-total-count-exact" not in parts[2].headers
    assert parts[2].headers["x-total-count"] == "7"


def test_activity_is_whole_unless_pages_are_asked_for(ada, roof):
    for name in range(31):
        ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": f"Leak {name}"}})
    for path in ("/activity", f"/projects/{roof}/activity"):
        assert (len(ada.get(path).items), len(ada.get(f"{path}?page=1").items)) == (31, 30)


def test_a_deleted_comment_stays_in_the_activity_without_its_text(ben, roof):
    tickets = f"/projects/{roof}/tickets"
    for title in ("First", "Second", "Third"):
        ben.post(tickets, {"ticket": {"title": title}})
    for number in (1, 2):
        ben.post(f"{tickets}/{number}/versions", {"version": {"body": "Gone"}})
        ben.delete(f"{tickets}/{number}/versions/2")
    assert [item["title"] for item in ben.get("/activity?limit=1").items] == ["Second"]
    titles = [item["title"] for item in ben.get("/activity").items]
    assert titles == ["Second", "First", "Third", "Second", "First"]


@pytest.mark.matrix("both")
def test_pages_hold_each_change_of_one_moment_once(ben, damp):
    tickets = f"/projects/{damp}/tickets"
    ben.post(f"/projects/{damp}/bulk_edit", {"bulk_edit": {"query": "all", "command": "state:hold"}})
    for number in (1, 2):
        ben.post(f"{tickets}/{number}/versions", {"version": {"body": "Gone"}})
        ben.delete(f"{tickets}/{number}/versions/3")
    pages = [ben.get(f"/activity?limit=2&page={page}").items for page in (1, 2)]
    assert [item["number"] for page in pages for item in page] == [2, 1, 4, 3]


def test_a_commit_dated_tomorrow_is_not_in_the_activity_yet(ben, roof):
    changeset = {"revision": "abc1", "changed_at": "2999-01-01"}
    ben.post(f"/projects/{roof}/changesets", {"changeset": changeset})
    assert ben.get(f"/projects/{roof}/activity").items == []


@pytest.mark.matrix("both")
def test_nobody_is_notified_of_what_they_cannot_see(ben, cy, nobody, busy, harbour):
    ben.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Buoy"}})
    for client in (cy, nobody):
        assert [item["title"] for item in client.get("/activity").items] == ["Buoy"]
    assert cy.get(f"/projects/{busy}/activity").status == 404


@pytest.mark.matrix("both")
def test_activity_is_filtered_by_kind_person_and_project(ada, ben, busy, harbour):
    place = f"/projects/{busy}/activity"
    ada.post(f"/projects/{busy}/tickets", {"ticket": {"title": "Draught"}})
    assert {kind for kind, *_ in summary(ben.get(f"{place}?kind=message"))} == {"message"}
    assert summary(ben.get(f"{place}?user_id={ada.user_id}")) == [("ticket", "opened", "Draught")]
    assert summary(ben.get(f"{place}?kind=message&user_id={ada.user_id}")) == []
    assert summary(ben.get(f"/activity?project_id={harbour}")) == []
    assert len(ben.get(f"/activity?project_id={busy}&user_id={ben.user_id}").items) == 7


@pytest.mark.matrix("both")
def test_a_filter_that_is_none_is_refused_and_a_hidden_project_has_no_activity(ben, cy, busy):
    assert ben.get("/activity?kind=cake").errors == ["Kind must be one of ticket, message, changeset"]
    assert ben.get("/activity?user_id=ben").status == 422
    assert ben.get("/activity?project_id=x").status == 422
    assert cy.get(f"/activity?project_id={busy}").items == []
