"""The author's own text in a reply, and the part in which commands act."""

import pytest

from skerry.mail.incoming.html_text import HISTORY, to_text
from skerry.mail.incoming.quotes import divide, whole
from skerry.mail.texts import REPLY_LINE
from skerry.tracker.mail.incoming_mails import MailText

US = "skerry@tracker.example"
CZECH = (
    f"Od: Skerry <{US}>\nOdesláno: pátek 27. listopadu 2026 10:00\nKomu: Ben <ben@example.org>\n"
    "Předmět: [Roof] Rain (#1)\n\nDear all [state:invalid]"
)
GMAIL = f"On Fri, Nov 27, 2026 at 5:02 PM Skerry <{US}> wrote:\n> Gutter drips"


def own(text, subject="Re: [Roof] Rain (#1)"):
    return divide(text, subject, US).own


@pytest.mark.parametrize("lines", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
@pytest.mark.parametrize(
    "attribution",
    [
        GMAIL,
        f"On Fri, Nov 27, 2026 at 5:02 PM\nSkerry <{US}>\nwrote:\n\n> Gutter drips",
        f"pe 27. marrask. 2026 klo 17.02 Skerry <{US}> kirjoitti:\n> Gutter drips",
        f"27.11.2026, 17:02, Skerry <{US}>:\n> Gutter drips",
        f"Am 27.11.26 um 17:02 schrieb Ada:\n> {REPLY_LINE}\n> Gutter drips",
        f"Ada, jana 17:02:\n> {REPLY_LINE}\n> Gutter drips",
        f'"Ada (Skerry)" <{US}> writes:\n\n> Gutter drips',
        f"في الجمعة، ٢٧ نوفمبر ٢٠٢٦ في ٥:٠٢ م تمت كتابة ما يلي بواسطة Ada\n<{US}>:\n\n> Gutter drips",
        f"Ada, jana 17:02:\n{REPLY_LINE}\nGutter drips",
        f"---- On Fri, 27 Nov 2026 17:02:00 +0100 Skerry <{US}> wrote ----\n\nGutter drips",
        f"________________________________\n{CZECH}",
        CZECH,
        CZECH.replace(US, "x@example.net"),
        CZECH.replace(f" <{US}>", ""),
        f"-----Alkuperäinen viesti-----\n{CZECH}",
        f"---------- Původní e-mail ----------\n{CZECH}",
        f"\u2010\u2010\u2010 Original Message \u2010\u2010\u2010\n{GMAIL}",
        f'"Ada (Skerry)" ---27.11.2026 17:02:11---Rain\n\n{CZECH}',
        f'Quoting "Ada (Skerry)" <{US}>:\n\n> Gutter drips',
        f'>>> "Ada (Skerry)" <{US}> schrieb am 27.11.2026 um 17:02 in\n<1.2@x.example>:\n> Gutter drips',
        f"---------- Alkuperäinen viesti ----------\n{CZECH}",
        f"> {REPLY_LINE}\n> Gutter drips",
        f">> {REPLY_LINE}\n>> Gutter drips",
        f"{REPLY_LINE}\n\nGutter drips",
        f"*— {REPLY_LINE.strip('- ')} —*\n\nGutter drips",
    ],
)
def test_own_lines_stay_whatever_says_who_wrote_the_rest(lines, gap, attribution):
    words = "\n".join(f"Line {number}" for number in range(1, lines + 1))
    text = divide(f"{words}{gap}{attribution}", "Re: [Roof] Rain (#1)", US)
    assert (text.own, text.commands) == (words, words)
    assert text.quoted.split() == attribution.split()


@pytest.mark.parametrize(
    "text",
    [
        "In the log of 2026-11-27 the daemon wrote:\n\ndisk full on /dev/sda1\n\nPlease add a check.",
        "On 2026-11-27 at 10:02 the daemon wrote:\n\ndisk full",
        "In the log of 2026-11-27 10:02 the daemon wrote:\n\n> disk full\n\nPlease add a check.",
        "Wrong row in the timetable:\n\nFrom: Bremen\nTo: Kiel\nDate: 3 May\n\nThe platform is missing.",
        "Falsche Zeile:\n\nVon: Bremen\nAn: Kiel\nDatum: 3. Mai 2026\n\nDas Gleis fehlt.",
        "Call me:\n\nName: Ben\nMail: ben@example.org\nPhone: 123 456",
        "Ask ben@example.org about point 3:\n\nthe gutter",
        "The guide says:\n\n> Slate lasts 100 years.\n\nSo why does it leak?",
        "It prints:\n\n> disk full",
        "> Since when?\n\nSince May.",
        "Use two hyphens:\n--\nThen a very long explanation\n" + "word\n" * 12 + "Thanks",
        "Done.\n\nSent by courier this morning",
        "Done.\n\nSent from my desk, which is easier than my phone.",
        "-- \nYes",
        "One\n\n--\n\nTwo",
        "One\n\n___\n\nTwo",
        "It shows\n\nThe user dora@example.net wrote:\n\n    hello\n\nand stops.",
        "Done.\n\nSent you the photos by mail",
        "Done.\n\nFrom mail 3 on it is dry",
        "Done.\n\nIt looks the same in Outlook for Android",
        "Fait.\n\nEnvoyé par mail au client",
        "Hecho.\n\nEnviado por e-mail a Cy ayer",
        "Fatto.\n\nInviato per mail al cliente",
        "好的。\n\n邮件已经发送",
        "はい。\n\n東京から送信されました",
        "네.\n\n서울에서 보냄",
        "Erledigt.\n\nVon meinem Telefon aus ging es nicht",
        ">>> import roof\n>>> roof.leaks()\n\nWhy?",
        "Steps:\n\n1. Go up\n2. Look\n\n    code\n\nFrom: here to there it is wet",
    ],
)
def test_words_of_the_author_that_look_like_a_quote_stay(text):
    assert own(text) == text.strip()


PHONES = (
    "Von meinem iPhone gesendet",
    "Lähetetty iPhonesta",
    "Odesláno z iPhonu",
    "Enviat des del meu iPhone",
    "iPhone'umdan gönderildi",
    "iPhoneから送信",
    "发自我的iPhone",
    "從我的 iPhone 傳送",
    "나의 갤럭시에서 보냄",
    "Gửi từ iPhone của tôi",
    "ส่งจาก iPhone ของฉัน",
    "मेरे iPhone से भेजा गया",
    "Sent from Mail for Windows",
    "Outlook für iOS herunterladen",
    "Download Outlook voor Android",
    "Envoyé via Yahoo Mail",
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{GMAIL}\n\nHere:\n\nSince May.", "Here:\n\nSince May."),
        (
            f"{GMAIL}\n> When?\n\nMay\n\n> Where?\n\nNorth",
            "> Gutter drips\n> When?\n\nMay\n\n> Where?\n\nNorth",
        ),
        ("Yes.\n\n> Since when?", "Yes."),
        ("First.\n\nSecond.\n\n\nThird.\n\n" + GMAIL, "First.\n\nSecond.\n\n\nThird."),
        (f"Yes.\n\nSent from my iPhone\n\n{GMAIL}", "Yes."),
        (f"Yes.\n\nGet Outlook for Android<https://example.org>\n\n{CZECH}", "Yes."),
        (f"Yes.\n\n-- \nBen\n\n{GMAIL}", "Yes."),
        *((f"Yes.\n\n{each}\n\n{GMAIL}", "Yes.") for each in PHONES),
        (GMAIL, ""),
        (f"> {REPLY_LINE}\n> Rain", ""),
    ],
)
def test_quotes_are_removed_unless_they_are_answered(text, expected):
    assert own(text) == expected


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
@pytest.mark.parametrize("words", ["Fine.\nState: good", "It is [state:open]", "Note: yes\nDone: no"])
def test_own_lines_with_a_colon_above_a_header_stay(words, gap):
    english = f"From: Ada <{US}>\nSent: Friday\nTo: Ben\nSubject: [Roof] Rain (#1)\n\nRain"
    assert own(f"{words}{gap}{english}") == words
    html = f'{words}<div id="appendonsend"></div><div id="divRplyFwdMsg">{english}</div>'.replace(
        "\n", "<br>"
    )
    assert own(to_text(html)) == words


