"""The pages of one ticket, without scripts."""

from urllib.parse import urlsplit

import pytest

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000020000000108020000007b40e8dd0000000c4944415478da63f8cfc00000"
    "030101003a9c5ae40000000049454e44ae426082"
)


@pytest.fixture
def tickets(roof):
    return f"/projects/{roof}/tickets"


@pytest.fixture
def ticket(ada, tickets):
    fields = {"title": "Leak", "body": "Under the *stairs*", "tag": "wet", "importance": 2}
    assert ada.post(tickets, {"ticket": fields}).status == 201
    return f"{tickets}/1"


def press(surfer, page, wanted, files=None, **values):
    """Send the first form of a page that has a field or a text."""
    form = next(form for form in page.reading.forms if wanted in form.text or wanted in dict(form.fields))
    page.reading.forms[:] = [form]
    return surfer.submit(page, urlsplit(form.action).path, files=files, **values)


def reply(surfer, ticket, page=None, files=None, **fields):
    """Send the reply form of a ticket with other values in some fields."""
    values = {f"ticket[{name}]": value for name, value in fields.items()}
    return press(surfer, page or surfer.get(ticket), "_seen", files, **values)


def values_of(page):
    """Give what stands in the fields of the reply form."""
    return next(dict(form.fields) for form in page.reading.forms if "_seen" in dict(form.fields))


# --- Reading ---------------------------------------------------------------------------------------


def test_a_ticket_is_shown_with_its_text_its_fields_and_its_people(surfing, ada, ticket):
    page = surfing(ada).get(ticket)
    assert page.status == 200
    assert "<em>stairs</em>" in page.source
    for said in ("#1", "Leak", "new", "opened by", "Ada", "wet", "nobody"):
        assert said in page.text


def test_what_changed_stands_in_words_with_the_names(surfing, ada, ben, roof, ticket):
    milestone = ada.post(f"/projects/{roof}/milestones", {"milestone": {"title": "Autumn"}}).item["id"]
    fields = {"state": "resolved", "assigned_user_id": ben.user_id, "milestone_id": milestone, "tag": "dry"}
    ada.put(ticket, {"ticket": {**fields, "title": "No leak", "importance": 0}})
    ada.put(ticket, {"ticket": {"assigned_user_id": None}})
    text = " ".join(surfing(ada).get(ticket).text.split())
    for said in (
        "State: new → resolved",
        "Responsible: nobody → Ben",
        "Responsible: Ben → nobody",
        "Milestone: none → Autumn",
        "Tags: wet → dry",
        "Title: Leak → No leak",
        "Importance: 2 → 0",
    ):
        assert said in text


def test_what_strangers_wrote_is_escaped(surfing, ada, tickets):
    ada.post(tickets, {"ticket": {"title": "<b>x</b>", "body": "<script>alert(1)</script>", "tag": "'<i>'"}})
    page = surfing(ada).get(f"{tickets}/1")
    assert "<b>x" not in page.source
    assert "<script>alert" not in page.source
    assert "<i>" not in page.source


def test_a_ticket_that_is_missing_or_hidden_is_not_found(surfing, ada, cy, ticket, tickets):
    assert surfing(ada).get(f"{tickets}/77").status == 404
    assert surfing(cy).get(ticket).status == 404


# --- Replying --------------------------------------------------------------------------------------


def test_a_reply_comments_and_changes_all_fields_at_once(surfing, ada, ben, ticket):
    page = reply(
        surfing(ben),
        ticket,
        body="Found **it**",
        state="resolved",
        assigned_user_id=ben.user_id,
        title="Leak in the gutter",
        tag="cold wet",
        importance=7,
    )
    assert page.status == 200
    assert "<strong>it</strong>" in page.source
    item = ada.get(ticket).item
    assert (item["state"], item["assigned_user_id"], item["importance"]) == ("resolved", ben.user_id, 7)
    assert (item["title"], item["tag"], item["version"]) == ("Leak in the gutter", "cold wet", 2)


def test_a_reply_that_cannot_be_taken_loses_nothing(surfing, ada, ticket):
    page = reply(surfing(ada), ticket, body="Long *story*", importance=12345, state="hold")
    assert page.status == 422
    assert "Importance must be a whole number from 0 to 9999" in page.text
    values = values_of(page)
    assert (values["ticket[body]"], values["ticket[state]"]) == ("Long *story*", "hold")
    assert ada.get(ticket).item["version"] == 1


