"""What axe finds on a page of a browser."""

from axe_playwright_python.sync_playwright import Axe

_AXE = Axe().axe_script

_ALL = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

# Marks one text of each look that was not seen, and returns these looks. A look is all that decides how well
# a text is read: its letters, and everything that is painted around and behind it. As a text that is hidden
# is not judged, it stands for no other; and of letters in a drawing axe can never tell.
_MARK = """(seen) => {
  document.querySelectorAll("[data-look]").forEach((each) => each.removeAttribute("data-look"));
  const [known, looks, ground] = [new Set(seen), [], new Map()];
  const around = (element) => {
    if (!element) return "";
    if (!ground.has(element)) {
      const style = getComputedStyle(element);
      const own = [style.backgroundColor, style.backgroundImage, style.opacity, style.position,
        style.clipPath, style.filter, style.mixBlendMode,
        element.matches(":disabled, [aria-disabled=true], [inert]")].join();
      const plain = own === "rgba(0, 0, 0, 0),none,1,static,none,none,normal,false";
      ground.set(element, around(element.parentElement) + (plain ? "" : `/${own}`));
    }
    return ground.get(element);
  };
  for (const element of document.body.querySelectorAll(":not(svg, svg *)")) {
    const field = element.matches("input, select, textarea");
    if (!field && ![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (![...element.getClientRects()].some((box) => box.width > 1 && box.height > 1)) continue;
    const style = getComputedStyle(element);
    const look = [field && element.type, style.color, style.fontSize, style.fontWeight, style.textShadow,
      element.control?.disabled, around(element)].join();
    if (known.has(look)) continue;
    known.add(look);
    looks.push(look);
    element.dataset.look = "";
  }
  axe.configure({ rules: [{ id: "color-contrast", selector: "[data-look]" }] });
  return looks;
}"""

# What is as it should be is not told of: to tell of it takes as long again as to look.
_RUN = """(runOnly) => {
  const told = (rules) => rules.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))]);
  return axe.run({ resultTypes: ["violations", "incomplete"], runOnly })
    .then(({ violations, incomplete }) => [violations, incomplete].map(told));
}"""


def violations(page, light=None, dark=("color-contrast",), seen=None):
    """Return what is broken on a page: each time the theme, the rule and where.

    In the light all rules are looked at, or those that are named; in the dark only the colours are others.
    The colours of a text are looked at if its look is not among those *seen*, to which it is added.
    """
    found, seen = [], set() if seen is None else seen
    if page.evaluate("typeof axe") != "object":
        # The pages that follow in this tab have it from the beginning.
        page.evaluate(_AXE)
        page.add_init_script(_AXE)
    for theme, rules in (("light", light), ("dark", dark)):
        if rules is not None and not rules:
            continue
        page.emulate_media(color_scheme=theme)
        looks = page.evaluate(_MARK, sorted(seen))
        if rules == ("color-contrast",) and not looks:
            continue
        only = {"type": "rule", "values": list(rules)} if rules else {"type": "tag", "values": _ALL}
        broken, unsure = page.evaluate(_RUN, only)
        found += [(theme, *each) for each in broken]
        # Of a look that axe cannot tell, the next text is looked at as well.
        if "color-contrast" not in dict(unsure):
            seen.update(looks)
    return found
