// Drafts: what is entered in a form is kept in this browser until the server accepts it or the author discards it.
// Each page has drafts of its own, so that sending a form in one tab leaves the drafts of other tabs alone.
const { onPage, remember, remembered } = window.skerry;
const DAYS = 30;
const me = document.body.dataset.me || 0;
const formDrafts = (form) => `draft ${me} ${form.getAttribute("action").split("?")[0]} `;
const read = (name) => JSON.parse(localStorage.getItem(name) || "null");
const drafts = (start) => Object.keys(localStorage).filter((name) => name.startsWith(start));
const own = new WeakMap();

// A form that was kept while somebody signed in again is sent for them; another person decides.
onPage("[data-resend]", (kept) => {
  if (kept.dataset.resend !== me) return;
  document.addEventListener("settled", () => kept.isConnected && kept.querySelector("form").requestSubmit(), { once: true });
});

// What is entered in a field, what the server had put there, and a function that enters something else.
const isBox = (field) => field.matches("[type=checkbox], [type=radio]");
const entered = (field) => (isBox(field) ? String(field.checked) : field.value);
const original = (field) => {
  if (isBox(field)) return String(field.defaultChecked);
  if (!field.matches("select")) return field.defaultValue;
  return ([...field.options].find((option) => option.defaultSelected) ?? field.options[0])?.value;
};
const enter = (field, text) => {
  if (isBox(field)) field.checked = text === "true";
  else field.value = text;
};
const entries = (form) =>
  [...form.elements].filter((each) => each.name && each.matches("textarea, select, input:not([type=hidden], [type=file])"));

const keep = (form, sent) => {
  const draft = own.get(form);
  // A restored draft continues here, unless it has gone on in its own tab.
  if (draft.from && read(draft.from)?.at === draft.at) localStorage.removeItem(draft.from);
  draft.from = null;
  const touched = entries(form).filter((field) => entered(field) !== original(field));
  if (!touched.length) return localStorage.removeItem(draft.name);
  const values = Object.fromEntries(touched.map((field) => [field.name, entered(field)]));
  const bases = draft.bases ?? Object.fromEntries(touched.map((field) => [field.name, original(field)]));
  const seen = form.elements._seen?.value;
  localStorage.setItem(draft.name, JSON.stringify({ values, at: Date.now(), sent, bases, seen }));
};

// A draft that was sent, and possibly accepted, keeps its key, so that it is not saved twice. If somebody else has
// changed a field since, the draft keeps the version it began with, so that the server reports the conflict.
const restore = (form) => {
  const { _key, _seen } = form.elements;
  const draft = { name: formDrafts(form) + (_key?.value ?? "") };
  own.set(form, draft);
  const [found] = drafts(formDrafts(form)).map((name) => [name, read(name)]).filter(([, kept]) => kept.values)
    .sort(([, one], [, other]) => other.at - one.at);
  if (!found) return;
  const [from, kept] = found;
  const changed = entries(form).filter((field) => (kept.values[field.name] ?? original(field)) !== original(field));
  if (!changed.length) return;
  const [fresh, present] = [_key?.value, _seen?.value];
  Object.assign(draft, { from, at: kept.at });
  for (const field of changed) {
    enter(field, kept.values[field.name]);
    field.closest("details")?.setAttribute("open", "");
  }
  if (kept.sent && _key) _key.value = kept.sent;
  if (kept.seen && _seen && changed.some((field) => kept.bases[field.name] !== original(field))) {
    draft.bases = kept.bases;
    _seen.value = kept.seen;
  }
  const note = document.getElementById("draft-note").content.firstElementChild.cloneNode(true);
  const [first] = form.querySelectorAll("[data-draft]");
  note.querySelector("button").onclick = () => {
    changed.forEach((field) => enter(field, original(field)));
    delete draft.bases;
    if (_key) _key.value = fresh;
    if (_seen) _seen.value = present;
    keep(form);
    note.remove();
    first.focus();
  };
  first.closest("label").after(note);
};

// Earlier versions kept a draft of each field under its name.
const join = (name) => {
  const [, start, field] = /^(.* )(\S+)$/.exec(name);
  const [{ text, base, ...kept }, whole] = [read(name), read(start)];
  const [values, bases] = [{ ...whole?.values, [field]: text }, { ...whole?.bases, [field]: base }];
  localStorage.setItem(start, JSON.stringify({ ...whole, ...kept, values, bases }));
  localStorage.removeItem(name);
};

// Remove old drafts, and that of the last accepted form, whose key is in the cookie.
const forget = () => {
  const taken = remembered("taken");
  for (const name of drafts("draft ")) {
    const kept = read(name);
    if ((taken && kept.sent === taken) || Date.now() - kept.at > DAYS * 864e5) localStorage.removeItem(name);
  }
  if (taken) remember("taken", "", 0);
};

try {
  for (const name of drafts("draft ").filter((each) => "text" in read(each))) join(name);
  onPage("main", forget);
  onPage("form:has([data-draft])", restore);
  document.addEventListener("input", ({ target }) => own.has(target.form) && keep(target.form));
  // What another tab restored, and sent or discarded, stays a draft of the tab in which it still is entered.
  addEventListener("storage", ({ key, newValue }) => {
    if (newValue !== null) return;
    for (const form of document.forms) if (own.get(form)?.name === key && !form.dataset.sent) keep(form);
  });
  document.addEventListener("submit", ({ target }) => own.has(target) && keep(target, target.elements._key?.value));
  // Whoever signs out leaves nothing to the next person at this browser, and loses nothing without being asked.
  document.addEventListener("submit", (event) => {
    const question = event.target.dataset.discards;
    const left = question ? drafts(`draft ${me} `) : [];
    if (left.length && !confirm(question)) event.preventDefault();
    else left.forEach((name) => localStorage.removeItem(name));
  });
} catch {
  // Without local storage there are no drafts.
}
