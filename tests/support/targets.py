"""Whether all that is clicked on a page is large enough, or has enough room around it (WCAG 2.5.8)."""

SCREENS = ({"width": 1440, "height": 900}, {"width": 390, "height": 844})

# A link among other words is part of a sentence. What is drawn over a page, or clipped away, takes no room.
_CRAMPED = """() => {
  const LEAST = 24;
  const TARGETS = "a[href], button, summary, select, textarea, input:not([type=hidden]), [tabindex='0']";
  const style = (each) => getComputedStyle(each);
  const within = (test) => {
    const known = new Map([[null, false]]);
    const isWithin = (each) => {
      if (!known.has(each)) known.set(each, test(each) || isWithin(each.parentElement));
      return known.get(each);
    };
    return isWithin;
  };
  const isOver = within((part) => part.matches(".menu > .sheet") || style(part).position === "sticky");
  const isClipped = within((part) => style(part).clipPath !== "none");
  const isShown = (each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    && !isClipped(each);
  const words = (node) =>
    node.data ?? (node.matches?.(TARGETS) ? "" : [...node.childNodes].map(words).join(""));
  const block = (each) => style(each).display === "inline" ? block(each.parentElement) : each;
  const isInSentence = (each) => each.closest(".prose") || style(each).display === "inline"
    && style(block(each)).display !== "flex" && /\\p{L}{2}/u.test(words(block(each)));

  const all = [...document.querySelectorAll(TARGETS)].filter(isShown)
    .map((each) => ({ each, box: each.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 1 && box.height > 1);
  const small = all.filter(({ each, box }) => Math.min(box.width, box.height) < LEAST && !isInSentence(each));
  const middle = ({ left, right, top, bottom }) => [(left + right) / 2, (top + bottom) / 2];
  const isNear = (one, other) => {
    if (one.each.contains(other.each) || other.each.contains(one.each)) return false;
    if (isOver(one.each) !== isOver(other.each)) return false;
    const [x, y] = middle(one.box);
    const [toX, toY] = middle(other.box);
    if (small.includes(other)) return Math.hypot(x - toX, y - toY) < LEAST;
    const { left, right, top, bottom } = other.box;
    return Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom)) < LEAST / 2;
  };
  const told = ({ each, box: { width, height } }) =>
    `${each.outerHTML.slice(0, 120)} ${width.toFixed(1)} x ${height.toFixed(1)}`;
  return small.flatMap((one) => all.filter((other) => other !== one && isNear(one, other)).slice(0, 1)
    .map((other) => `${told(one)} near ${told(other)}`));
}"""


def cramped(page):
    """Return what is too small and too close to be clicked on a page, by screen.

    A theme changes nothing of it: the styles have other colours in the dark, by ``light-dark()`` alone.
    """
    found = []
    for screen in SCREENS:
        page.set_viewport_size(screen)
        found += [(screen["width"], each) for each in page.evaluate(_CRAMPED)]
    return found