@pytest.mark.parametrize(
    "words",
    [
        "The header was:\n\nFrom: x@example.net\nTo: y@example.net\nDate: 27 Nov 2026\n\nWhat now?",
        "From: x@example.net\nTo: y@example.net\nDate: 27 Nov 2026\n\nWhat now?",
        "He told me:\n\nOn 3 May 2026 10:00 Cy <cy@example.net> wrote:\n\nIt drips.\n\nSo mend it.",
        "On 3 May 2026 10:00 Cy <cy@example.net> wrote:\n\nIt drips.\n\nSo mend it.",
        "> It drips, says the guide.\n\nIt does not.",
    ],
)
@pytest.mark.parametrize(
    "quoted",
    [
        f"On Fri, Nov 27, 2026 at 5:02 PM Ada <{US}> wrote:\n\n> {REPLY_LINE}\n> Rain",
        f"-----Original Message-----\n\nFrom: Ada <{US}>\nSubject: Rain\nTo: Ben\n\n{REPLY_LINE}\n\nRain",
        f"{REPLY_LINE}\n\nRain",
    ],
)
def test_our_own_line_takes_precedence_over_anything_that_looks_like_another_message(words, quoted):
    text = divide(f"{words}\n\n{quoted}", "Re: [Roof] Rain (#1)", US)
    assert text.own == words
    assert "Rain" not in text.commands


