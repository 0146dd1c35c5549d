"""Parsing of any mail, in bounded time."""

import time
from email.header import Header
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from skerry.mail.incoming import parsing
from skerry.mail.incoming.contents import MAX_TEXT_LENGTH
from skerry.mail.incoming.parsing import MAX_PARTS, MAX_SIZE, parse
from skerry.mail.incoming.quotes import divide

CORPUS = [path.read_bytes() for path in sorted((Path(__file__).parent / "corpus").glob("*.eml"))]
FROM = b"From: ben@example.org\n"
MARKS = "\u200e\u200f\u202a\u202b\u202c\u2068\u2069\ufeff\ue000"
# Measuring coverage takes three times as long.
SECONDS = 30
"""Far more than any of these takes, and far less than work that grows by the square of a text's length."""


def sized(pattern, size=150_000):
    return (pattern * (size // len(pattern) + 1))[:size]


def nested(depth):
    head = b"".join(
        b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (n, n) for n in range(depth)
    )
    return FROM + head + b"\n" + sized(b"wet\n", 400_000)


HOSTILE = {
    "comments": FROM + b"Subject: " + sized(b"(", 200_000) + b"\n\n",
    "sender of comments": b"From: " + sized(b"(", 200_000) + b"\n\n",
    "recipients": FROM + b"To: " + sized(b"a@b.example, ", 200_000) + b"\n\n",
    "encoded words": FROM + b"Subject: " + sized(b"=?utf-8?q?=?= ", 200_000) + b"\n\n",
    "many headers": FROM + sized(b"To: a@b.example\n", 260_000) + b"\n",
    "endless header": FROM + sized(b"X-A: b\n"),
    "endless type": FROM + b"Content-Type: text/plain; " + sized(b'a="', 200_000) + b"\n\nwet",
    "nested parts": nested(14),
    "nested too deep": nested(3000),
    "many parts": FROM + b"Content-Type: multipart/mixed; boundary=b\n\n" + sized(b"--b\n\n"),
    "quotes": FROM + b"\n" + sized(b">" * 100 + b"\n"),
    "long quotes": FROM + b"\n" + sized(b"> "),
    "who wrote": FROM + b"\n" + sized(b"On 1 wrote "),
    "who wrote each line": FROM + b"\n" + sized(b"On 1 Ada wrote:\n"),
    "from each line": FROM + b"\n" + sized(b"From: a\n"),
    "headers each line": FROM + b"\n" + sized(b"Word: a@b.example 2026\n"),
    "attributions each line": FROM + b"\nwet\n" + sized(b"1 <a@b.example> wrote 10:00 2026 <\n"),
    "reply lines": FROM + b"\nwet\n" + sized(b"> --- Reply above this line ---\nwet\n"),
    "titles": FROM + b"\nwet\n" + sized(b"-- a --\n"),
    "one long address": FROM + b"\nwet\n" + sized(b"a.a-a_a+", 400_000) + b"@b:\n> wet\n",
    "quotes in named elements": FROM
    + b"Content-Type: text/html\n\n"
    + sized(b"<div class=gmail_quote><blockquote>a"),
    "named elements": FROM + b"Content-Type: text/html\n\n" + sized(b"<p class=gmail_quote>a<blockquote>b"),
    "rules": FROM + b"\n" + sized(b"__________\n"),
    "blanks": FROM + b"\n" + sized(b" \n"),
    "dashes": FROM + b"\n" + sized(b"-- \n"),
    "flowed": FROM + b"Content-Type: text/plain; format=flowed; delsp=yes\n\n" + sized(b"wet \n"),
    "punycode": FROM + b"Content-Type: text/plain; charset=punycode\n\n" + sized(b"a-b"),
    "base64": FROM + b"Content-Transfer-Encoding: base64\n\n" + sized(b"=A=="),
    "uuencoded": FROM + b"Content-Transfer-Encoding: uuencode\n\nbegin 644 a\n" + sized(b"#"),
    "nested html": FROM + b"Content-Type: text/html\n\n" + sized(b"<div>"),
    "nested quotes in html": FROM + b"Content-Type: text/html\n\n" + sized(b"<blockquote>"),
    "nested letters in html": FROM + b"Content-Type: text/html\n\n" + sized(b"<b><i><a href=x>"),
    "nested tables in html": FROM + b"Content-Type: text/html\n\n" + sized(b"<table><tr><td>"),
    "nested lists in html": FROM + b"Content-Type: text/html\n\n" + sized(b"<ul><li>"),
    "nested and hidden in html": FROM
    + b"Content-Type: text/html\n\n"
    + sized(b"<ul><li><table><tr><td></ul></table>"),
    "paragraphs in html": FROM + b"Content-Type: text/html\n\n" + sized(b"<p><b>"),
    "ampersands in html": FROM + b"Content-Type: text/html\n\n" + sized(b"&", 100_000),
    "letters and ampersands in html": FROM + b"Content-Type: text/html\n\n" + sized(b"&a"),
    "open comment in html": FROM + b"Content-Type: text/html\n\n" + sized(b"<!--"),
    "open attribute in html": FROM + b"Content-Type: text/html\n\n<a " + sized(b"a='"),
    "forwarded": FROM + b"\n" + sized(b"---------- Forwarded message ---------\n"),
    "addresses": FROM + b"To: " + sized(b"a@", 200_000) + b"\n\n",
    "results": FROM + sized(b"Authentication-Results: a; dmarc=(((((((\n", 250_000) + b"\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_message_takes_long(name):
    begun = time.process_time()
    mail = parse(HOSTILE[name], "a")
    assert time.process_time() - begun < SECONDS
    assert len(mail.whole.own) <= MAX_TEXT_LENGTH
    assert len(mail.files) <= MAX_PARTS


def test_an_oversized_message_has_a_problem_and_a_sender():
    too_large = FROM + b"\n" + b"a" * MAX_SIZE
    assert parse(too_large).problem == "The message is too large (at most 32 MiB)"
    assert parse(too_large).sender == "ben@example.org"
    assert "parts" in parse(HOSTILE["many parts"]).problem
    assert "header" in parse(HOSTILE["endless header"]).problem
    assert "lines" in parse(FROM + b"\n" + b"\n" * 3 * parsing.MAX_LINES).problem


def test_a_text_that_is_cut_says_so_unless_only_a_quote_is_cut():
    assert parse(FROM + b"\n" + b"a" * MAX_TEXT_LENGTH).whole.own == "a" * MAX_TEXT_LENGTH
    for head in (b"\n", b"Content-Type: text/html\n\n<p>"):
        text = parse(FROM + head + b"a" * (MAX_TEXT_LENGTH + 1)).whole.own
        assert (text[0], text[-3:]) == ("a", "[…]")
        assert len(text) <= MAX_TEXT_LENGTH
    quoted = b"\nYes.\n\n" + b"> a\n" * (MAX_TEXT_LENGTH // 3)
    assert parse(FROM + quoted).reply.own == "Yes."


@given(st.binary(max_size=400))
@settings(deadline=None)
@example(b"")
@example(b"From: \xff\xfe\n\n\xff")
@example(b"From: =?punycode?q?a?= <a@b.example>\nSubject: =?utf-8?b?=?=\nContent-Type: \x00\n\n")
def test_no_bytes_raise_an_error(raw):
    parse(raw, "a").reply.own.encode()


@given(st.sampled_from(CORPUS), st.data())
@settings(deadline=None, max_examples=150)
def test_a_damaged_message_raises_no_error(raw, data):
    start = data.draw(st.integers(0, len(raw)))
    end = data.draw(st.integers(start, min(len(raw), start + 60)))
    damaged = raw[:start] + data.draw(st.binary(max_size=20)) + raw[end:]
    mail = parse(damaged, "mx.tracker.example", "ben@example.org")
    for said in (
        mail.whole.own,
        mail.subject,
        mail.sender,
        mail.sender_name,
        *(file.filename for file in mail.files),
    ):
        said.encode()
        assert "\0" not in said


@given(st.text(max_size=500), st.text(max_size=20))
@settings(deadline=None)
def test_a_text_loses_nothing_but_what_is_quoted(text, subject):
    found = divide(text, subject)
    words = {*found.own.split(), *found.quoted.split()}
    assert words == set(text.split()) or any(mark in text for mark in MARKS)
    assert set(found.commands.split()) <= set(found.own.split())


def test_the_same_bytes_without_an_id_are_the_same_message():
    assert parse(FROM + b"\nwet").message_id == parse(FROM + b"\nwet").message_id
    assert parse(FROM + b"\nwet").message_id != parse(FROM + b"\ndry").message_id


def test_an_envelope_without_a_sender_is_automatic():
    for nobody in ("", "MAILER-DAEMON"):
        assert parse(FROM + b"\nwet", return_path=nobody).automatic == "empty return path"
    assert parse(FROM + b"\nwet", return_path="ben@example.org").automatic == ""


@pytest.mark.parametrize(
    ("sender", "address", "name"),
    [
        ("Byron, Ada <ada@example.org>", "ada@example.org", "Byron, Ada"),
        ("Ada (Roofs) [Ltd.]; Byron: <Ada@Example.org>", "ada@example.org", "Ada (Roofs) [Ltd.]; Byron:"),
        ("Ada @ Roofs <ada@example.org>", "ada@example.org", "Ada @ Roofs"),
        ("ada@example.org <ada@example.org>", "ada@example.org", "ada@example.org"),
        ('"Ada <ada@example.org>', "ada@example.org", "Ada"),
        ("Byron, <ada@example.org>, ", "ada@example.org", "Byron,"),
        ("Roofs: ada@example.org;", "ada@example.org", ""),
        ("Roofs: Ada <ada@example.org>;", "ada@example.org", "Roofs: Ada"),
        ("ada@example.org (Ada Byron)", "ada@example.org", "Ada Byron"),
        ("Ada (x@evil.example) <ada@example.org>", "ada@example.org", "Ada (x@evil.example)"),
        ('"x@evil.example" <ada@example.org>', "ada@example.org", "x@evil.example"),
        ('"Ada \\"Countess\\" Byron" <ada@example.org>', "ada@example.org", 'Ada "Countess" Byron'),
        ("=?utf-8?q?Byron=2C_Ad=C3=A4?= <ada@example.org>", "ada@example.org", "Byron, Adä"),
        ('"=?utf-8?q?Ad=C3=A4?=" <ada@example.org>', "ada@example.org", "Adä"),
        ("=?utf-8?q?Ad=C3=A4?=<ada@example.org>", "ada@example.org", "Adä"),
        ("=?utf-8?q?Ad=C3=A4_=3Cada=40example=2Eorg=3E?=", "ada@example.org", "Adä"),
        ("< ada@example.org >", "ada@example.org", ""),
        ("<mailto:ada@example.org>", "ada@example.org", ""),
        ("Adä <ada@example.org>", "ada@example.org", "Adä"),
        ("O'Neil, Ada <a.o'neil@example.org>", "a.o'neil@example.org", "O'Neil, Ada"),
        ("a.o'neil@example.org", "a.o'neil@example.org", ""),
        ("<'ada@example.org'>", "ada@example.org", ""),
        ("'ada@example.org'", "ada@example.org", ""),
        ("Ada <ada@bücher.example>", "ada@xn--bcher-kva.example", "Ada"),
        (f"Ada <{'x' * 61}ada@example.org>", f"{'x' * 61}ada@example.org", "Ada"),
        (f"Ada <{'x' * 62}ada@example.org>", "", ""),
        ("ada@example.org, ben@example.org", "", ""),
        ("Roofs: ada@example.org, ben@example.org;", "", ""),
        ("Roofs:;", "", ""),
        ("nobody", "", ""),
    ],
)
def test_the_one_address_of_a_sender_is_found_however_it_is_written(sender, address, name):
    mail = parse(f"From: {sender}\n\nwet".encode())
    assert (mail.sender, mail.sender_name) == (address, name)


@pytest.mark.parametrize(
    "sender",
    [
        b"ben@example.org <x@evil.example>",
        b"<ben@example.org> <x@evil.example>",
        b"ben@example.org, x@evil.example",
        b"ben@example.org;x@evil.example",
        b'"ben@example.org" <x@evil.example>',
        b"=?utf-8?q?ben=40example.org?= <x@evil.example>",
    ],
)
def test_an_ambiguous_sender_is_never_verified(sender):
    proof = b"Authentication-Results: mx.tracker.example; dmarc=pass header.from=example.org\n"
    mail = parse(proof + b"From: " + sender + b"\n\nwet", "mx.tracker.example")
    assert (mail.sender, mail.proof) in (("", ""), ("x@evil.example", ""))


@pytest.mark.parametrize(
    "hidden",
    [
        b'spf=pass smtp.mailfrom="a; dmarc=pass header.from=example.org"',
        b'spf=fail reason="a\\"; dmarc=pass header.from=example.org; "',
        b"spf=pass (a; dmarc=pass header.from=example.org)",
        b"spf=pass ((a) ; dmarc=pass header.from=example.org ; (b))",
        b"spf=pass (a\\) ; dmarc=pass header.from=example.org",
        b'spf=pass reason="(" (a"; dmarc=pass header.from=example.org)',
    ],
)
def test_text_of_the_sender_in_the_result_of_the_mail_server_proves_nothing(hidden):
    results = b"Authentication-Results: mx.tracker.example; " + hidden + b"\n"
    assert parse(results + FROM + b"\nwet", "mx.tracker.example").proof == ""


@pytest.mark.parametrize("others", [[b"fail"], [b"fail", b"pass"], [b"none"], [b"temperror"]])
def test_contradictory_results_of_the_mail_server_prove_nothing(others):
    said = b"Authentication-Results: mx.tracker.example; dmarc=%b header.from=example.org\n"
    results = b"".join(said % each for each in (b"pass", *others))
    assert parse(results + FROM + b"\nwet", "mx.tracker.example").proof == ""
    assert parse(said % b"pass" * 2 + FROM + b"\nwet", "mx.tracker.example").proof == "pass"


def test_comments_and_quotes_do_not_hide_what_the_mail_server_says():
    results = b'Authentication-Results: mx.tracker.example (a(b)) 1; spf=pass reason="; x"; '
    said = b'dmarc=pass (p=none; "q) header.from="example.org"\n'
    assert parse(results + said + FROM + b"\nwet", "mx.tracker.example").proof == "pass"


@pytest.mark.parametrize("name", [b"idna", b"punycode", b"undefined", b"\x00", b"a\xff"])
def test_a_text_in_an_encoding_that_is_none_is_read_as_what_fits(name):
    kind = b'Content-Type: text/plain; charset="' + name + b'"\n\n'
    assert "wet" in parse(FROM + kind + b"w\xe9 wet \xff").whole.own


def test_an_authentication_result_without_a_domain_proves_nothing():
    proof = b"Authentication-Results: mx.tracker.example; dmarc=pass\n"
    assert parse(proof + FROM + b"\nwet", "mx.tracker.example").proof == ""


@pytest.mark.parametrize("words", ["rain ", "дождь ", "雨 "])
def test_an_endless_subject_is_marked_as_cut(words):
    subject = Header(words * 9000, "utf-8", maxlinelen=70).encode()
    parsed = parse(f"From: ada@example.org\nSubject: {subject}\n\nWet\n".encode()).subject
    assert parsed.startswith(words * 600)
    assert set(parsed.split()) - {words.strip()} <= {"…", "...", f"{words.strip()}…"}
    assert parsed.endswith(("…", "..."))


@pytest.mark.parametrize("kind", ["partial", "global", "external-body", "delivery-status", "news"])
@pytest.mark.parametrize("head", ["", "multipart/mixed; boundary=b\n\n--b\nContent-Type: "])
def test_messages_of_any_kind_inside_another_one_are_kept(kind, head):
    inner = b"Subject: Inner\n\nIt drips"
    mail = parse(f"From: ben@example.org\nContent-Type: {head}message/{kind}\n\n".encode() + inner)
    assert [(file.content_type, file.content.split()) for file in mail.files] == [
        (f"message/{kind}", inner.split())
    ]


@pytest.mark.parametrize("encoding", ["base64;", '"base64"', "Base64 ", "base64; charset=utf-8", " base64\t"])
def test_an_encoding_is_known_whatever_stands_around_it(encoding):
    head = f"From: ben@example.org\nContent-Transfer-Encoding: {encoding}\n\nSXQgZHJpcHM="
    assert parse(head.encode()).whole.own == "It drips"


def test_a_file_that_an_old_program_wrote_into_the_text_is_attached():
    encoded = b"begin 644 the roof.txt\n)270@9')I<',*\n`\nend\n"
    mail = parse(b"From: ben@example.org\n\nSee the file:\n\n" + encoded + b"\nBen")
    assert mail.whole.own.split() == ["See", "the", "file:", "Ben"]
    assert [(file.filename, file.content_type, file.content) for file in mail.files] == [
        ("the roof.txt", "text/plain", b"It drips\n")
    ]


@pytest.mark.parametrize("text", ["begin 644 times\nend", "begin 644 x\nIt drips\nend"])
def test_a_text_that_only_begins_like_such_a_file_stays(text):
    mail = parse(f"From: ben@example.org\n\n{text}".encode())
    assert (mail.whole.own, mail.files) == (text, ())


@pytest.mark.parametrize("name", ["utf-8''D%C3%A4cher.pdf", "iso-8859-1'de'D%E4cher.pdf", '"Dächer.pdf'])
def test_names_of_files_are_read_although_they_are_written_wrong(name):
    head = f"From: ben@example.org\nContent-Type: image/png\nContent-Disposition: attachment; filename={name}"
    assert parse(f"{head}\n\nx".encode()).files[0].filename == "Dächer.pdf"


def test_a_text_in_markdown_is_the_text_of_the_mail():
    mail = parse(b"From: ben@example.org\nContent-Type: text/markdown\n\nIt *drips*")
    assert (mail.whole.own, mail.files) == ("It *drips*", ())