def test_a_reply_without_anything_in_it_makes_no_version(surfing, ada, ticket):
    page = reply(surfing(ada), ticket)
    assert page.status == 422
    assert "There is nothing to save" in page.text
    assert ada.get(ticket).item["version"] == 1


def test_a_reply_that_is_sent_twice_is_taken_once(surfing, ada, ticket):
    surfer = surfing(ada)
    page = surfer.get(ticket)
    answers = [reply(surfer, ticket, page, body="Once") for _ in range(2)]
    assert [answer.status for answer in answers] == [200, 200]
    assert ada.get(ticket).item["version"] == 2


def test_files_come_with_a_reply_and_pictures_are_shown(surfing, ada, ticket):
    files = [
        ("ticket[attachment][]", "stairs.png", "image/png", PNG),
        ("ticket[attachment][]", "notes.txt", "text/plain", b"wet"),
    ]
    page = reply(surfing(ada), ticket, files=files, body="Look")
    names = {file["filename"] for file in ada.get(ticket).item["attachments"]}
    assert names == {"stairs.png", "notes.txt"}
    article = page.source.partition('id="v2"')[2]
    assert 'alt="stairs.png"' in article
    assert "notes.txt" in article
    assert 'alt="notes.txt"' not in page.source


def test_a_form_without_a_file_is_one(surfing, ada, ticket):
    nothing = [("ticket[attachment][]", "", "application/octet-stream", b"")]
    assert reply(surfing(ada), ticket, files=nothing, body="Dry").status == 200
    assert ada.get(ticket).item["attachments"] == []


# --- Changed while somebody was writing ------------------------------------------------------------


def test_what_was_changed_meanwhile_is_shown_and_nothing_is_overwritten(surfing, ada, ben, ticket):
    surfer = surfing(ada)
    page = surfer.get(ticket)
    ben.put(ticket, {"ticket": {"body": "I was faster", "state": "open", "importance": 5}})
    page = reply(surfer, ticket, page, body="Slow words", tag="wet cold")
    assert page.status == 412
    assert "Ben changed this while you were writing" in page.text
    assert page.text.count("I was faster") == 2
    values = values_of(page)
    assert values["ticket[body]"] == "Slow words"
    assert (values["ticket[state]"], values["ticket[importance]"]) == ("open", "5")
    assert (values["ticket[tag]"], values["_seen"]) == ("wet cold", "2")
    item = ada.get(ticket).item
    assert (item["version"], item["state"], item["tag"]) == (2, "open", "wet")


def test_a_reply_that_was_looked_at_again_is_taken(surfing, ada, ben, ticket):
    surfer = surfing(ada)
    page = surfer.get(ticket)
    ben.put(ticket, {"ticket": {"state": "open"}})
    page = reply(surfer, ticket, reply(surfer, ticket, page, body="Slow words"))
    assert page.status == 200
    item = ada.get(ticket).item
    assert (item["version"], item["state"]) == (3, "open")
    assert item["versions"][-1]["body"] == "Slow words"


def test_somebody_who_only_begins_to_watch_disturbs_nobody(surfing, ada, ben, ticket):
    surfer, other = surfing(ada), surfing(ben)
    page = surfer.get(ticket)
    watch(other, ticket)
    assert reply(surfer, ticket, page, body="Go on").status == 200


# --- Watching and assigning ------------------------------------------------------------------------


def watch(surfer, ticket):
    """Press the button that begins or ends watching."""
    return press(surfer, surfer.get(ticket), "multiple_watchers")


def test_a_button_begins_and_ends_watching(surfing, ada, ben, ticket):
    surfer = surfing(ben)
    page = watch(surfer, ticket)
    assert "Stop watching" in page.text
    assert ada.get(ticket).item["watchers_ids"] == sorted([ada.user_id, ben.user_id])
    watch(surfer, ticket)
    assert ada.get(ticket).item["watchers_ids"] == [ada.user_id]


def test_a_button_assigns_the_ticket_to_whoever_presses_it(surfing, ada, ben, ticket):
    surfer = surfing(ben)
    page = press(surfer, surfer.get(ticket), "Assign to me")
    assert "Assign to me" not in page.text
    assert ada.get(ticket).item["assigned_user_id"] == ben.user_id


# --- Who may do what -------------------------------------------------------------------------------


