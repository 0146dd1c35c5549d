// What could stand at the caret of a query, to be chosen while it is typed.
const place = document.body.dataset.project ? `/projects/${document.body.dataset.project}` : "";
const PAUSE = 120;
let lists = 0;
let pause = PAUSE;

// Below half of what the caller may ask in a minute, this leaves the rest to the caller: it asks no faster than it fills.
const spare = (headers) => {
  const [most, left] = ["Limit", "Remaining"].map((name) => Number(headers.get(`X-RateLimit-${name}`)));
  pause = left < most / 2 ? 60_000 / most : PAUSE;
};

for (const input of document.querySelectorAll("[data-query]")) {
  const list = document.createElement("ul");
  Object.assign(list, { className: "choices", id: `choices-${++lists}`, hidden: true });
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", input.getAttribute("aria-label") || input.labels[0].textContent.trim());
  const around = input.closest(".box, .find");
  if (around) around.append(list);
  else (input.closest("label") ?? input).after(list);
  input.role = "combobox";
  Object.assign(input, { ariaAutoComplete: "list", ariaExpanded: "false" });
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
    input.setAttribute("aria-expanded", false);
    point(-1);
  };
  // The server counts characters, and not the halves of those that take two.
  const count = (text) => [...text].length;
  const show = (suggestions, characters) => {
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
    input.setAttribute("aria-expanded", !list.hidden);
    // What was chosen while these were on their way stays chosen, if it is among them.
    point(found.findIndex(({ text }) => text === kept));
  };
  const ask = async () => {
    asked?.abort();
    asked = new AbortController();
    const characters = count(input.value);
    const sent = new URLSearchParams({ q: input.value, caret: count(input.value.slice(0, input.selectionStart)) });
    try {
      const answer = await fetch(`${place}/query/suggest.json?${sent}`, { signal: asked.signal });
      spare(answer.headers);
      const { suggestions } = answer.ok ? await answer.json() : { suggestions: [] };
      if (document.activeElement === input) show(suggestions.map((each) => each.suggestion), characters);
    } catch (error) {
      if (error.name !== "AbortError") close();
    }
  };
  const take = ({ text, start, end }) => {
    const characters = [...input.value];
    const whole = !text.endsWith(":");
    // What was typed since these were asked for belongs to the word that is replaced.
    const rest = characters.slice(Math.max(start, end + characters.length - length)).join("");
    const before = characters.slice(0, start).join("") + text + (whole && !rest ? " " : "");
    input.value = before + rest;
    input.setSelectionRange(before.length, before.length);
    close();
    if (!whole) ask();
  };

  input.addEventListener("input", () => {
    clearTimeout(timer);
    if (!input.value) return close();
    timer = setTimeout(ask, pause);
  });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    const { key } = event;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (event.isComposing || (list.hidden && key !== "ArrowDown")) return;
    if (step && list.hidden) ask();
    else if (step) point((chosen + step + found.length + (chosen < 0 && step < 0 ? 1 : 0)) % found.length);
    else if (key === "Enter" && chosen >= 0) take(found[chosen]);
    else if (key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  // The box keeps the focus while one is chosen with the mouse.
  list.addEventListener("mousedown", (event) => {
    event.preventDefault();
    const item = event.target.closest("li");
    if (item) take(found[[...list.children].indexOf(item)]);
  });
}
