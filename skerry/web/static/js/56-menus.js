// Menus: the values that a field can be given, under the field itself. The same pages work without scripts.
//
// A link with data-menu, or with the key of a value in a row, leads to a page with an element #options, which is shown in a popover. A letter narrows the
// options, arrows move through them, Enter or a digit takes one. An option that is such a link opens its menu there.
const { ask, queue, save, stoppable, goOn, startAll, twinOf, here } = window.skerry;
const GAP = 4;
// The popover, what has the focus again when it closes, what it stands below, and its address.
let opened = null, opener = null, below = null, source = null;

const close = () => {
  opened?.remove();
  opened = null;
  // The page may have been renewed meanwhile.
  const back = opener?.isConnected ? opener : opener && twinOf(opener, document);
  back?.focus({ preventScroll: true });
};

// Below the value if there is room, else above it; never outside of the window.
const place = (menu) => {
  const [at, size] = [below.getBoundingClientRect(), menu.getBoundingClientRect()];
  const hasRoom = at.bottom + GAP + size.height <= innerHeight || at.top < size.height;
  menu.style.top = `${Math.max(GAP, hasRoom ? Math.min(at.bottom + GAP, innerHeight - size.height - GAP) : at.top - GAP - size.height)}px`;
  menu.style.left = `${Math.max(GAP, Math.min(at.left, innerWidth - size.width - GAP))}px`;
};

const withPlace = (address, more = {}) => {
  const url = new URL(address, here());
  const from = new URL(here());
  url.searchParams.set("next", from.pathname + from.search);
  for (const [name, value] of Object.entries(more)) url.searchParams.set(name, value);
  return url;
};

const load = async (address, more) => {
  const { answer, page } = await ask(withPlace(address, more), { signal: stoppable() });
  return answer.ok ? page?.getElementById("options") : null;
};

const open = async (address, at, back = at) => {
  const options = await load(address);
  // Not returned: the page comes after this work.
  if (!options) return void window.skerry.go(address);
  close();
  opened = document.createElement("div");
  Object.assign(opened, { className: "popover", popover: "auto" });
  opened.dataset.kept = "";
  opened.append(options);
  document.body.append(opened);
  startAll(opened);
  opened.showPopover();
  [opener, below, source] = [back, at, address];
  opened.addEventListener("toggle", (event) => event.newState === "closed" && event.target === opened && close());
  point(items()[0]);
  place(opened);
  opened.querySelector("[autofocus], input:not([type=hidden]), button")?.focus();
  const field = opened.querySelector("input:not([type=search], [type=hidden])");
  field?.select();
  if (field?.matches("[data-tags]")) goOn(field);
};

const items = () => [...(opened?.querySelectorAll("li :is(button, a)") ?? [])].filter((each) => !each.parentElement.hidden);
const pointed = () => opened?.querySelector("[data-pointed]");
const point = (item) => {
  pointed()?.removeAttribute("data-pointed");
  if (!item) return;
  item.dataset.pointed = "";
  item.scrollIntoView({ block: "nearest" });
};
const move = (by) => {
  const all = items();
  point(all[(all.indexOf(pointed()) + by + all.length) % all.length]);
};

const narrow = (text) => {
  const wanted = text.trim().toLowerCase();
  for (const item of opened.querySelectorAll("li")) item.hidden = !item.textContent.toLowerCase().includes(wanted);
  point(items()[0]);
};

// The rest of a long list comes from the server.
const more = async (input) => {
  const options = await load(source, { [input.name]: input.value });
  const list = options?.querySelector("ul");
  if (list && opened?.contains(input)) opened.querySelector("ul").replaceWith(list);
  point(items()[0]);
};

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a:is([data-menu], [data-own-key])");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const inside = opened?.contains(link);
  // A key that opens the menu of a row leaves the focus on the row, where Enter opens its page.
  const row = link.closest("[data-row]")?.querySelector("[data-open]");
  const back = row === document.activeElement ? row : link;
  queue(() => (inside ? open(link.href, below, opener) : open(link.href, link, back)));
});

document.addEventListener("input", ({ target }) => {
  if (!opened?.contains(target) || target.type !== "search") return;
  const numbered = /^[1-9]$/.test(target.value) && items().find((each) => each.querySelector("kbd")?.textContent === target.value);
  if (numbered) numbered.click();
  else if (opened.querySelector("[data-omitted]")) more(target);
  else narrow(target.value);
});

document.addEventListener("keydown", (event) => {
  if (!opened?.contains(event.target)) return;
  const removes = ["Backspace", "Delete"].includes(event.key) && !event.target.value && opened.querySelector("[data-removes]");
  if (removes) {
    event.preventDefault();
    removes.click();
  }
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    move(event.key === "ArrowDown" ? 1 : -1);
  }
});

// A choice that saves nothing leads to another page.
const choose = (form, submitter) => {
  const url = new URL(form.action);
  url.search = new URLSearchParams(new FormData(form, submitter));
  close();
  return window.skerry.go(url);
};

document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  if (!opened?.contains(form)) return;
  event.preventDefault();
  if (form.role === "search") return pointed()?.click();
  if (form.method === "get") return choose(form, submitter);
  // What is chosen already, or was left as it is, needs no saving.
  const field = form.querySelector("input:not([type=hidden])");
  if (submitter?.ariaCurrent || (field && field.value.trim() === field.defaultValue.trim())) return close();
  // The value is shown at once; the page that follows shows what was saved.
  const shown = submitter?.value !== undefined && submitter.matches("li button") && opener?.querySelector("[id^=fact-]");
  const before = [...(shown?.childNodes ?? [])];
  if (shown) shown.replaceChildren(...[...submitter.childNodes].filter((each) => !each.matches?.("kbd, .icon")).map((each) => each.cloneNode(true)));
  save(form, submitter).then((well) => well || !shown || shown.replaceChildren(...before));
  close();
});

window.skerry.menu = (address, at, back) => queue(() => open(address, at, back));