def test_a_stranger_in_a_public_project_comments_and_sets_nothing(surfing, ada, cy, harbour):
    ada.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Fog"}})
    surfer = surfing(cy)
    page = surfer.get(f"/projects/{harbour}/tickets/1")
    assert "ticket[state]" not in page.source
    page = reply(surfer, "", page, body="I see it too")
    assert "I see it too" in page.text
    assert "/versions/2/edit" in page.source
    assert "/versions/1/edit" not in page.source


def test_nobody_is_asked_to_sign_in_to_reply(surfing, ada, harbour):
    ada.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Fog"}})
    page = surfing().get(f"/projects/{harbour}/tickets/1")
    assert page.status == 200
    assert "Sign in to reply" in page.text
    assert "_seen" not in page.source


def test_in_an_archived_project_nothing_is_offered(surfing, ada, roof, ticket):
    ada.put(f"/projects/{roof}", {"project": {"archived": True}})
    page = surfing(ada).get(ticket)
    assert page.status == 200
    assert "archived; nothing here changes" in page.text
    assert "/edit" not in page.source
    assert "_seen" not in page.source


# --- A new one -------------------------------------------------------------------------------------


def test_a_new_ticket_is_opened_with_a_file(surfing, ada, tickets):
    surfer = surfing(ada)
    page = surfer.get(f"{tickets}/new")
    files = [("ticket[attachment][]", "stairs.png", "image/png", PNG)]
    values = {"ticket[title]": "Leak", "ticket[body]": "Drip", "ticket[state]": "open", "ticket[tag]": "wet"}
    page = surfer.submit(page, tickets, "post", files=files, **values)
    assert (page.status, page.path) == (200, f"{tickets}/1")
    item = ada.get(f"{tickets}/1").item
    assert (item["title"], item["state"], item["tag"], len(item["attachments"])) == ("Leak", "open", "wet", 1)


def test_a_new_ticket_without_a_title_is_shown_again(surfing, ada, tickets):
    surfer = surfing(ada)
    values = {"ticket[title]": " ", "ticket[body]": "Drip, drip", "ticket[state]": "hold"}
    page = surfer.submit(surfer.get(f"{tickets}/new"), tickets, "post", **values)
    assert page.status == 422
    assert "Title can't be blank" in page.text
    fields = page.form(tickets, "post").fields
    assert ("ticket[body]", "Drip, drip") in fields
    assert ("ticket[state]", "hold") in fields


def test_the_address_may_fill_in_a_new_ticket(surfing, ada, tickets):
    page = surfing(ada).get(f"{tickets}/new?ticket%5Btitle%5D=%22%3E%3Cb%3E&ticket%5Bstate%5D=hold")
    assert "<b>" not in page.source
    fields = page.form(tickets, "post").fields
    assert ("ticket[title]", '"><b>') in fields
    assert ("ticket[state]", "hold") in fields


def test_whoever_cannot_be_chosen_stands_in_a_new_ticket_by_his_number(surfing, ada, cy, tickets):
    surfer = surfing(ada)
    page = surfer.get(f"{tickets}/new?ticket[assigned_user_id]={cy.user_id}")
    assert page.status == 200
    assert f'<option value="{cy.user_id}" selected>#{cy.user_id}</option>' in page.source
    page = surfer.submit(page, tickets, "post", **{"ticket[title]": "Moss"})
    assert page.status == 422
    assert ("ticket[title]", "Moss") in page.form(tickets, "post").fields


def test_a_stranger_opens_a_ticket_with_title_text_and_tags(surfing, cy, harbour):
    surfer = surfing(cy)
    page = surfer.get(f"/projects/{harbour}/tickets/new")
    assert "ticket[state]" not in page.source
    values = {"ticket[title]": "Fog", "ticket[body]": "", "ticket[tag]": "grey"}
    page = surfer.submit(page, f"/projects/{harbour}/tickets", "post", **values)
    assert page.path == f"/projects/{harbour}/tickets/1"
    assert "grey" in page.text


# --- Texts rewritten and removed -------------------------------------------------------------------


def test_a_comment_is_rewritten_in_place(surfing, ada, ben, ticket):
    ben.put(ticket, {"ticket": {"body": "Typpo"}})
    surfer = surfing(ben)
    page = surfer.get(f"{ticket}/versions/2/edit")
    answer = surfer.submit(page, f"{ticket}/versions/2", follow=False, **{"version[body]": "Typo"})
    assert (answer.status, answer.headers["location"]) == (303, f"{ticket}#v2")
    assert ada.get(f"{ticket}/versions/2").item["body"] == "Typo"


