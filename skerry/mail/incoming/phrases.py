"""Phrases with which mail programs mark quotes, forwarded messages, signatures and automatic replies."""

import re

FORWARDED = re.compile(
    r"(?:[-_*= ]{3,}\s*(?:forwarded message|weitergeleitete nachricht|message transféré|mensaje reenviado|"
    r"messaggio inoltrato|doorgestuurd bericht|mensagem encaminhada|転送メッセージ|転送されたメッセージ|"
    r"הודעה שהועברה|رسالة معاد توجيهها)\b.{0,40}"
    r"|(?:begin forwarded message|anfang der weitergeleiteten nachricht|début du message transféré|"
    r"inicio del mensaje reenviado|転送されたメッセージ|"
    r"תחילת ההודעה שהועברה|بداية الرسالة المعاد توجيهها)\s*[::])",
    re.IGNORECASE,
)
"""The line above a forwarded message, which is kept."""

FORWARDED_SUBJECT = re.compile(r"\s*\[?(?:fwd?|wg|tr|rv|enc|i|転送)\s*[::]", re.IGNORECASE)
"""The beginning of the subject of a forwarded message."""

ORIGINAL = re.compile(
    r"[-_]{2,}\s*(?:original message|original appointment|ursprüngliche nachricht|original[- ]?nachricht|"
    r"ursprünglicher termin|message d['’]origine|mensaje original|messaggio originale|oorspronkelijk bericht|"
    r"mensagem original|元のメッセージ|original message follows|הודעה מקורית|الرسالة الأصلية)\s*[-_]{0,30}",
    re.IGNORECASE,
)
"""The line above the original message in a reply."""

_WROTE = (
    r"wrote|writes|said|schrieb(?:\s[^\n]{0,150})?|schreibt|a écrit|escribió|ha scritto|"
    r"schreef(?:\s.{0,150})?|escreveu|skrev(?:\s.{0,150})?|napisał(?:\(a\))?|написал(?:\(а\))?|пишет|"
    r"のメール|さんは書きました|写道|כתב(?:/ה)?|כתבה"
    r"|كتب(?:ت)?"
)
ATTRIBUTION = re.compile(
    rf"(?=.{{0,600}}(?:\d|@))(?:\W{{0,3}}(?:on|am|le|el|il|op|em|den|dne|в|в\s|في|בתאריך|ב-|w dniu)\b)?"
    rf".{{0,500}}?(?<!\w)(?:{_WROTE})\s?[::]\s{{0,20}}",
    re.IGNORECASE,
)
"""A line with the author and the date of the quote below it."""

DATED = re.compile(r"(?=.*\d).{0,200}<[^<>\s@]{1,100}@[^<>\s@]{1,200}>\s?[::]\s{0,20}")
"""An attribution in any other language: a date and an address before a colon."""

FROM = re.compile(
    r"[*\s>]{0,4}(?:from|von|de|da|van|fra|från|od|от|差出人|发件人|寄件者|מאת|من)\s?[::]\*?\s*\S",
    re.IGNORECASE,
)
"""The first header line of a quoted message."""

HEADER = re.compile(
    r"[*\s>]{0,4}(?:sent|date|to|cc|subject|gesendet|datum|an|betreff|envoyé|à|objet|date|enviado|enviado el|"
    r"para|asunto|fecha|inviato|data|a|oggetto|verzonden|aan|onderwerp|til|emne|skickat|till|ämne|wysłano|do|"
    r"temat|отправлено|кому|тема|дата|送信日時|日付|日時|宛先|件名|发送时间|收件人|主题|寄件日期|收件者|主旨|"
    r"נשלח|תאריך|אל|נושא|تم الإرسال|التاريخ|إلى|الموضوع)\s?[::]",
    re.IGNORECASE,
)
"""Another header line of a quoted message."""

RULE = re.compile(r"[_\-=*]{10,}")
"""A horizontal rule."""

LIST_FOOTER = re.compile(
    r".{0,200}(?:mailing list|mailingliste?|listinfo|unsubscribe|abmelden|groups\.google\.com)", re.IGNORECASE
)
"""The text that mailing lists add below a horizontal rule."""

SENT_FROM = re.compile(
    r"(?:sent (?:from|via|with|by) (?!me\b).{1,60}|get outlook for .{1,40}|sent using .{1,40}|"
    r"(?:von|mit) (?:meinem?|der|dem) .{1,50} (?:gesendet|verschickt|versendet).{0,10}|"
    r"gesendet (?:von|mit|aus|über) .{1,60}|diese nachricht wurde von .{1,50} gesendet.{0,10}|"
    r"holen sie sich outlook.{1,40}|outlook für (?:ios|android) beziehen.{0,60}|"
    r"envoyé (?:de(?:puis)?|à partir de) .{1,60}|enviado (?:desde|do) .{1,60}|inviato da .{1,60}|"
    r"verzonden vanaf .{1,60}|(?:私の)?.{0,30}から送信(?:されました)?。?|נשלח מ.{1,60}|"
    r"(?:أُرسلت|أرسلت|مرسل|تم الإرسال) من .{1,60})",
    re.IGNORECASE,
)
"""The signature of a phone or a program."""

AUTOMATIC_SUBJECT = re.compile(
    r"\W{0,3}(?:auto(?:matic|mated)?[- ]?(?:reply|response|answer)\b|autoreply|"
    r"out[- ]of[- ](?:the[- ])?office|"
    r"automatische antwort|abwesenheits(?:notiz|nachricht|meldung|assistent)|abwesend\b|abwesenheit\b|"
    r"nicht im (?:büro|haus)|undeliver(?:ed|able)\b|unzustellbar|delivery status notification|"
    r"mail delivery (?:failed|failure|system)|delivery (?:has )?failed|failure notice|returned mail|"
    r"réponse automatique|respuesta automática|risposta automatica|automatisch antwoord|"
    r"(?:自動応答|自動返信|不在)|תשובה אוטומטית|رد تلقائي|"
    r"wiederholte zustellversuche|zustellung fehlgeschlagen)",
    re.IGNORECASE,
)
"""The beginning of the subject of automatic replies."""

ROBOTS = re.compile(
    r"(?:mailer-daemon|postmaster|no-?_?reply|do-?not-?reply|noreply-.{1,60}|bounces?(?:[+-].{1,200})?"
    r"|keine-?antwort|listserv|majordomo)@",
    re.IGNORECASE,
)
"""Addresses that nobody reads."""
