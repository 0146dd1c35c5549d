// Drafts: unsent text is kept in this browser until the server accepts it or the author discards it.
const DAYS = 30;
const me = document.body.dataset.me || 0;
const key = (field) => `draft ${me} ${field.form.getAttribute("action").split("?")[0]} ${field.name}`;
const read = (name) => JSON.parse(localStorage.getItem(name) || "null");
const drafts = () => Object.keys(localStorage).filter((name) => name.startsWith("draft "));

const keep = (field, sent) => {
  if (field.value === field.defaultValue && !sent) return localStorage.removeItem(key(field));
  const base = field.base ?? field.defaultValue;
  const seen = field.form.elements._seen?.value;
  localStorage.setItem(key(field), JSON.stringify({ text: field.value, at: Date.now(), sent, base, seen }));
};

// A draft that was sent, and possibly accepted, keeps its key, so that it is not saved twice. If somebody else has
// changed the text since, the draft keeps the version it began with, so that the server reports the conflict.
const restore = (field) => {
  const kept = read(key(field));
  // Firefox may have restored the text, but not the other fields.
  const before = field.defaultValue;
  if (!kept || kept.text === before) return;
  const { _key, _seen } = field.form.elements;
  const [fresh, present] = [_key?.value, _seen?.value];
  field.value = kept.text;
  if (kept.sent && _key) _key.value = kept.sent;
  if (kept.seen && _seen && kept.base !== field.defaultValue) {
    field.base = kept.base;
    _seen.value = kept.seen;
  }
  const note = document.getElementById("draft-note").content.firstElementChild.cloneNode(true);
  note.querySelector("button").onclick = () => {
    field.value = before;
    delete field.base;
    if (_key) _key.value = fresh;
    if (_seen) _seen.value = present;
    localStorage.removeItem(key(field));
    note.remove();
    field.focus();
  };
  field.closest("label").after(note);
};

try {
  // The cookie has the key of the last accepted form.
  const taken = document.cookie.match(/(?:^|; )skerry-taken=([0-9a-f]{32})/)?.[1];
  for (const name of drafts()) {
    const kept = read(name);
    if ((taken && kept.sent === taken) || Date.now() - kept.at > DAYS * 864e5) localStorage.removeItem(name);
  }
  if (taken) document.cookie = "skerry-taken=; path=/; max-age=0; samesite=lax";
  document.querySelectorAll("[data-draft]").forEach(restore);
  document.addEventListener("input", (event) => event.target.matches("[data-draft]") && keep(event.target));
  document.addEventListener("submit", (event) => {
    const sent = event.target.elements._key?.value;
    event.target.querySelectorAll("[data-draft]").forEach((field) => field.value && keep(field, sent));
  });
} catch {
  // Without local storage there are no drafts.
}
