// Keyboard shortcuts, except in text fields: data-key names the key of an element, data-row marks rows of lists.
// Each key acts once, in the order in which they were pressed: while a page comes or a form is saved, keys wait.
const { go, busy, stop, goOn, isText, onPage, root, twinOf } = window.skerry;
const PLACES = { d: "/", p: "/projects", t: "/tickets", m: "/milestones", i: "/notifications" };
const PAIRED = 1500;
const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
let going = -PAIRED;
// What last had the focus in a row, and has it again when Escape leaves a field.
let inRow = null;
document.addEventListener("focusin", ({ target }) => (inRow = target.closest("[data-row]") ? target : inRow));

if (isMac) onPage("kbd", (key) => (key.textContent = key.textContent.replace("Ctrl", "⌘")));

const open = (id) => {
  const dialog = document.getElementById(id);
  if (!document.querySelector("dialog[open]")) dialog?.showModal();
  dialog?.querySelector("input:not([type=hidden])")?.select();
};

const placeOf = (letter) => {
  const { project } = document.body.dataset;
  return root + (project && "tm".includes(letter) ? `/projects/${project}` : "") + PLACES[letter];
};
const goTo = (letter) => {
  if (!(letter in PLACES)) return false;
  go(placeOf(letter));
  return true;
};
const keyOf = (path) => Object.keys(PLACES).filter((letter) => placeOf(letter) === path).map((letter) => `g ${letter}`)[0];
Object.assign(window.skerry, { keyOf });

const rows = () => [...document.querySelectorAll("[data-row]")];
const current = () => document.activeElement?.closest("[data-row]");

const step = (by) => {
  const all = rows();
  const at = all.indexOf(current());
  const next = all[at < 0 && by < 0 ? all.length - 1 : at + by];
  // Beyond the first and the last row are those of other pages; tickets stay selected on their page only.
  if (!next && all.length && !document.querySelector(".pick:checked")) document.querySelector(`nav.pages a[rel=${by < 0 ? "prev" : "next"}]`)?.click();
  next?.querySelector("[data-open]").focus();
  return all.length > 0;
};

const lead = (letter) => {
  // Keys act on the selected tickets, else on the current one.
  const [key, own] = [`[data-key="${CSS.escape(letter)}"]`, `[data-own-key="${CSS.escape(letter)}"]`];
  const ofRow = document.querySelector(`[data-bulk]:not([hidden]) ${key}`) ?? current()?.querySelector(own);
  const found = ofRow ?? [...document.querySelectorAll(key)].find((each) => each.checkVisibility());
  if (!found) return false;
  if (isText(found)) {
    // A smooth way through a long page takes more than a second.
    found.focus({ preventScroll: true });
    found.scrollIntoView({ behavior: "instant", block: "nearest" });
    goOn(found);
  } else found.click();
  return true;
};

// The form around what has the focus; buttons, boxes and summaries have one too.
const submit = (button) => {
  const form = document.activeElement.form ?? document.activeElement.closest("form");
  form?.requestSubmit(form.querySelector(button));
  return Boolean(form);
};

const DEEDS = {
  j: () => step(1),
  k: () => step(-1),
  x: () => current()?.querySelector(".pick")?.click() ?? Boolean(current()),
  o: () => current()?.querySelector("[data-open]").click() ?? Boolean(current()),
  "?": () => open("keys") ?? true,
  "Mod+k": () => open("command") ?? true,
  "Mod+Enter": () => submit(),
  "Mod+Shift+Enter": () => submit("[data-closes-ticket]"),
};

// Keys that waited also reach what has the focus by then: a field, a link or a button.
const arrive = (field, key) => {
  if (!isText(field)) return [" ", "Enter"].includes(key) && field !== document.body && field.click();
  if (key === "Enter" && field.matches("input")) return field.form?.requestSubmit();
  return document.execCommand(key === "Backspace" ? "delete" : "insertText", false, key === "Enter" ? "\n" : key);
};

const act = ({ key, time }) => {
  if (document.body.dataset.keys === "off" && !key.startsWith("Mod")) return false;
  const went = time - going < PAIRED && goTo(key);
  going = key === "g" && !went ? time : -PAIRED;
  return went || key === "g" || DEEDS[key]?.() || lead(key);
};

const isOwn = (element) => isText(element) || element.isContentEditable || element.closest("dialog[open]");

// The name of a key that may be ours, or nothing.
const named = (event) => {
  const { key, altKey, ctrlKey, metaKey, shiftKey } = event;
  if (altKey || event.isComposing) return null;
  if (key === "Enter" && (ctrlKey || metaKey)) return shiftKey ? "Mod+Shift+Enter" : "Mod+Enter";
  if (key === "k" && !shiftKey && (isMac ? metaKey && !ctrlKey : ctrlKey && !metaKey)) return "Mod+k";
  return ctrlKey || metaKey || isOwn(event.target) ? null : key;
};

const waiting = [];
document.addEventListener("keydown", (event) => {
  const key = named(event);
  const stroke = { key, time: event.timeStamp };
  // Escape leaves a field as it is, after which keys act on the page; browsers would empty a search.
  const leaves = event.key === "Escape" && !event.isComposing && !event.defaultPrevented;
  if (leaves && isText(event.target) && !event.target.closest("dialog, [popover]")) {
    event.preventDefault();
    event.target.blur();
    (inRow?.isConnected ? inRow : inRow && twinOf(inRow, document))?.focus({ preventScroll: true });
  }
  if (!key || event.defaultPrevented) return;
  if (!busy()) {
    if (act(stroke)) event.preventDefault();
  } else if (key === "Escape") {
    stop();
    waiting.length = 0;
  } else if (key.length === 1 || /^Mod|^Enter$|^Backspace$/.test(key)) {
    event.preventDefault();
    if (!event.repeat) waiting.push(stroke);
  }
});
document.addEventListener("settled", ({ detail }) => {
  // What was typed for a page that did not come is dropped.
  if (!detail.well) waiting.length = 0;
  while (waiting.length && !busy()) {
    const stroke = waiting.shift();
    if (stroke.key.startsWith("Mod") || !isOwn(document.activeElement)) act(stroke) || arrive(document.activeElement, stroke.key);
    else arrive(document.activeElement, stroke.key);
  }
});

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  if (opener) open(opener.dataset.opens);
});
// On pointerdown rather than click: selecting text may start in the dialog and end outside.
document.addEventListener("pointerdown", (event) => event.target.matches("dialog") && event.target.close());
document.addEventListener("click", (event) => event.target.closest("[data-closes]")?.closest("dialog").close());

// The command dialog of a ticket sends a comment that consists of the command in brackets.
document.addEventListener("submit", (event) => {
  const field = event.target.matches("[data-command]") && event.target.elements["ticket[body]"];
  if (field) field.value = `[${field.value.replace(/[[\]]/g, "")}]`;
});