def test_a_comment_that_was_rewritten_meanwhile_is_not_overwritten(surfing, ada, ben, ticket):
    surfer = surfing(ada)
    page = surfer.get(f"{ticket}/versions/1/edit")
    ben.put(f"{ticket}/versions/1", {"version": {"body": "Ben was here"}})
    page = surfer.submit(page, f"{ticket}/versions/1", **{"version[body]": "Ada was here"})
    assert page.status == 412
    assert "Ben was here" in page.text
    assert ("version[body]", "Ada was here") in page.form(f"{ticket}/versions/1").fields
    page = surfer.submit(page, f"{ticket}/versions/1")
    assert "Ada was here" in page.text


def test_others_do_not_rewrite_what_a_stranger_may_not(surfing, ada, cy, harbour):
    ada.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Fog"}})
    assert surfing(cy).get(f"/projects/{harbour}/tickets/1/versions/1/edit").status == 403


def test_a_comment_is_deleted_after_a_question(surfing, ada, ticket):
    ada.put(ticket, {"ticket": {"body": "Nonsense"}})
    surfer = surfing(ada)
    page = surfer.submit(surfer.get(f"{ticket}/versions/2/delete"), f"{ticket}/versions/2")
    assert (page.status, page.path) == (200, ticket)
    assert "Nonsense" not in page.text
    assert ada.get(f"{ticket}/versions/2").status == 404


def test_a_ticket_is_deleted_after_a_question(surfing, ada, ticket, tickets):
    surfer = surfing(ada)
    answer = surfer.submit(surfer.get(f"{ticket}/delete"), ticket, follow=False)
    assert (answer.status, answer.headers["location"]) == (303, tickets)
    assert ada.get(ticket).status == 404


# --- The list one came from ------------------------------------------------------------------------


@pytest.fixture
def five(ada, tickets):
    """Tickets 1 to 5, the odd ones wet."""
    for number in range(1, 6):
        tag = "wet" if number % 2 else "dry"
        ada.post(tickets, {"ticket": {"title": f"T{number}", "tag": tag}})


def beside(page):
    """Give where the links to the previous and the next ticket lead."""
    links = {text.split("#")[0].strip(): href for href, text in page.reading.links}
    return links.get("Previous"), links.get("Next")


@pytest.mark.usefixtures("five")
def test_the_way_leads_through_the_plain_list(surfing, ada, tickets):
    surfer = surfing(ada)
    assert beside(surfer.get(f"{tickets}/3")) == (f"{tickets}/4", f"{tickets}/2")
    assert beside(surfer.get(f"{tickets}/5")) == (None, f"{tickets}/4")
    assert beside(surfer.get(f"{tickets}/1")) == (f"{tickets}/2", None)


@pytest.mark.usefixtures("five")
def test_the_way_leads_through_the_list_one_came_from(surfing, ada, tickets):
    surfer = surfing(ada)
    query = "?in=tagged%3Awet+sort%3Anumber"
    page = surfer.get(f"{tickets}/3{query}")
    assert beside(page) == (f"{tickets}/1{query}", f"{tickets}/5{query}")
    assert beside(surfer.get(f"{tickets}/2{query}")) == (None, None)
    assert f"{tickets}?q=tagged%3Awet%20sort%3Anumber" in page.links


@pytest.mark.usefixtures("five")
def test_the_way_stays_when_a_reply_moves_the_ticket(surfing, ada, tickets):
    surfer = surfing(ada)
    page = reply(surfer, f"{tickets}/3?in=tagged%3Awet", state="resolved", tag="dry")
    assert page.status == 200
    assert beside(page) == (f"{tickets}/5?in=tagged%3Awet", f"{tickets}/1?in=tagged%3Awet")


@pytest.mark.usefixtures("five")
@pytest.mark.parametrize(
    "way", ["in=(((", "in=%27", "beside=x-y", "beside=99999999999999999999-", "in=sort:-"]
)
def test_a_way_that_nobody_can_have_come_is_no_trouble(surfing, ada, tickets, way):
    assert surfing(ada).get(f"{tickets}/3?{way}").status == 200


def test_commands_in_brackets_are_carried_out(surfing, ada, ticket):
    page = reply(surfing(ada), ticket, body="[state:hold responsible:me]")
    assert page.status == 200
    item = ada.get(ticket).item
    assert (item["state"], item["assigned_user_id"]) == ("hold", ada.user_id)
