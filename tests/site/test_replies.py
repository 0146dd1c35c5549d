"""Replies to a ticket on its page, also while others change it, without scripts."""

import pytest

from tests.support.forms import file
from tests.web.test_avatars import picture

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000020000000108020000007b40e8dd0000000c4944415478da63f8cfc00000"
    "030101003a9c5ae40000000049454e44ae426082"
)


def reply(web, ticket, page=None, files=None, **fields):
    """Send the reply form of a ticket with other values in some fields."""
    values = {f"ticket[{name}]": value for name, value in fields.items()}
    return web.press(page or web.get(ticket), "_seen", files, **values)


def run(web, page, command):
    """Send a command as the palette does."""
    page.reading.forms[:] = [
        form for form in page.reading.forms if dict(form.fields).get("_seen") == "command"
    ]
    return web.press(page, "ticket[body]", **{"ticket[body]": command})


def values_of(page):
    """Return what stands in the fields of the reply form."""
    return next(dict(form.fields) for form in page.reading.forms if "_seen" in dict(form.fields))


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


def test_a_reply_may_say_again_what_the_ticket_says(surfing, ada, ticket):
    text = ada.get(ticket).item["body"]
    reply(surfing(ada), ticket, body=text)
    assert [version["body"] for version in ada.get(ticket).item["versions"]] == [text, text]


def test_a_refused_reply_loses_nothing(surfing, ada, ticket):
    page = reply(surfing(ada), ticket, body="Long *story*", importance=12345678901, state="hold")
    assert page.status == 422
    assert "Importance must be a whole number from 0 to 2147483647" in page.text
    assert values_of(page)["ticket[body]"] == "Long *story*"
    assert ada.get(ticket).item["version"] == 1


def test_an_empty_reply_makes_no_version(surfing, ada, ticket):
    page = reply(surfing(ada), ticket)
    assert page.status == 422
    assert "Nothing to save" in page.text
    assert ada.get(ticket).item["version"] == 1


def test_a_ticket_whose_state_is_gone_can_be_replied_to(surfing, ada, ticket):
    web, states = surfing(ada), {"open_states": "fresh/f17", "closed_states": "done/6a0"}
    ada.put(f"{ticket.partition('/tickets')[0]}/settings", {"settings": states})
    page = reply(web, ticket, body="Still wet")
    assert page.status == 200
    item = ada.get(ticket).item
    assert (item["versions"][-1]["body"], item["state"]) == ("Still wet", "new")


def test_a_reply_that_is_sent_twice_is_taken_once(surfing, ada, ticket):
    web = surfing(ada)
    page = web.get(ticket)
    answers = [reply(web, ticket, page, body="Once") for _ in range(2)]
    assert [answer.status for answer in answers] == [200, 200]
    assert ada.get(ticket).item["version"] == 2


def test_files_are_sent_with_a_reply_and_pictures_are_shown(surfing, ada, ticket):
    files = [file(PNG, "stairs.png", "image/png"), file(b"wet")]
    page = reply(surfing(ada), ticket, files=files, body="Look")
    names = {file["filename"] for file in ada.get(ticket).item["attachments"]}
    assert names == {"stairs.png", "notes.txt"}
    article = page.source.partition('id="v2"')[2]
    assert 'alt="stairs.png"' in article
    assert "notes.txt" in article
    assert 'alt="notes.txt"' not in page.source


@pytest.mark.parametrize(
    ("size", "shown"),
    [((64, 48), (64, 48)), ((1200, 800), (384, 256)), ((1, 1024), (1, 256)), ((1024, 8), (1024, 8))],
)
def test_the_place_of_a_picture_is_as_large_as_it_is_shown_before_it_comes(surfing, ada, ticket, size, shown):
    page = reply(surfing(ada), ticket, files=[file(picture(size=size), "stairs.png", "image/png")])
    width, height = shown
    assert f'alt="stairs.png" width="{width}" height="{height}"' in page.source


@pytest.mark.parametrize(
    ("language", "count", "size"),
    [("en", 1500, "1.5 KiB"), ("de", 1500, "1,5 KiB"), ("en", 1, " 1 byte "), ("de", 700, " 700 Byte")],
)
def test_the_size_of_a_file_is_in_the_number_format_of_the_reader(
    surfing, ada, ticket, language, count, size
):
    web = surfing(ada)
    web.cookies["skerry-language"] = language
    assert size in reply(web, ticket, files=[file(b"x" * count)]).text


def test_a_form_without_a_file_is_one(surfing, ada, ticket):
    nothing = [file(b"", "", "application/octet-stream")]
    assert reply(surfing(ada), ticket, files=nothing, body="Dry").status == 200
    assert ada.get(ticket).item["attachments"] == []


