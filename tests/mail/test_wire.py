"""Messages as they arrive at a mail server, read by another library than the one that wrote them."""

import re

import fast_mail_parser
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from skerry.mail import mime, smtp
from skerry.mail_settings import smtp_server
from skerry.text.characters import one_line

LONG = "https://tracker.example.org/unsubscribe/" + 64 * "7"
REPLY_TO = f"reply+{58 * 'a'}@in.tracker.example.org"
REFERENCES = " ".join(f"<ticket.1.1.{number}@tracker.example.org>" for number in range(20))
HEADERS = {
    "From": ("Ada (Skerry)", "skerry@tracker.example.org"),
    "To": ("", "ben@example.org"),
    "Reply-To": REPLY_TO,
    "List-Id": ("Roof", "1.projects.1.tracker.example.org"),
    "List-Unsubscribe": f"<{LONG}>",
    "References": REFERENCES,
}
# Without half characters, which no text has.
LINES = st.text(st.characters(exclude_categories=["Cs"]), max_size=255).map(one_line)
ODD = [
    "a  b " * 40,
    "Größe " * 40,
    "👩‍💻" * 80,
    "שלום עולם " * 20,
    "=?utf-8?q?x?=",
    "x" * 255,
    'A "b" \\, c;',
]


@pytest.fixture(scope="module")
def send(running_server):
    with smtp.connect(smtp_server(f"smtp://localhost:{running_server.port}")) as connection:

        def sent(message):
            running_server.contents.clear()
            connection.send(message.as_bytes(), "skerry@tracker.example.org", "ben@example.org")
            (content,) = running_server.contents
            assert all(len(line) <= 998 for line in content.split(b"\r\n"))
            assert all(len(word) <= 75 for word in re.findall(rb"=\?utf-8\?\S+", content, re.IGNORECASE))
            assert content.isascii()
            return content, fast_mail_parser.parse_email(content)

        yield sent


def odd_ones(test):
    for line in ODD:
        test = example(line.strip())(test)
    return settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow], deadline=None)(test)


@odd_ones
@given(LINES)
def test_a_subject_arrives_with_each_character(send, title):
    assert send(mime.message(HEADERS, title, "", ""))[1].subject == title


@odd_ones
@given(LINES)
def test_a_name_is_sent_with_its_address(send, name):
    headers = {**HEADERS, "To": (name, "ben@example.org")}
    said = send(mime.message(headers, "Rain", "", ""))[1].headers["To"][0]
    words, _, address = said.rpartition("<")
    name_said = re.sub(r"\\(.)", r"\1", words.strip().removeprefix('"').removesuffix('"')) if name else ""
    plain = name_said.strip() == name.strip() or words.strip() == name.strip()
    assert (plain, address.strip("<>")) == (True, "ben@example.org")


def test_structured_headers_are_folded_and_never_encoded(send):
    content, message = send(mime.message(HEADERS, "Rain", "", ""))
    assert message.headers["References"] == [REFERENCES]
    assert f"\r\nList-Unsubscribe: <{LONG}>\r\n".encode() in content
    assert f"\r\nReply-To: {REPLY_TO}\r\n".encode() in content
    assert b"=?" not in content
    assert max(map(len, re.findall(rb"[^\r\n]* <ticket[^\r\n]*", content))) <= 78


@pytest.mark.parametrize("line", ["From here it leaks", ".", "..", "x" * 3000, "é" * 999, "tail ", "a=20b"])
def test_a_line_of_a_text_arrives_as_it_is(send, line):
    text = f"{line}\nThen\n{line}\n"
    _, message = send(mime.message(HEADERS, "Rain", text, f"<pre>\n{text}</pre>"))
    assert message.text_plain[0].replace("\r\n", "\n").rstrip("\n") == text.rstrip("\n")
    assert f"<pre>\n{text}" in message.text_html[0].replace("\r\n", "\n")


def test_a_structured_header_outside_ascii_is_an_error():
    with pytest.raises(ValueError, match="outside ASCII"):
        mime.message({"Reply-To": "jörg@tracker.example"}, "Rain", "", "")
