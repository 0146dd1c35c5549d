// The query line: one text field, and behind it a layer of the same metrics that draws known terms as chips. A click on
// the keyword of a chip opens its menu, one on its value edits it.
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

  input.addEventListener("click", ({ clientX: x }) => {
    const isOn = (chip) => [...chip.getClientRects()].some(({ left, right }) => left <= x && x <= right);
    const chip = input.selectionStart === input.selectionEnd && [...layer.querySelectorAll("b")].find(isOn);
    if (!chip || !input.dataset.filters.split(" ").includes(chip.dataset.keyword)) return;
    const url = new URL(link.href);
    url.searchParams.set("key", chip.dataset.keyword);
    window.skerry.menu(url, chip, input);
  });
});
