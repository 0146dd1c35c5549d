"""Character sets of texts, subjects, names and files in mail."""

from base64 import b64encode
from urllib.parse import quote_from_bytes

import pytest

from skerry.mail.incoming.parsing import parse

FROM = b"From: ben@example.org\n"

LABELLED = [
    ("iso-8859-8-i", "iso8859_8", "שלום עולם"),
    ("ISO-8859-8-E", "iso8859_8", "שלום"),
    ("gb2312", "gbk", "朱镕基"),
    ("GB_2312-80", "gb18030", "朱镕基 €"),
    ("ks_c_5601-1987", "cp949", "똠방각하"),
    ("euc-kr", "cp949", "펲시콜라"),
    ("shift_jis", "cp932", "①髙㈱～"),
    ("x-sjis", "cp932", "纊"),
    ("big5", "cp950", "碁銹裏"),
    ("iso-8859-1", "cp1252", "“20 €” – done"),
    ("latin1", "cp1252", "…"),
    ("iso-8859-9", "cp1254", "“İstanbul”"),
    ("tis-620", "cp874", "…ไทย"),
    ("windows-1251", "cp1251", "Крыша"),
    ("koi8-r", "koi8_r", "Крыша"),
    ("l2", "iso8859_2", "Łódź"),
    ("csISO2022KR", "iso2022_kr", "지붕"),
    ("hz-gb-2312", "hz", "屋顶"),
    ("cp850", "cp850", "Dachrinne für Grüße"),
    ("utf-7", "utf_7", "Grüße"),
    ("us-ascii", "utf_8", "Grüße 👍"),
    ("utf-8", "cp1252", "Grüße – €"),
    ("gb2312", "utf_8", "屋顶漏水"),
    ("big5", "utf_8", "屋頂漏水"),
    ("iso-2022-jp", "utf_8", "屋根が漏れる"),
    ("shift_jis", "utf_8", "屋根が漏れる"),
    ("ks_c_5601-1987", "utf_8", "지붕이 샌다"),
    ("gbk", "gbk", "联通"),
    ("us-ascii", "cp1252", "Grüße – €"),
    ("x-nonsense", "utf_8", "Łódź"),
    ('"utf8"', "utf_8", "Łódź"),
    ("unicode-1-1-utf-8", "utf_8", "Łódź"),
    ("utf-16", "utf_16", "Łódź"),
]


@pytest.mark.parametrize(("label", "codec", "text"), LABELLED)
def test_a_text_is_read_by_the_label_that_browsers_know(label, codec, text):
    kind = f"Content-Type: text/plain; charset={label}\nContent-Transfer-Encoding: base64\n\n"
    assert parse(FROM + kind.encode() + b64encode(text.encode(codec))).whole.own == text


@pytest.mark.parametrize(("label", "codec", "text"), LABELLED)
def test_a_subject_and_the_name_of_a_file_are_read_by_it_too(label, codec, text):
    label, said = label.strip('"'), text.encode(codec)
    word = f"=?{label}?b?{b64encode(said).decode()}?="
    for named in (
        f'filename="{word}.txt"',
        f"filename*={label}''{quote_from_bytes(f'{text}.txt'.encode(codec))}",
    ):
        head = f"Subject: Re: {word}\nContent-Type: image/png\nContent-Disposition: attachment; {named}\n\nx"
        mail = parse(FROM + head.encode())
        assert (mail.subject, mail.files[0].filename) == (f"Re: {text}", f"{text}.txt")


def test_japanese_characters_of_windows_are_read_in_every_encoding():
    circled, rest = b"\x1b$B-!-j|b\x1b(B", b" \x1b(I12\x1b(B"
    plain = "Content-Type: text/plain; charset={}\n\n"
    assert parse(FROM + plain.format("iso-2022-jp").encode() + circled + rest).whole.own == "①㈱髙 ｱｲ"
    assert parse(FROM + plain.format("euc-jp").encode() + b"\xad\xa1\xad\xea\xfc\xe2").whole.own == "①㈱髙"


