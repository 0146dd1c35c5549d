// The query line: one text field, and behind it a layer of the same metrics that draws known terms as chips. A click on
// the keyword of a chip, or Alt-Down in it, opens its menu, which changes or removes it; a click on its value edits it.
const TERM = /(-?(?:not-)?([^\s():"'][^\s():]*):(?![:/]))(\((?:"[^"]*"?|'[^']*'?|[^)"'])*\)?|"[^"]*"?|'[^']*'?|[^\s()]+)|"[^"]*"?|'[^']*'?|[^\s()]+|[^]/giu;

const part = (name, text) => {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
};

// The server counts code points, not UTF-16 units.
const wrongIn = (input) => {
  if (!input.dataset.wrong || input.value !== input.defaultValue) return null;
  const characters = [...input.value];
  return input.dataset.wrong.split(" ").map((offset) => characters.slice(0, offset).join("").length);
};

const chips = (input) => {
  const [keywords, wrong] = [input.dataset.keywords.split(" "), wrongIn(input)];
  return [...input.value.matchAll(TERM)].map((match) => {
    const [text, head, key, value] = match;
    const isWrong = wrong && match.index < wrong[1] && match.index + text.length > wrong[0];
    const isKnown = head && keywords.includes(key.toLowerCase());
    if (!isWrong && !isKnown) return text;
    const chip = part("span", isKnown ? "" : text);
    chip.className = isWrong ? "wrong" : "term";
    if (!isKnown) return chip;
    const keyword = part("b", head);
    keyword.dataset.keyword = key.toLowerCase();
    Object.assign(chip.dataset, { from: match.index, to: match.index + text.length });
    chip.append(keyword, value);
    return chip;
  });
};

window.skerry.onPage("[data-keywords]", (input) => {
  const layer = part("div", "");
  layer.className = "painted";
  layer.setAttribute("aria-hidden", "true");
  input.before(layer);
  const link = input.form.querySelector("[data-menu]");
  let painted = null;
  const follow = () => (layer.scrollLeft = input.scrollLeft);
  const paint = () => {
    if (painted !== input.value) {
      painted = input.value;
      layer.replaceChildren(...chips(input));
      const url = new URL(link.href);
      url.searchParams.set("q", painted);
      link.href = url;
      const isWrong = wrongIn(input);
      if (isWrong) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    }
    follow();
  };
  input.addEventListener("input", paint);
  input.addEventListener("scroll", follow);
  // Also when a suggestion is taken, and when the caret moves out of sight.
  document.addEventListener("selectionchange", () => input.isConnected && document.activeElement === input && paint());
  input.addEventListener("blur", () => requestAnimationFrame(follow));
  paint();
  const wrong = wrongIn(input);
  // The field may have the focus only with the first picture.
  if (wrong) input.setSelectionRange(wrong[1], wrong[1]);
  follow();

  const change = (chip) => {
    const [url, keyword] = [new URL(link.href), chip.querySelector("b")];
    url.searchParams.set("key", keyword.dataset.keyword);
    url.searchParams.set("at", [...input.value.slice(0, chip.dataset.from)].length);
    window.skerry.menu(url, keyword, input);
  };
  const at = ({ clientX: x }) => [...layer.querySelectorAll("b")].find((each) => [...each.getClientRects()].some(({ left, right }) => left <= x && x <= right));
  input.addEventListener("pointermove", (event) => input.classList.toggle("on-chip", Boolean(at(event))));
  input.addEventListener("click", (event) => {
    const keyword = input.selectionStart === input.selectionEnd && at(event);
    if (keyword) change(keyword.parentElement);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" || !event.altKey) return;
    const caret = input.selectionStart;
    const chip = [...layer.querySelectorAll("[data-from]")].find(({ dataset: { from, to } }) => from <= caret && caret <= to);
    event.preventDefault();
    if (chip) change(chip);
  });
});
