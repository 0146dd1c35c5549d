"""Incoming mail: it comments on tickets, opens new ones, or does nothing."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from urllib.parse import urlencode

import pytest

from skerry.mail.incoming.delivery import Deliverer
from skerry.store.auth import account_logins
from skerry.store.people import people
from skerry.tracker.mail.senders import MAX_PER_HOUR
from tests.conftest import MAIL_HOST, build_world
from tests.mail.mails import address_of, mail, verify, with_proof
from tests.support.client import Mail
from tests.web.test_events import happened

pytestmark = pytest.mark.matrix("both")


@pytest.fixture
def take_all(ada, roof):
    """The project takes mail from everybody."""
    assert ada.put(f"/projects/{roof}/settings", {"settings": {"mail_from_anyone": True}}).status == 200


def sent(ada, message):
    """Hand a mail in and return what became of it."""
    answer = ada.post("/mail", message)
    assert answer.status == 200, answer.body
    return answer.item


def comments(ada, ticket):
    return [version["body"] for version in ada.get(ticket).item["versions"][1:]]


def with_file(message, name="roof.png", content="wet"):
    """Return a mail with a file behind its text."""
    head, _, text = message.raw.decode().partition("\n\n")
    kind = 'Content-Type: multipart/mixed; boundary="b"'
    file = f"Content-Disposition: attachment; filename={name}\nContent-Type: image/png\n\n{content}"
    return Mail(f"{head}\n{kind}\n\n--b\n\n{text}\n--b\n{file}\n--b--\n".encode())


# --- Answers ---------------------------------------------------------------------------------------


def test_an_answer_is_a_comment_of_whoever_got_the_mail(world, ada, ben, reply, ticket):
    result = sent(ada, mail(ben.email, reply, "Since May.\n\n> Since when?"))
    assert (result["result"], result["number"], result["version"]) == ("comment", 1, 2)
    version = ada.get(ticket).item["versions"][1]
    assert (version["body"], version["user_id"]) == ("Since May.", ben.user_id)
    event = happened(world)[-1]
    assert (event["type"], event["via"], event["user_id"]) == ("ticket.updated", "mail", ben.user_id)


def test_an_answer_from_another_address_is_refused(ada, cy, reply, ticket):
    result = sent(ada, mail(cy.email, reply))
    assert result["result"] == "refused"
    assert result["reason"] == "Reply from the address that the mail was sent to"
    assert comments(ada, ticket) == []


def test_an_answer_whose_sender_the_mail_server_disproves_is_refused(ada, ben, reply, ticket):
    assert sent(ada, with_proof(mail(ben.email, reply), "fail"))["result"] == "refused"
    assert sent(ada, with_proof(mail(ben.email, reply), "pass"))["result"] == "comment"


def test_a_former_member_cannot_comment(ada, ben, reply, roof, ticket):
    found = ada.get(f"/projects/{roof}/memberships").items
    (membership,) = [each["id"] for each in found if each["user_id"] == ben.user_id]
    ada.delete(f"/projects/{roof}/memberships/{membership}")
    assert sent(ada, mail(ben.email, reply))["result"] == "refused"
    assert comments(ada, ticket) == []


def test_a_forged_address_accepts_no_mail(ada, ben, reply, ticket):
    forged = reply.replace(reply[20], "a" if reply[20] != "a" else "b")
    assert ada.post("/mail", mail(ben.email, forged)).status == 422
    assert comments(ada, ticket) == []


def test_an_address_of_another_account_accepts_no_mail_here(instance_and_log, ben, reply):
    other = build_world(*instance_and_log).people["ada"]
    assert other.post("/mail", mail(ben.email, reply)).status == 422


def test_commands_act_in_the_text_and_in_the_subject(ada, ben, reply, ticket):
    sent(ada, mail(ben.email, reply, "Done [state:resolved]"))
    assert ada.get(ticket).item["state"] == "resolved"
    sent(ada, mail(ben.email, reply, "Not quite", subject="Re: [Roof #1] The roof leaks [state:open]"))
    assert ada.get(ticket).item["state"] == "open"
    assert comments(ada, ticket)[-1] == "Not quite\n\n[state:open]"


def test_a_command_in_a_title_does_nothing(ada, ben, reply, ticket):
    ada.put(ticket, {"ticket": {"title": "Why [state:resolved]"}})
    sent(ada, mail(ben.email, reply, "I see", subject="Re: [Roof #1] Why [state:resolved]"))
    assert ada.get(ticket).item["state"] == "new"


def test_files_are_attached_to_the_comment(ada, ben, reply, ticket):
    assert sent(ada, with_file(mail(ben.email, reply)))["result"] == "comment"
    (attachment,) = ada.get(ticket).item["attachments"]
    found = attachment.get("attachment") or attachment.get("image") or attachment
    assert (found["filename"], found["uploader_id"]) == ("roof.png", ben.user_id)


def test_an_answer_that_only_quotes_is_refused(ada, ben, reply, ticket):
    result = sent(ada, mail(ben.email, reply, "> Since when?"))
    assert result["reason"] == "The mail contains nothing except quoted text"


# --- New tickets -----------------------------------------------------------------------------------


def test_a_member_whose_address_is_proven_opens_a_ticket(world, ada, ben, roof):
    verify(world, ben)
    subject = "Re: Wet ceiling [tagged:rain importance:3]"
    message = mail(ben.email, address_of(world, roof), "All day", subject)
    result = sent(ada, with_proof(message))
    assert (result["result"], result["project_id"]) == ("ticket", roof)
    ticket = ada.get(f"/projects/{roof}/tickets/{result['number']}").item
    assert (ticket["title"], ticket["tag"], ticket["importance"]) == ("Wet ceiling", "rain", 3)
    assert ticket["creator_id"] == ben.user_id
    assert happened(world)[-1]["via"] == "mail"


@pytest.mark.parametrize("proof", ["fail", "none", ""])
def test_a_member_whose_address_is_not_proven_is_a_stranger_and_learns_why(world, ada, ben, roof, proof):
    verify(world, ben)
    message = mail(ben.email, address_of(world, roof))
    result = sent(ada, with_proof(message, proof) if proof else message)
    assert result["result"] == "refused"
    assert "the mail server could not verify the sender" in result["reason"]


def test_a_member_learns_that_the_operator_has_to_name_the_mail_server(world, ben, roof):
    verify(world, ben)
    message = with_proof(mail(ben.email, address_of(world, roof)))
    (result,) = limited(world, mail_authserv="").deliver(message.raw)
    assert result.reason.endswith("ask the operator to set SKERRY_MAIL_AUTHSERV")


def test_a_stranger_who_is_proven_learns_that_the_project_takes_no_mail(world, ada, roof):
    result = sent(ada, with_proof(mail("dora@example.net", address_of(world, roof))))
    assert result["reason"] == "This project does not accept mail from this address"


def test_an_address_that_was_never_verified_proves_nothing(world, ada, ben, roof):
    result = sent(ada, with_proof(mail(ben.email, address_of(world, roof))))
    assert result["reason"] == "Verify your address on your profile first, then send the mail again"


def test_the_result_of_another_mail_server_proves_nothing(world, ada, ben, roof):
    verify(world, ben)
    forged = Mail(with_proof(mail(ben.email, address_of(world, roof))).raw.replace(b"mx.tracker", b"mx.evil"))
    assert sent(ada, forged)["result"] == "refused"


def test_strangers_open_tickets_if_the_project_takes_them(world, ada, ben, roof, take_all):
    message = mail("dora@example.net", address_of(world, roof), "Wet [state:resolved]")
    ticket = ada.get(f"/projects/{roof}/tickets/{sent(ada, message)['number']}").item
    assert (ticket["creator_name"], ticket["state"]) == ("Somebody (by mail)", "new")
    again = sent(ada, mail("dora@example.net", address_of(world, roof)))
    assert ada.get(f"/projects/{roof}/tickets/{again['number']}").item["creator_id"] == ticket["creator_id"]


def test_a_forged_address_of_a_member_is_not_that_member(world, ada, ben, roof, take_all):
    verify(world, ben)
    result = sent(ada, mail(ben.email, address_of(world, roof), "[state:resolved]"))
    ticket = ada.get(f"/projects/{roof}/tickets/{result['number']}").item
    assert ticket["creator_id"] != ben.user_id
    assert ticket["state"] == "new"


@pytest.mark.parametrize("length", [255, 256, 900, 3900])
@pytest.mark.parametrize("command", ["", " [tagged:rain]"])
def test_no_word_of_a_long_subject_is_lost(world, ada, ben, roof, length, command):
    verify(world, ben)
    words = "gutter " * (length // 7 - 1) + "x" * (7 + length % 7)
    message = with_proof(mail(ben.email, address_of(world, roof), "All day", f"{words}{command}"))
    ticket = ada.get(f"/projects/{roof}/tickets/{sent(ada, message)['number']}").item
    (is_long, tag) = (length > 255, "rain" if command else None)
    assert (len(ticket["title"]) <= 255, ticket["title"].endswith("…")) == (True, is_long)
    assert words.startswith(ticket["title"].rstrip("…"))
    parts = [words] * is_long + ["All day"] + [command.strip()] * bool(command)
    assert (ticket["body"], ticket["tag"]) == ("\n\n".join(parts), tag)


def test_a_mail_without_a_subject_takes_its_title_from_a_long_line_that_stays(world, ada, ben, roof):
    verify(world, ben)
    message = with_proof(mail(ben.email, address_of(world, roof), "gutter " * 60, ""))
    ticket = ada.get(f"/projects/{roof}/tickets/{sent(ada, message)['number']}").item
    assert (ticket["title"], ticket["body"]) == ("gutter " * 35 + "gutter…", ("gutter " * 60).strip())


def test_a_proven_person_from_outside_is_a_stranger(world, ada, cy, harbour, roof):
    verify(world, cy)
    for project in (harbour, roof):
        assert sent(ada, with_proof(mail(cy.email, address_of(world, project))))["result"] == "refused"


def test_a_stranger_who_was_removed_sends_no_more(world, ada, roof, take_all):
    message = with_proof(mail("sam@spam.example", address_of(world, roof)))
    ticket = ada.get(f"/projects/{roof}/tickets/{sent(ada, message)['number']}").item
    with world.write() as transaction:
        account_logins.disable(transaction, ticket["creator_id"])
    result = sent(ada, with_proof(mail("sam@spam.example", address_of(world, roof))))
    assert (result["result"], result["reason"]) == ("refused", "Your login is disabled")


def test_a_disabled_person_opens_no_ticket_as_a_stranger(world, ada, ben, roof, take_all):
    verify(world, ben)
    with world.write() as transaction:
        people.leave_account(transaction, ben.user_id)
        account_logins.disable(transaction, ben.user_id)
    result = sent(ada, with_proof(mail(ben.email, address_of(world, roof))))
    assert result["reason"] == "Your login is disabled"


def test_an_archived_project_takes_no_mail(world, ada, ben, roof, take_all):
    ada.put(f"/projects/{roof}", {"project": {"archived": True}})
    assert sent(ada, mail("dora@example.net", address_of(world, roof)))["result"] == "refused"


def test_the_address_of_a_project_is_told_to_its_members_where_mails_come_in(world, ben, roof, monkeypatch):
    assert ben.get(f"/projects/{roof}/settings").item["mail_address"] == ""
    monkeypatch.setattr(world.database, "mail_host", MAIL_HOST)
    assert ben.get(f"/projects/{roof}/settings").item["mail_address"] == address_of(world, roof)


# --- What does nothing -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto_Submitted": "auto-replied"},
        {"Precedence": "bulk"},
        {"Return_Path": "<>"},
        {"Content_Type": "multipart/report; boundary=b"},
    ],
)
def test_mail_from_a_program_does_nothing(ada, ben, reply, ticket, headers):
    assert sent(ada, mail(ben.email, reply, **headers))["result"] == "ignored"
    assert comments(ada, ticket) == []


@pytest.mark.parametrize("headers", [{"Auto_Submitted": "auto-generated"}, {"Return_Path": "<>"}])
def test_mail_from_a_program_to_a_project_does_nothing(world, ada, roof, take_all, headers):
    message = mail("dora@example.net", address_of(world, roof), **headers)
    assert sent(ada, message)["result"] == "ignored"


@pytest.mark.parametrize(
    "headers",
    [
        {"X_Auto_Response_Suppress": "DR, OOF, AutoReply"},
        {"X_Loop": "roof@example.org"},
        {"X_Autoreply": "no"},
        {"List_Unsubscribe": "<https://example.org/u>"},
        {"Auto_Submitted": "No (a person)"},
        {"subject": "Out of office calendar is wrong"},
        {"subject": "Undeliverable parcels are listed twice"},
        {"subject": "Automatic reply is sent to nobody"},
    ],
)
def test_mail_from_a_person_is_accepted(world, ada, ben, reply, roof, take_all, headers):
    assert sent(ada, mail(ben.email, reply, **headers))["result"] == "comment"
    assert sent(ada, mail("dora@example.net", address_of(world, roof), **headers))["result"] == "ticket"


@pytest.mark.parametrize(
    "headers", [{"List_Id": "<roofs.example.net>"}, {"Precedence": "list"}, {"Precedence": "bulk"}]
)
def test_a_group_may_write_to_a_project(world, ada, roof, take_all, headers):
    message = mail("dora@example.net", address_of(world, roof), **headers)
    assert sent(ada, message)["result"] == "ticket"


def test_a_bounce_by_its_envelope_does_nothing(ada, ben, reply, ticket):
    assert ada.post("/mail?from=", mail(ben.email, reply)).item["result"] == "ignored"
    envelope = urlencode({"from": ben.email, "to": reply})
    assert ada.post(f"/mail?{envelope}", mail(ben.email, "x@y.example")).item["result"] == "comment"


def test_the_same_message_twice_is_one_comment(ada, ben, reply, ticket):
    message = mail(ben.email, reply)
    assert [sent(ada, message)["result"] for _ in range(3)] == ["comment", "ignored", "ignored"]
    assert len(comments(ada, ticket)) == 1


def test_more_than_twenty_mails_an_hour_do_nothing(ada, ben, reply, ticket):
    messages = [mail(ben.email, reply, f"Drop {number}") for number in range(MAX_PER_HOUR + 3)]
    results = [sent(ada, message)["result"] for message in messages]
    assert results == ["comment"] * MAX_PER_HOUR + ["ignored"] * 3


def test_a_message_that_is_not_sent_as_one_is_refused(ada):
    assert ada.post("/mail", {"mail": {}}).status == 415
    assert ada.send("POST", "/mail", kind="message/rfc822").status == 400
    assert ada.post("/mail", mail("ada@example.org", "nobody@tracker.example")).status == 422


def test_the_same_message_twice_at_once_is_one_comment(world, ada, ben, reply, ticket):
    instance, message = world.instance, mail(ben.email, reply)
    deliverer = Deliverer(instance.database, instance.blobs, instance.settings)
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda _: deliverer.deliver(message.raw)[0].result, range(4))
    assert sorted(found) == ["comment", "ignored", "ignored", "ignored"]
    assert len(comments(ada, ticket)) == 1


def test_a_message_that_could_not_be_carried_out_leaves_no_file(world, ada, ben, reply, ticket):
    instance = world.instance
    deliverer = Deliverer(instance.database, instance.blobs, instance.settings)
    kept = sorted(path.name for path in instance.settings.data.rglob("*") if path.is_file())
    assert deliverer.deliver(with_file(mail("cy@example.org", reply)).raw)[0].result == "refused"
    after = sorted(path.name for path in instance.settings.data.rglob("*") if path.is_file())
    assert [name for name in after if name not in kept and "sqlite" not in name] == []


def limited(world, **limits):
    instance = world.instance
    return Deliverer(instance.database, instance.blobs, replace(instance.settings, **limits))


def test_files_have_the_limit_that_they_have_on_the_site(world, ada, ben, reply, ticket):
    message = with_file(mail(ben.email, reply), content="wet" * 1000)
    (result,) = limited(world, upload_limit=1024).deliver(message.raw)
    assert (result.result, result.reason) == ("refused", "The file roof.png is too large (at most 1 KiB)")
    assert comments(ada, ticket) == []


def test_strangers_may_send_as_much_as_guests_on_the_site(world, roof, take_all):
    message = with_file(mail("dora@example.net", address_of(world, roof)), content="wet" * 1000)
    (result,) = limited(world, guest_daily_bytes=1024).deliver(message.raw)
    assert result.reason.startswith("People who are not members may send at most 1 KiB")