@pytest.mark.parametrize(
    "said",
    [
        '<meta charset="iso-8859-2">',
        "<META CHARSET = iso-8859-2 >",
        '<html><head><meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2">',
        "<!-- <meta charset=utf-8> --><meta name=x content=y><meta charset='latin2'/>",
        '<?xml version="1.0" encoding="iso-8859-2"?>',
    ],
)
@pytest.mark.parametrize("label", ["", "; charset=us-ascii", "; charset=x-unknown"])
def test_html_without_a_label_says_itself_what_it_is_in(said, label):
    kind = f"Content-Type: text/html{label}\n\n".encode()
    assert parse(FROM + kind + f"{said}<p>Łódź</p>".encode("iso8859_2")).whole.own == "Łódź"
    labelled = b"Content-Type: text/html; charset=utf-8\n\n"
    assert parse(FROM + labelled + f"{said}<p>Łódź</p>".encode()).whole.own == "Łódź"


def test_html_without_any_label_is_utf_8_or_what_windows_writes():
    for codec in ("utf_8", "cp1252"):
        raw = "<meta charset=utf-16><p>Grüße</p>".encode(codec) if codec == "utf_8" else "Grüße".encode(codec)
        assert parse(FROM + b"Content-Type: text/html\n\n" + raw).whole.own == "Grüße"


def test_a_character_that_is_divided_among_words_stays_whole():
    for label, codec in (("utf-8", "utf_8"), ("GB2312", "gb18030"), ("shift_jis", "cp932")):
        said = "屋根の雨".encode(codec)
        halves = [f"=?{label}?B?{b64encode(half).decode()}?=" for half in (said[:5], said[5:])]
        raw = f"Subject: [1] {halves[0]}\n {halves[1]} =?utf-8*de?q?_gr=C3=BCn?= x\n\n"
        assert parse(FROM + raw.encode()).subject == "[1] 屋根の雨 grün x"


def test_malformed_encoded_words_lose_no_text():
    raw = "Subject: =?utf-8?b?R3LDvMOfZQ?= =?utf-8?q?a b?= =?x?y?z?= =?utf-8?b?A?=.\n\n"
    assert parse(FROM + raw.encode()).subject == "Grüßea b =?x?y?z?= ."


def test_a_raw_header_is_utf_8_or_what_windows_writes():
    assert parse(FROM + "Subject: Grüße – ok\n\n".encode("cp1252")).subject == "Grüße – ok"
    assert parse(FROM + "Subject: Łódź\n\n".encode()).subject == "Łódź"


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("filename=site plan.pdf", "site plan.pdf"),
        ("filename='site plan.pdf'", "site plan.pdf"),
        ("filename='plan.pdf'; size=3", "plan.pdf"),
        ("filename=\"Ada's 'plan'\"", "Ada's 'plan'"),
        ("filename=site plan; size=3", "site plan"),
        ('filename="a;b \\"c\\".pdf"', 'a;b "c".pdf'),
        ('filename*0="site "; filename*1=plan.pdf', "site plan.pdf"),
        ("filename*0*=gb2312''%E9F; filename*1*=%D6%EC.pdf", "镕朱.pdf"),
        ("filename==?utf-8?q?Pl=C3=A4ne.pdf?=", "Pläne.pdf"),
        ("filename=Pläne 1.pdf", "Pläne 1.pdf"),
        ("filename*=utf-8''Pl%C3%A4ne%202.pdf; filename=old.pdf", "Pläne 2.pdf"),
    ],
)
def test_the_name_of_a_file_is_whole_however_it_is_written(said, name):
    head = f"Content-Type: application/pdf\nContent-Disposition: attachment; {said}\n\nx"
    assert [file.filename for file in parse(FROM + head.encode()).files] == [name]


def test_a_long_header_of_an_attached_message_stays_as_it_is():
    inner = f"Subject: {'long ' * 60}end\nX-A: ä\n\nWet\n"
    (file,) = parse(FROM + f"Content-Type: message/rfc822\n\n{inner}".encode()).files
    assert file.content == inner.encode()


@pytest.mark.parametrize("emoji", ['{"version": 1, "emoji": "👍"}', "broken"])
def test_a_reaction_is_its_emoji_and_no_file(emoji):
    kind = 'Content-Type: multipart/alternative; boundary="b"\n\n'
    parts = [
        ("text/plain", "👍 Ben reacted"),
        ("text/vnd.google.email-reaction+json", emoji),
        ("text/html", "<p>👍 Ben<div class=gmail_quote>Rain"),
    ]
    body = "".join(f"--b\nContent-Type: {kind}; charset=utf-8\n\n{text}\n" for kind, text in parts)
    mail = parse(FROM + f"{kind}{body}--b--\n".encode())
    assert mail.reply.own == mail.whole.own
    assert (mail.whole.own, mail.files) == ("👍" if "👍" in emoji else "👍 Ben reacted", ())