def test_words_below_a_header_and_a_quote_with_marks_stay():
    header = (
        f"-------- Original Message --------\nFrom: Ada <{US}>\nSent: 27.11.2026\nTo: Ben\nSubject: x\n\n"
    )
    for quote in (f"> {REPLY_LINE}\n> Rain", "> Rain"):
        text = divide(f"{header}{quote}\n\nYes. [state:hold]", "Re: [Roof] Rain (#1)", US)
        assert (text.own, text.commands) == ("Yes. [state:hold]", "")


@pytest.mark.parametrize("subject", ["Re: Rain", "Fwd: Roof"])
@pytest.mark.parametrize("title", ["Forwarded message", "Přeposlaná zpráva", "Пересылаемое сообщение"])
def test_a_forwarded_message_stays_in_any_language(title, subject):
    header = (
        f"---------- {title} ---------\nOd: Cy <cy@example.net>\nDate: pá 27. 11. 2026\nSubject: x\nTo: Ben"
    )
    text = f"See this.\n\n{header}\n\nThe gutter leaks. [state:hold]"
    assert divide(text, subject, US) == MailText(text, "", "See this.")
    assert own(text.replace("--------- ", "----- "), "Fwd: Roof") == text.replace("--------- ", "----- ")


@pytest.mark.parametrize("above", ["", "Done. [tagged:wet]\n\n"])
@pytest.mark.parametrize(
    "below", [CZECH, GMAIL + " [state:invalid]", f"{REPLY_LINE}\n\nRain [state:invalid]"]
)
@pytest.mark.parametrize("after", ["", "\n\nOwn words below [state:hold]"])
def test_no_command_is_read_below_the_first_sign_of_our_mail(above, below, after):
    for read in (divide(above + below + after, "Re: Rain", US), whole(above + below + after, US)):
        assert read.commands == above.strip()


@pytest.mark.parametrize("text", ["> [state:invalid]\n\nNo.", f"Look.\n\nTo: {US} [state:hold]"])
def test_no_command_is_read_in_a_quote_or_beside_our_address(text):
    assert "[" not in divide(text, "", US).commands


@pytest.mark.parametrize(
    "mark", ["S>", "AB> ", "  Ada> ", "ada>> ", "АБ> ", "Ada> > ", "S> AB> ", "| ", "» "]
)
def test_no_command_is_read_behind_the_marks_of_other_programs(mark):
    quote = f"{mark}Rain\n{mark}[state:invalid]"
    for text in (f"{quote}\n\nYes. [state:hold]", f"Yes. [state:hold]\n\n{quote}"):
        assert divide(text, "", US).commands == "Yes. [state:hold]"


