"""Pages of milestones."""

from datetime import datetime

import pytest


@pytest.fixture
def milestone(ben, harbour):
    """A milestone of the public project, with its address."""
    item = ben.post(
        f"/projects/{harbour}/milestones", {"milestone": {"title": "Dry", "goals": "No *water*."}}
    ).item
    return f"/projects/{harbour}/milestones/{item['id']}"


def test_a_milestone_is_set_with_a_day_and_goals(surfing, ben, roof):
    web = surfing(ben)
    page = web.submit(
        web.get(f"/projects/{roof}/milestones/new"),
        f"/projects/{roof}/milestones",
        **{"milestone[title]": "Dry", "milestone[due_on]": "2099-10-01", "milestone[goals]": "No *water*."},
    )
    found = ben.get(f"/projects/{roof}/milestones").items[0]
    assert page.path == f"/projects/{roof}/milestones/{found['id']}"
    assert (found["title"], found["due_on"], found["goals"]) == ("Dry", "2099-10-01T00:00:00Z", "No *water*.")
    assert "due Oct 1, 2099" in page.text
    assert "<em>water</em>" in page.source


@pytest.mark.parametrize("filled", [True, False])
def test_a_ticket_is_opened_for_a_milestone_from_its_page(surfing, ben, harbour, milestone, filled):
    tickets, number = f"/projects/{harbour}/tickets", milestone.rpartition("/")[2]
    if filled:
        ben.post(tickets, {"ticket": {"title": "Leak", "milestone_id": number}})
    web = surfing(ben)
    (address,) = [link for link in web.get(milestone).links if f"{tickets}/new?" in link]
    web.submit(web.get(address), tickets, "post", **{"ticket[title]": "Drip"})
    assert [each["milestone_id"] for each in ben.get(f"{tickets}?q=drip").items] == [int(number)]
    ben.put(f"{milestone}/close")
    assert f"{tickets}/new?" not in web.get(milestone).source


def test_the_day_that_it_is_due_is_the_same_in_every_zone(surfing, ben, roof):
    due = {"title": "Dry", "due_on": "2099-10-01"}
    ben.post(f"/projects/{roof}/milestones", {"milestone": due})
    web = surfing(ben)
    web.cookies["skerry-zone"] = "America/New_York"
    assert "due Oct 1, 2099" in web.get(f"/projects/{roof}/milestones").text


def test_an_invalid_milestone_is_shown_again(surfing, ben, roof):
    web = surfing(ben)
    page = web.submit(
        web.get(f"/projects/{roof}/milestones/new"),
        f"/projects/{roof}/milestones",
        **{"milestone[title]": " ", "milestone[due_on]": "2099-99-99", "milestone[goals]": "Kept"},
    )
    assert page.status == 422
    assert "Title can't be blank" in page.text
    assert ("milestone[goals]", "Kept") in page.form(f"/projects/{roof}/milestones").fields


def test_a_milestone_is_changed_and_its_day_taken_away(surfing, ben, milestone):
    ben.put(milestone, {"milestone": {"due_on": "2099-10-01"}})
    web = surfing(ben)
    page = web.get(f"{milestone}/edit")
    assert ("milestone[due_on]", "2099-10-01") in page.form(milestone).fields
    page = web.submit(page, milestone, **{"milestone[title]": "Dry at last", "milestone[due_on]": ""})
    assert page.path == milestone
    assert ben.get(milestone).item["title"] == "Dry at last"
    assert ben.get(milestone).item["due_on"] is None


@pytest.mark.parametrize(
    ("due", "kind", "value"),
    [
        ("2099-10-01T17:30:05Z", "datetime-local", "2099-10-01T17:30:05"),
        ("0999-10-01T00:00:00Z", "date", "0999-10-01"),
    ],
)
def test_a_form_that_is_sent_as_it_is_keeps_the_time_of_the_day(surfing, ben, milestone, due, kind, value):
    ben.put(milestone, {"milestone": {"due_on": due}})
    web = surfing(ben)
    page = web.submit(web.get(f"{milestone}/edit"), milestone, **{"milestone[title]": " "})
    assert page.status == 422
    assert f'<input type="{kind}" name="milestone[due_on]" value="{value}">' in page.source
    assert web.submit(page, milestone, **{"milestone[title]": "Dry"}).path == milestone
    assert ben.get(milestone).item["due_on"] == due


def test_a_concurrent_change_of_a_milestone_is_not_overwritten_unseen(surfing, ada, ben, milestone):
    web = surfing(ben)
    page = web.get(f"{milestone}/edit")
    ada.put(milestone, {"milestone": {"goals": "Ada's goals", "due_on": "2099-10-01"}})
    page = web.submit(page, milestone, **{"milestone[goals]": "Ben's goals"})
    assert page.status == 412
    assert "Somebody changed this while you were writing" in page.text
    assert "Dry · Oct 1, 2099" in page.text
    assert "Ada's goals" in page.text
    assert ("milestone[goals]", "Ben's goals") in page.form(milestone).fields
    assert web.submit(page, milestone).path == milestone
    assert ben.get(milestone).item["goals"] == "Ben's goals"


