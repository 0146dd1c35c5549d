"""Phrases with which mail programs mark quotes, forwarded messages, and signatures."""

import re

COLON = ":：﹕︓∶꞉։՝׃፡፥፦៖᠄༔"
"""The colons of all scripts, and what stands for one."""

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

FORWARDED_SUBJECT = re.compile(
    r"\s*\[?(?:fwd?|wg|tr|rv|enc|i|pd|vb|vl|doorst|i̇?lt|továbbítás|הועבר|転送|转发|轉寄|전달)\s*[::]",
    re.IGNORECASE,
)
"""The beginning of the subject of a forwarded message."""

ORIGINAL = re.compile(
    r"[-_]{2,}\s*(?:original message|original appointment|ursprüngliche nachricht|original[- ]?nachricht|"
    r"ursprünglicher termin|message d['’]origine|mensaje original|messaggio originale|oorspronkelijk bericht|"
    r"mensagem original|元のメッセージ|original message follows|הודעה מקורית|الرسالة الأصلية)\s*[-_]{0,30}",
    re.IGNORECASE,
)
"""The line above the original message in a reply."""

WROTE = re.compile(
    r"(?<!\w)(?:wrote|writes|schrieb|schreibt|a écrit|escribió|ha scritto|schreef|escreveu|skrev|skreiv|"
    r"kirjoitti|napisał(?:\(a\)|a)?|napsala?|napísala?|написа(?:л|ла|в|ли)|пишет|пише|írta|scris|έγραψε|yazdı|"
    r"rašė|rakstīja|kirjutas|je napisala?|напиша|menulis|viết)(?!\w)"
    r"|のメール|さんは書きました|書きました|写道|寫道|작성|썼습니다|כתב|كتب|نوشت|เขียน",
    re.IGNORECASE,
)
"""The verb of an attribution: somebody wrote."""

ATTRIBUTION_START = re.compile(
    r"[-*\s]{0,6}(?:on|am|le|el|il|op|em|den|dne|dňa|dnia|w dniu|в|на|у|in data|på|a\(z\)|pe|la)(?!\w)",
    re.IGNORECASE,
)
"""The first word of an attribution."""

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

SIGNATURES = ("-- ", "--", "—", "– ")
"""Lines above a signature."""

RULE = re.compile(r"\s*[_\-=*–—]{5,}\s*")
"""A horizontal rule."""

LIST_FOOTER = re.compile(
    r".{0,200}(?:mailing list|mailingliste?|listinfo|unsubscribe|abmelden|groups\.google\.com)", re.IGNORECASE
)
"""The text that mailing lists add below a horizontal rule."""

_DEVICE = (
    r"(?:i(?:phon|pad|pod)\w{0,5}|android\S*|blackberry|samsung|galaxy|huawei|xiaomi|redmi|oppo|oneplus|pixel|"
    r"nokia|htc|xperia|motorola|wiko|windows|outlook|yahoo|gmail|gmx|web\.de|t-online|aol|proton\S*|tuta\S*|"
    r"fastmail|zoho|thunderbird|k-9|spark|sparrow|airmail|mailbird|bluemail|aqua ?mail|superhuman|typeapp|"
    r"mailspring|mailbox|mail(?= (?:for|für|pour|para|per|voor|app)\b)|mobil\S*|handy|smart\S*|\S*telefon\S*|"
    r"téléphone|teléfono|celular|móvil|cell|phone|tablet|device|gerät|mac|телефона|почт\S*|手机|手機|갤럭시|"
    r"스마트폰|휴대폰|スマートフォン)"
)
_BY_MAIL = r"(?!\s(?:par|por|per|via|by)\s(?:e-?mail|mail|téléphone|telefon\w*|teléfono|mobil\w*)\b)"
SENT_FROM = re.compile(
    r"[(<*\s]{0,3}(?:sent (?:from|via|using|with)|(?:gesendet|verschickt|versendet) (?:von|vom|mit|aus|über)|"
    r"(?=.{0,90}(?:gesendet|verschickt|versendet))(?:von meinem|mit (?:der|meinem)|diese nachricht wurde)|"
    r"envoyé|enviad[oa]|inviat[oa]|verzonden|verstuurd|skickat|sendt|lähetetty|wysłan[eo]|odesláno|odoslané|"
    r"poslan[oe]|отправлено|надіслано|trimis|elküldve|στάλθηκε|enviat|gửi|dikirim|ส่งจาก|从|從|נשלח|"
    r"أُ?رسلت|مرسل|تم الإرسال)"
    rf"{_BY_MAIL}(?:\s?[^\s,;:!?]{{1,25}}){{0,6}}?\s?\b{_DEVICE}\b"
    r"(?:[^,;!?\n]{0,70}|, an .{1,30}phone\.?)"
    rf"|(?:发自|發自)(?:我的)?\s?{_DEVICE}\S{{0,8}}|{_DEVICE}\S{{0,8}}\sgönderildi|मेरे\s{_DEVICE}\sसे भेजा गया"
    rf"|(?=.{{0,30}}{_DEVICE})"
    r"(?:.{0,30}から送信(?:されました)?。?|.{0,30}(?:傳送|发送)|.{0,20}에서 보냄)"
    r"|(?=.{0,60}\boutlook\b)(?=.{0,80}(?:ios|android))(?:.{1,70}<?https://aka\.ms/\S{1,60}"
    r"|(?:get|télécharger|obtener|obter|descargar?|scarica|download|hämta|få|hent|hanki|pobierz|získat|"
    r"скачать|завантажити|获取|取得|λήψη|קבל|preuzmi)\b.{1,60}|.{1,60}(?:herunterladen|を入手|다운로드|edinin))",
    re.IGNORECASE,
)
"""The signature of a phone or a program."""