@pytest.mark.parametrize("prompt", ["mysql> ", "sh> ", "SQL> ", "C:\\> ", "irb> ", "psql=> "])
def test_what_stands_behind_a_prompt_stays(prompt):
    text = f"Try:\n\n{prompt}one\n{prompt}two\n\nThen it is dry. [state:hold]"
    read = divide(text, "", US)
    assert (read.own, read.quoted) == (text, "")
    assert "[state:hold]" in read.commands


def test_a_mail_that_answers_nothing_may_have_commands_behind_a_name():
    assert whole("Ada> [state:hold]", US).commands == "Ada> [state:hold]"


def test_a_mail_that_is_not_a_reply_keeps_its_whole_text():
    text = f"Look:\n\n{GMAIL}\n\n-- \nBen"
    assert whole(text, US).own == text
    assert whole(text, US).quoted == ""


HTML = {
    "gmail": """<div dir="ltr">Yes.</div><br><div class="gmail_quote">
        <div class="gmail_attr">Hier X:<br></div>
        <blockquote class="gmail_quote">Rain</blockquote></div>""",
    "gmail of old": """<div>Yes.</div><br><div class="gmail_quote">On Friday X wrote:<br>
        <blockquote>Rain</blockquote></div>""",
    "yahoo": """<div class="ydp1style">Yes.</div><div class="ydp2yahoo_quoted" id="ydp2yahoo_quoted_12">
        <div>Am Freitag schrieb X:</div><div>Rain<blockquote>x</blockquote>Wind</div></div>""",
    "proton": """<div>Yes.<br></div><div class="protonmail_quote">Le vendredi, X a écrit :<br>
        <blockquote class="protonmail_quote" type="cite">Rain</blockquote></div>""",
    "thunderbird": """<p>Yes.</p><div class="moz-cite-prefix">X 于 2026 写道：<br></div>
        <blockquote type="cite">Rain</blockquote>""",
    "outlook on the web": """<div>Yes.</div><div id="appendonsend"></div><hr><div id="divRplyFwdMsg">
        <b>Od:</b> X<br></div><div>Rain</div>""",
    "outlook": """<p class="MsoNormal">Yes.</p><div style="border:none;border-top:solid #E1E1E1 1.0pt">
        <p><b>Fra:</b> X</p></div><p>Rain</p>""",
    "outlook on a phone": """<div>Yes.</div>
        <div id="mail-editor-reference-message-container">Rain</div>""",
    "gmx": """Yes.<div name="quote" style="margin-left:10px"><b>Gesendet:</b> gestern<br>Rain</div>""",
    "tuta": """<div>Yes.</div><br><div class="tutanota_quote">27. Nov., X:<br>
        <blockquote class="tutanota_quote">Rain</blockquote></div>""",
    "superhuman": """<div>Yes.</div><br><div class="sh-quoted-content"><div>Friday X<br>
        <blockquote>Rain</blockquote></div></div>""",
    "front": """<div>Yes.</div><div class="front-blockquote"><div>Friday, X</div>
        <blockquote>Rain</blockquote></div>""",
    "hey": """<div>Yes.</div><div class="quoted-content">Friday, X<blockquote>Rain</blockquote></div>""",
    "skiff": """<div>Yes.</div><div class="skiff_quote">Friday, X<blockquote>Rain</blockquote></div>""",
    "hubspot": """<div>Yes.</div><div class="hs_reply">Friday, X<div>Rain</div></div>""",
    "intercom": """<div>Yes.</div><div class="intercom-quote">Friday, X<div>Rain</div></div>""",
    "roundcube": """<div>Yes.</div><p id="reply-intro">Friday, X</p><blockquote>Rain</blockquote>""",
    "netease": """<div>Yes.</div><div id="origbody">Friday, X<div>Rain</div></div>""",
    "apple": """<div>Yes.</div><blockquote type="cite"><div>Am 27.11., schrieb Ada:</div>Rain</blockquote>""",
}


