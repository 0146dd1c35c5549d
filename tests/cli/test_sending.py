"""Sending is paused and resumed at the terminal, and paused after a restore."""


def test_sending_is_paused_and_resumed(terminal):
    assert terminal.good("sending", "status") == "Sending is not paused.\n"
    assert terminal.good("sending", "pause").startswith("Sending is paused.")
    assert terminal.good("sending", "status").startswith("Sending is paused since 2")
    assert terminal.good("sending", "resume").startswith("Sending is resumed.")
    assert terminal.good("sending", "status") == "Sending is not paused.\n"


def test_after_a_restore_nothing_is_sent_until_somebody_resumes_sending(target, run, small):
    said = run(target, "restore", small[1])
    assert "Nothing is sent until you run 'skerry sending resume'" in said
    assert "Sending is paused since" in run(target, "sending", "status")
    run(target, "sending", "resume")
    assert run(target, "sending", "status") == "Sending is not paused.\n"


def test_addresses_in_mails_are_signed_anew(terminal):
    assert terminal.good("account", "renew-mail-addresses").startswith("New mails have new addresses.")