def test_a_milestone_is_completed_and_opened_again(surfing, ben, harbour, milestone):
    web = surfing(ben)
    page = web.submit(web.get(milestone), f"{milestone}/close")
    assert (page.path, "completed" in page.text) == (milestone, True)
    assert "Dry" not in web.get(f"/projects/{harbour}/milestones").text
    assert "Dry" in web.get(f"/projects/{harbour}/milestones?state=closed").text
    web.submit(page, f"{milestone}/open")
    assert ben.get(milestone).item["completed_at"] is None


def test_a_milestone_is_deleted_only_after_a_question(surfing, ben, harbour, milestone):
    web = surfing(ben)
    page = web.get(f"{milestone}/delete")
    assert "Its 0 tickets stay" in page.text
    page = web.submit(page, milestone)
    assert page.path == f"/projects/{harbour}/milestones"
    assert ben.get(milestone).status == 404


def test_a_milestone_shows_its_tickets_by_state_and_its_days(surfing, ben, milestone):
    project, number = milestone.split("/milestones/")
    for title, state in (("First", "new"), ("Second", "new"), ("Third", "hold"), ("Other", None)):
        ticket = {"title": title, "state": state or "new", "milestone_id": int(number) if state else None}
        ben.post(f"{project}/tickets", {"ticket": ticket})
    page = surfing(ben).get(milestone)
    assert "new 2" in page.text
    assert "hold 1" in page.text
    assert "Other" not in page.text
    assert "at the end 2 of 3 tickets are open" in page.text
    query = f"{project}/tickets?q=milestone%3Aid%23{number}"
    assert {query, f"{query}%20state%3Aopen"} <= set(page.links)


def test_a_chart_names_its_first_day_if_the_table_omits_it(surfing, ben, milestone, world, monkeypatch):
    project, number = milestone.split("/milestones/")
    monkeypatch.setattr("skerry.web.site.pages.milestones._ROWS", 2)
    first = ben.get(milestone).item["created_at"][:10]
    for days in range(3):
        timestamp = int(datetime.fromisoformat(f"{first}T12:00:00+00:00").timestamp()) + days * 86_400
        monkeypatch.setattr(world.database, "clock", lambda timestamp=timestamp: timestamp * 1_000_000)
        ben.post(f"{project}/tickets", {"ticket": {"title": "Leak", "milestone_id": int(number)}})
    page = surfing(ben).get(milestone)
    assert f"From {first} to " in page.text
    assert "The last 2 days with changes." in page.text


def test_a_chart_begins_with_the_first_ticket_or_with_the_start_date(surfing, ben, milestone):
    project, number = milestone.split("/milestones/")
    ben.post(f"{project}/tickets", {"ticket": {"title": "Leak", "milestone_id": int(number)}})
    today = ben.get(milestone).item["created_at"][:10]
    web = surfing(ben)
    assert f"From {today} to " in web.get(milestone).text
    page = web.submit(web.get(f"{milestone}/edit"), milestone, "put", **{"milestone[start_on]": "2026-01-05"})
    assert "From 2026-01-05 to " in page.text
    assert "from Jan 5, 2026" in page.text


def test_the_days_of_a_single_ticket_speak_of_one(surfing, ben, milestone):
    project, number = milestone.split("/milestones/")
    ben.post(f"{project}/tickets", {"ticket": {"title": "First", "milestone_id": int(number)}})
    assert "at the end 1 of 1 ticket is open" in surfing(ben).get(milestone).text


def test_the_list_tells_the_late_ones_from_those_ahead(surfing, ben, roof):
    for title, due in (("Gone", "2001-01-01"), ("Far", "2999-01-01"), ("Floating", None)):
        ben.post(f"/projects/{roof}/milestones", {"milestone": {"title": title, "due_on": due}})
    for address in ("/milestones", f"/projects/{roof}/milestones"):
        text = surfing(ben).get(address).text
        places = [text.index(word) for word in ("Overdue", "Gone", "Next", "Far", "No due date", "Floating")]
        assert places == sorted(places)


def test_strangers_read_milestones_and_are_shown_no_way_to_change_them(surfing, cy, harbour, milestone):
    for web in (surfing(cy), surfing()):
        page = web.get(milestone)
        assert page.status == 200
        assert not [link for link in page.links if link.startswith(milestone)]
        assert "Complete" not in page.text
        assert f"/projects/{harbour}/milestones/new" not in web.get(f"/projects/{harbour}/milestones").links
    for path in (f"/projects/{harbour}/milestones/new", f"{milestone}/edit", f"{milestone}/delete"):
        assert surfing(cy).get(path).status == 403
        assert surfing().get(path).path.startswith("/sign-in")


def test_nothing_is_changed_in_an_archived_project(surfing, ada, ben, harbour, milestone):
    web = surfing(ben)
    page = web.get(milestone)
    ada.put(f"/projects/{harbour}", {"project": {"archived": True}})
    assert web.submit(page, f"{milestone}/close").status == 403
    assert "Complete" not in web.get(milestone).text


def test_a_ticket_in_a_list_leads_to_its_milestone(surfing, ben, cy, harbour, milestone):
    ticket = {"title": "Leak", "milestone_id": int(milestone.rpartition("/")[2])}
    ben.post(f"/projects/{harbour}/tickets", {"ticket": ticket})
    page = surfing(cy).get(f"/projects/{harbour}/tickets")
    assert milestone in page.links
    assert "Dry" in page.text