@pytest.mark.parametrize("html", HTML.values(), ids=HTML)
def test_the_structure_of_html_shows_what_is_quoted(html):
    assert own(to_text(html)) == "Yes."
    assert "Rain" in whole(to_text(html)).own
    assert HISTORY not in whole(to_text(html)).own + divide(to_text(html)).quoted


def test_words_in_an_element_that_usually_holds_a_quote_stay_if_there_are_no_others():
    for name in ("gmail_quote", "yahoo_quoted", "gmail_signature"):
        assert own(to_text(f'<div class="{name}"><p>Yes.</p></div>')) == "Yes."
    assert own(to_text(f'<div class="yahoo_quoted"><p>{REPLY_LINE}</p><p>Rain</p></div>')) == ""


def test_an_answer_inside_the_quote_of_gmail_stays():
    html = (
        '<div class="gmail_quote"><div class="gmail_attr">On Friday X wrote:</div>'
        '<blockquote class="gmail_quote">When?</blockquote><div>In May.</div>'
        '<blockquote class="gmail_quote">Where?</blockquote><div>North.</div></div>'
    )
    assert own(to_text(html)) == "> When?\n\nIn May.\n\n> Where?\n\nNorth."


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<p>Works <img alt="👍" src="cid:1"> now</p>', "Works 👍 now"),
        ('<img alt="1️⃣"><img alt="🏳️‍🌈"><img alt=":-)"><img alt=":tada:">', "1️⃣🏳️‍🌈:-):tada:"),
        ('<p>Our logo <img alt="Example GmbH"><img alt="屋根"></p>', "Our logo"),
        (
            "<div>One</div><div><br></div><div>Two<br><br>Three</div><p>Four</p><p>Five</p>",
            "One\n\nTwo\n\nThree\n\nFour\n\nFive",
        ),
    ],
)
def test_html_keeps_emoji_and_paragraphs(html, expected):
    assert to_text(html) == expected


TITLE = "[Roof] The gutter is torn (#7)"
# Names of lines in a header, as Outlook writes them, with the colon of the script.
FIELDS = {
    "czech": "Od:|Odesláno:|Komu:|Předmět:",
    "hungarian": "Feladó:|Elküldve:|Címzett:|Tárgy:",
    "finnish": "Lähettäjä:|Lähetetty:|Vastaanottaja:|Aihe:",
    "greek": "Από:|Στάλθηκε:|Προς:|Θέμα:",
    "turkish": "Gönderen:|Gönderildi:|Kime:|Konu:",
    "vietnamese": "Từ:|Đã gửi:|Đến:|Chủ đề:",
    "korean": "보낸 사람:|보낸 날짜:|받는 사람:|제목:",
    "hindi": "से:|भेजा गया:|प्रति:|विषय:",
    "thai": "จาก:|ส่งเมื่อ:|ถึง:|เรื่อง:",
    "estonian": "Saatja:|Saadetud:|Adressaat:|Teema:",
    "georgian": "გამომგზავნი:|გაგზავნის დრო:|ვის:|თემა:",
    "armenian": "Ումից՝|Ուղարկված՝|Ում՝|Թեմա՝",
    "amharic": "ከ፦|የተላከው፦|ለ፦|ርዕሰ ጉዳይ፦",
    "khmer": "ពី៖|បានផ្ញើ៖|ទៅ៖|ប្រធានបទ៖",
    "chinese": "发件人：|发送时间：|收件人：|主题：",
    "french": "De\u00a0:|Envoyé\u00a0:|À\u00a0:|Objet\u00a0:",
}


@pytest.mark.parametrize("marker", ["", f"{REPLY_LINE}\n\n"])
@pytest.mark.parametrize("shown", [TITLE, f"RE: {TITLE}", TITLE.upper(), TITLE[:24], f"[EXT] {TITLE}"])
@pytest.mark.parametrize("fields", FIELDS.values(), ids=FIELDS)
def test_a_header_with_our_subject_is_one_in_any_language_without_addresses(fields, shown, marker):
    values = ("Ada (Skerry)", "27 11 2026", "Ben", shown)
    header = "\n".join(f"{name} {value}" for name, value in zip(fields.split("|"), values, strict=True))
    text = divide(f"Ready.\n\n{header}\n\n{marker}Dear all [state:invalid]", f"Re: {TITLE}", US)
    assert (text.own, text.commands) == ("Ready.", "Ready.")


