// Completion at the caret of a query, of tags, and in a text of people after an @ and of tickets after a #.
const { onPage, write, root } = window.skerry;
const place = () => (document.body.dataset.project ? `${root}/projects/${document.body.dataset.project}` : root);
const PAUSE = 120;
let lists = 0;
let pause = PAUSE;

// With less than half of the rate limit left, requests are no faster than the refill, so that the user keeps the rest.
const spare = (headers) => {
  const [most, left] = ["Limit", "Remaining"].map((name) => Number(headers.get(`X-RateLimit-${name}`)));
  pause = left < most / 2 ? 60_000 / most : PAUSE;
};

// The server counts code points, not UTF-16 units.
const count = (text) => [...text].length;

// The URL of the suggestions, and a function that positions each; null if there is nothing to complete.
const inQuery = (input) => {
  const sent = new URLSearchParams({ q: input.value, caret: count(input.value.slice(0, input.selectionStart)), language: document.documentElement.lang });
  return { address: `${place()}/query/suggest.json?${sent}`, placed: (each) => each };
};
// A tag is completed as one of a query is.
const TAG = "tagged:";
const inTags = (input) => {
  const before = input.value.slice(0, input.selectionStart);
  const [word] = /[^\s,"]*$/.exec(before);
  const by = count(before) - count(word) - TAG.length;
  const sent = new URLSearchParams({ q: TAG + word, caret: count(TAG + word), language: document.documentElement.lang });
  const placed = (each) => ({ ...each, start: each.start + by, end: each.end + by });
  return word && { address: `${place()}/query/suggest.json?${sent}`, placed };
};
const PEOPLE = /(?:^|[^\p{L}\p{N}_./@+-])@([\p{L}\p{N}_.'’-]{0,40})$/u;
// A number, or up to four words.
const TICKETS = /(?:^|[\s([])#(\d{0,9}|\p{L}[\p{L}\p{N}_-]{0,30}(?: [\p{L}\p{N}_-]{0,30}){0,3})$/u;
const inText = (input) => {
  const before = input.value.slice(0, input.selectionStart);
  const [people, tickets] = [PEOPLE, TICKETS].map((each) => each.exec(before.slice(-100))?.[1]);
  const typed = people ?? tickets;
  if (typed === undefined) return null;
  const at = count(before) - count(typed) - 1;
  const placed = (each) => ({ ...each, start: at, end: at + 1 + each.end });
  const address = people === undefined ? input.dataset.tickets : input.dataset.mentions;
  return { address: `${address}?${new URLSearchParams({ q: typed })}`, placed, typed };
};

// Put a list below the caret of a text, or above it where there is no room. The caret stands where a copy of the
// text before it ends.
const putAtCaret = (list, area) => {
  const [copy, end] = [document.createElement("div"), document.createElement("span")];
  const style = getComputedStyle(area);
  for (const name of ["font", "letterSpacing", "tabSize", "padding", "direction"]) copy.style[name] = style[name];
  copy.className = "copy";
  copy.style.width = `${area.clientWidth}px`;
  end.textContent = ".";
  copy.append(area.value.slice(0, area.selectionStart), end);
  const box = area.closest(".writing");
  box.append(copy);
  const top = area.offsetTop + area.clientTop + end.offsetTop - area.scrollTop;
  const [left, height] = [area.offsetLeft + area.clientLeft + end.offsetLeft, end.offsetHeight];
  copy.remove();
  const isLow = box.getBoundingClientRect().top + top + height + list.offsetHeight > innerHeight;
  const fits = isLow && box.getBoundingClientRect().top + top > list.offsetHeight;
  list.style.top = `${fits ? top - list.offsetHeight : top + height}px`;
  list.style.left = `${Math.max(0, Math.min(left, box.clientWidth - list.offsetWidth))}px`;
};

const complete = (input, asking) => {
  const list = document.createElement("ul");
  Object.assign(list, { className: "choices", id: `choices-${++lists}`, hidden: true });
  list.setAttribute("role", "listbox");
  const isText = asking === inText;
  list.setAttribute("aria-label", isText ? "@ #" : input.getAttribute("aria-label") || input.labels[0].textContent.trim());
  const around = input.closest(".box, .find");
  if (around) around.append(list);
  else (input.closest("label") ?? input).after(list);
  input.ariaAutoComplete = "list";
  // ARIA does not allow a textarea the role combobox, and hence no expanded state.
  if (!isText) Object.assign(input, { role: "combobox", ariaExpanded: "false" });
  input.setAttribute("aria-controls", list.id);

  let timer, asked, chosen = -1, found = [], length = 0;

  const point = (index) => {
    chosen = index;
    [...list.children].forEach((item, at) => item.setAttribute("aria-selected", at === index));
    if (index < 0) return input.removeAttribute("aria-activedescendant");
    input.setAttribute("aria-activedescendant", list.children[index].id);
    list.children[index].scrollIntoView({ block: "nearest" });
  };
  const close = () => {
    clearTimeout(timer);
    asked?.abort();
    list.hidden = true;
    if (!isText) input.ariaExpanded = "false";
    point(-1);
  };
  const show = (suggestions, characters, typed) => {
    const kept = found[chosen]?.text;
    found = suggestions;
    length = characters;
    list.replaceChildren(...found.map(({ text, description }, at) => {
      const item = document.createElement("li");
      const [name, hint] = [document.createElement("b"), document.createElement("span")];
      [name.textContent, hint.textContent, item.id] = [text, description, `${list.id}-${at}`];
      item.setAttribute("role", "option");
      item.append(name, hint);
      return item;
    }));
    list.hidden = !found.length;
    if (!isText) input.ariaExpanded = String(!list.hidden);
    if (isText && found.length) putAtCaret(list, input);
    // A suggestion selected during the request stays selected if it is still in the list. In a text the first one is
    // selected, unless it has been typed already.
    const isTyped = !typed || found[0]?.text.slice(1).toLowerCase() === typed.toLowerCase();
    point(Math.max(found.findIndex(({ text }) => text === kept), isTyped || !found.length ? -1 : 0));
  };
  const ask = async () => {
    asked?.abort();
    asked = new AbortController();
    const [characters, wanted] = [count(input.value), asking(input)];
    if (!wanted) return close();
    try {
      const answer = await fetch(wanted.address, { signal: asked.signal });
      spare(answer.headers);
      const { suggestions } = answer.ok ? await answer.json() : { suggestions: [] };
      if (document.activeElement === input) show(suggestions.map((each) => wanted.placed(each.suggestion)), characters, wanted.typed);
    } catch (error) {
      if (error.name !== "AbortError") close();
    }
  };
  const take = ({ text, start, end }) => {
    const characters = [...input.value];
    const whole = !text.endsWith(":");
    // Text typed since the request belongs to the word that is replaced.
    const rest = characters.slice(Math.max(start, end + characters.length - length)).join("");
    const before = characters.slice(0, start).join("");
    const taken = text + (whole && !(isText ? /^\s/.test(rest) : rest) ? " " : "");
    close();
    if (isText) return write(input, before.length, input.value.length - rest.length, taken);
    input.value = before + taken + rest;
    input.setSelectionRange(before.length + taken.length, before.length + taken.length);
    if (!whole) ask();
  };

  input.addEventListener("input", () => {
    clearTimeout(timer);
    if (!input.value || !asking(input)) return close();
    timer = setTimeout(ask, pause);
  });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    const { key } = event;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (event.isComposing || event.altKey || (list.hidden && (isText || key !== "ArrowDown"))) return;
    if (step && list.hidden) ask();
    else if (step) point((chosen + step + found.length + (chosen < 0 && step < 0 ? 1 : 0)) % found.length);
    else if ((key === "Enter" || (key === "Tab" && isText)) && chosen >= 0) take(found[chosen]);
    else if (key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  // The input keeps the focus during a click on a suggestion.
  list.addEventListener("mousedown", (event) => {
    event.preventDefault();
    const item = event.target.closest("li");
    if (item) take(found[[...list.children].indexOf(item)]);
  });
};

Object.assign(window.skerry, { spare, pause: () => pause });
onPage("[data-query]", (input) => complete(input, inQuery));
onPage("[data-tags]", (input) => complete(input, inTags));
onPage("[data-mentions]", (input) => complete(input, inText));
