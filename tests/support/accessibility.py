"""What axe finds on a page of a browser."""

from axe_playwright_python.sync_playwright import Axe

_LOADING, _LOADED = Axe(), Axe(axe_script="")

_ALL = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def violations(page, light=None, dark=("color-contrast",)):
    """Return what is broken on a page: each time the theme, the rule and where.

    In the light all rules are looked at, or those that are named; in the dark only the colours are others.
    """
    found = []
    for theme, rules in (("light", light), ("dark", dark)):
        if rules is not None and not rules:
            continue
        page.emulate_media(color_scheme=theme)
        # Half a megabyte of script is parsed once for a page.
        axe = _LOADED if page.evaluate("typeof axe") == "object" else _LOADING
        only = {"type": "rule", "values": list(rules)} if rules else {"type": "tag", "values": _ALL}
        # What is as it should be is not told of, which takes as long again as to look.
        told = axe.run(page, options={"resultTypes": ["violations"], "runOnly": only}).response["violations"]
        found += [(theme, each["id"], [node["html"][:200] for node in each["nodes"]]) for each in told]
    return found