def test_our_subject_is_a_sign_only_in_a_line_of_a_header():
    text = f"{TITLE} is mended [state:fixed]"
    assert divide(text, f"Re: {TITLE}", US) == MailText(text, "", text)
    assert divide(f"Mended.\n\nTheme: {TITLE}\n\n[state:fixed]", TITLE, US).commands == "Mended."


@pytest.mark.parametrize(
    "line",
    [
        "2026 ኖቬም 27 በ5:02 {} ጽፏል፦",
        "២០២៦-១១-២៧ ម៉ោង ១៧:០២ {} បានសរសេរ៖",
        "27 նոյ. 2026 17:02-ին {} գրել է՝",
        "၂၀၂၆ နိုဝင်ဘာ ၂၇ {} က ရေးခဲ့သည်-",
        "27 พ.ย. 2569 {} ได้ความว่า",
        "۱۴۰۵ آذر ۶ {}",
        "2026(e)ko azaroaren 27 17:02 {} -n idatzi du...",
    ],
)
@pytest.mark.parametrize("who", [f"Ada (Skerry) <{US}>", f"Ada\n<{US}>", f"Ada <mailto:{US}>"])
@pytest.mark.parametrize("below", [f"{REPLY_LINE}\n\nRain", "> Rain", "\n> Rain"])
def test_a_line_with_our_address_and_a_date_above_a_quote_is_an_attribution(line, who, below):
    assert own(f"Yes.\n\n{line.format(who)}\n{below}") == "Yes."


def test_a_line_with_our_address_and_a_colon_of_any_script_needs_no_quote_marks_below():
    for colon in ":：፦៖՝":
        assert own(f"Yes.\n\n27 X 2026 5:02 Ada <{US}> Y{colon}\n\nRain") == "Yes."
    assert own(f"I asked {US} about point 3:\n\nthe gutter").endswith("the gutter")


WORDS = REPLY_LINE.strip("- ")
SPELLINGS = (
    REPLY_LINE.replace(" ", "\u00a0"),
    REPLY_LINE.replace(" ", "  "),
    REPLY_LINE.replace(" ", " \u200b"),
    REPLY_LINE.upper(),
    f"| {REPLY_LINE}",
    f"│ {REPLY_LINE}",
    f"＞{REPLY_LINE}",
    f"» {REPLY_LINE}",
    f"Ada> {REPLY_LINE}",
    f"AB>> {REPLY_LINE}",
    f"[image] {REPLY_LINE}",
    f"[cid:logo@01] [Skerry] {REPLY_LINE}",
    f"－－－ {WORDS} －－－",
    f"\u2012\u2012 {WORDS} \u2012\u2012",
    f"**{WORDS}**",
    WORDS,
)


@pytest.mark.parametrize("line", SPELLINGS)
def test_our_first_line_is_found_in_any_spelling(line):
    text = divide(f"Yes. [state:hold]\n\n{line}\n\nRain [state:invalid]", "", US)
    assert (text.own, text.commands) == ("Yes. [state:hold]", "Yes. [state:hold]")


def test_a_line_that_names_our_first_line_is_kept_and_ends_the_commands():
    for line in (f'Why does "{REPLY_LINE}" stand there?', f"Rain {REPLY_LINE} Rain"):
        text = f"Yes.\n\n{line}\n\n[state:hold]"
        assert divide(text, "", US) == MailText(text, "", "Yes.")


@pytest.mark.parametrize("mark", ["--", "—"])
@pytest.mark.parametrize("parts", [("one is good", "two is bad"), ("a", "b", "c", "d")])
def test_lines_of_hyphens_between_parts_of_a_text_are_no_signature(mark, parts):
    words = f"\n{mark}\n".join(("Options", *parts))
    assert own(f"{words}\n\n{GMAIL}") == words
    assert own(f"Yes.\n\n{mark}\nBen\n\n{GMAIL}") == "Yes."
    assert own(f"{words}\n\n-- \nBen\n\n{GMAIL}") == words
