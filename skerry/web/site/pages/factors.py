"""The pages of a person's second factors."""

from skerry.text.browsers import browser_name
from skerry.tracker.auth import factors, sessions
from skerry.tracker.context import Context, Params
from skerry.web.auth import browser
from skerry.web.site.pages import Content


def time_codes(context: Context, params: Params) -> Content:
    """Return what an app needs while it is set up, and what is there."""
    secret = factors.pending(context)
    current = [each for each in sessions.list_all(context, params).records if each.current]
    return {
        "next": browser.local_path(params.query.get("next")) or "",
        "device": browser_name(current[0].agent) if current else "",
        "codes": factors.get(context, params),
        "secret": " ".join(secret[at : at + 4] for at in range(0, len(secret), 4)),
        "picture": _picture(factors.uri(context, secret)) if secret else "",
        "uri": factors.uri(context, secret) if secret else "",
    }


def _picture(text: str) -> str:
    """Return a QR code as SVG, black on white in each theme, because cameras need that."""
    import segno  # noqa: PLC0415 - few need it

    drawn = segno.make(text, error="m", micro=False)
    return str(drawn.svg_inline(border=4, light="white", omitsize=True, svgclass="qr-code", lineclass=None))


def recovery_codes(context: Context, params: Params) -> Content:
    """Return how many recovery codes are left."""
    return {"recovery": factors.recovery_codes(context, params)}