def test_a_concurrent_change_is_shown_and_nothing_is_overwritten(surfing, ada, ben, ticket):
    web = surfing(ada)
    page = web.get(ticket)
    ben.put(ticket, {"ticket": {"body": "I was faster", "state": "open", "importance": 5}})
    page = reply(web, ticket, page, body="Slow words", tag="wet cold")
    assert page.status == 412
    assert "Ben changed this while you were writing" in page.text
    assert page.text.count("I was faster") == 2
    values = values_of(page)
    assert (values["ticket[body]"], values["_seen"].partition("-")[0]) == ("Slow words", "2")
    item = ada.get(ticket).item
    assert (item["version"], item["state"], item["tag"]) == (2, "open", "wet")


def test_a_concurrent_change_is_not_overwritten_even_if_its_comment_was_deleted(surfing, ada, ben, ticket):
    web = surfing(ada)
    page = web.get(ticket)
    ben.put(ticket, {"ticket": {"body": "It holds", "state": "resolved", "importance": 5}})
    assert ben.delete(f"{ticket}/versions/2").status == 200
    page = reply(web, ticket, page, body="Slow words", tag="wet cold")
    assert page.status == 412
    assert "This was changed while you were writing" in page.text
    assert values_of(page)["ticket[body]"] == "Slow words"
    assert reply(web, ticket, page).status == 200
    item = ada.get(ticket).item
    assert (item["state"], item["importance"], item["tag"]) == ("resolved", 5, "wet")


def test_a_state_that_is_spelt_otherwise_meanwhile_is_no_change_of_the_ticket(surfing, ada, ticket):
    web = surfing(ada)
    page = web.get(ticket)
    states = {"open_states": "NEW/f17", "closed_states": "done/6a0"}
    ada.put(f"{ticket.partition('/tickets')[0]}/settings", {"settings": states})
    assert reply(web, ticket, page, body="Slow words").status == 200
    item = ada.get(ticket).item
    assert (item["state"], item["version"]) == ("NEW", 2)


def test_a_reply_is_accepted_after_the_new_comments_were_shown(surfing, ada, ben, ticket):
    web = surfing(ada)
    page = web.get(ticket)
    ben.put(ticket, {"ticket": {"state": "open"}})
    page = reply(web, ticket, reply(web, ticket, page, body="Slow words"))
    assert page.status == 200
    item = ada.get(ticket).item
    assert (item["version"], item["state"]) == (3, "open")
    assert item["versions"][-1]["body"] == "Slow words"


@pytest.mark.parametrize("seen", ["", "x", "٣", "9" * 5000])
def test_a_reply_that_names_no_version_is_accepted(surfing, ada, ticket, seen):
    web = surfing(ada)
    page = web.press(web.get(ticket), "_seen", **{"_seen": seen, "ticket[body]": "Dry"})
    assert page.status == 200
    assert ada.get(ticket).item["version"] == 2


def test_a_new_watcher_causes_no_edit_conflict(surfing, ada, ben, ticket):
    web, other = surfing(ada), surfing(ben)
    page = web.get(ticket)
    watch(other, ticket)
    assert reply(web, ticket, page, body="Go on").status == 200


def watch(web, ticket):
    """Press the button that begins or ends watching."""
    return web.press(web.get(ticket), "watching")


def test_commands_in_brackets_are_carried_out(surfing, ada, ticket):
    page = reply(surfing(ada), ticket, body="[state:hold responsible:me]")
    assert page.status == 200
    item = ada.get(ticket).item
    assert (item["state"], item["assigned_user_id"]) == ("hold", ada.user_id)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("state:reslved", "There is no state 'reslved'"),
        ("state:hold tagged", "The text at 12 is not a command"),
        ("state:hold project:roof", "Only a bulk edit moves tickets to another project"),
        ("", "There is no command"),
        ("state:hold tagged:dry,cold", "A value with a comma must be in quotes"),
        (f"tagged:({','.join(map(str, range(100)))})", "Ticket 1: too many tags"),
    ],
)
def test_a_failing_command_is_reported_and_adds_no_comment(surfing, ada, ticket, command, sentence):
    web = surfing(ada)
    page = run(web, web.get(ticket), f"[{command}]")
    assert (page.status, sentence in page.text) == (422, True)
    assert values_of(page)["ticket[body]"] == f"[{command}]"
    assert ada.get(ticket).item["version"] == 1
    page = run(web, page, "[state:hold not-tagged:wet tagged:'dry,cold']")
    item = ada.get(ticket).item
    assert (page.status, item["state"], item["tag"]) == (200, "hold", "cold dry")
