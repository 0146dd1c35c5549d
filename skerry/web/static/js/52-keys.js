// Keyboard shortcuts, except in text fields: data-key names the key of an element, data-row marks rows of lists.

// Text typed while a page loads is meant for one of its fields. So keys are ignored while a page is being left, and on
// the next page until there is a pause. Only the keys that step through a list work at once.
const QUIET = 400;
const MOST_LEAVING = 30_000;
const STEPPED = "skerry-step";
const stepped = sessionStorage.getItem(STEPPED);
sessionStorage.removeItem(STEPPED);
let left = 0, listens;

const hush = () => {
  clearTimeout(listens);
  document.documentElement.classList.remove("listening");
  listens = setTimeout(() => document.documentElement.classList.add("listening"), QUIET);
};
// The page may stay: the response can be a download, or loading is cancelled.
const leaving = () => Date.now() - left < MOST_LEAVING;
const isAhead = (event) => {
  if (event.key === "Escape") left = 0;
  if (!leaving() && (document.documentElement.classList.contains("listening") || event.key === stepped)) return false;
  hush();
  return true;
};
hush();
addEventListener("beforeunload", () => (left = Date.now()));
addEventListener("pageshow", (event) => {
  left = 0;
  if (event.persisted) hush();
});
addEventListener("pointerdown", () => (left = 0));

const PLACES = { d: "/", p: "/projects", t: "/tickets", m: "/milestones", i: "/notifications" };
const project = document.body.dataset.project;
let going = 0;

const open = (id) => {
  const dialog = document.getElementById(id);
  if (!document.querySelector("dialog[open]")) dialog?.showModal();
  dialog?.querySelector("input:not([type=hidden])")?.select();
};

const go = (letter) => {
  if (!(letter in PLACES)) return false;
  location.href = project && "tm".includes(letter) ? `/projects/${project}${PLACES[letter]}` : PLACES[letter];
  return true;
};

const rows = () => [...document.querySelectorAll("[data-row]")];
const current = () => document.activeElement?.closest("[data-row]");

const step = (by) => {
  const all = rows();
  const at = all.indexOf(current());
  const next = all[at < 0 && by < 0 ? all.length - 1 : Math.min(Math.max(at + by, 0), all.length - 1)];
  next?.querySelector("[data-open]").focus();
  return Boolean(next);
};

const lead = (letter) => {
  const own = current()?.querySelector(`[data-own-key="${CSS.escape(letter)}"]`);
  const found = own ?? [...document.querySelectorAll(`[data-key="${CSS.escape(letter)}"]`)].find((each) => each.checkVisibility());
  if (!found) return false;
  if ("jk".includes(letter)) sessionStorage.setItem(STEPPED, letter);
  if (found.matches("input, textarea, select")) found.focus();
  else found.click();
  return true;
};

const DEEDS = {
  j: () => step(1),
  k: () => step(-1),
  x: () => current()?.querySelector(".pick")?.click() ?? Boolean(current()),
  o: () => current()?.querySelector("[data-open]").click() ?? Boolean(current()),
  g: () => (going = Date.now()),
};

const typing = (element) => element.isContentEditable || element.closest("input:not([type=checkbox]), textarea, select, dialog[open]");

document.addEventListener("keydown", (event) => {
  if (event.key === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
    event.preventDefault();
    // The dialog would belong to the page that is being left.
    if (leaving()) hush();
    else open("command");
    return;
  }
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.matches("textarea") && !event.isComposing) {
    event.target.form?.requestSubmit();
    return;
  }
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || typing(event.target) || isAhead(event)) return;
  const went = Date.now() - going < 1500 && go(event.key);
  going = 0;
  if (went || DEEDS[event.key]?.() || lead(event.key)) event.preventDefault();
});

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  if (opener) open(opener.dataset.opens);
});
// On pointerdown rather than click: selecting text may start in the dialog and end outside.
document.addEventListener("pointerdown", (event) => event.target.matches("dialog") && event.target.close());

// The command dialog of a ticket sends a comment that consists of the command in brackets.
document.addEventListener("submit", (event) => {
  const field = event.target.matches("[data-command]") && event.target.elements["ticket[body]"];
  if (field) field.value = `[${field.value.replace(/[[\]]/g, "")}]`;
});
