// Elements of pages: what scripts do to each of them, and how one replaces another.
// What every page does to its elements.
const starters = [];
const start = ({ selector, fn, seen }, root) => {
  for (const each of [root, ...root.querySelectorAll(selector)]) {
    if (!each.matches?.(selector) || seen.has(each)) continue;
    seen.add(each);
    try {
      fn(each);
    } catch (error) {
      reportError(error);
    }
  }
};
const onPage = (selector, fn) => start(starters[starters.push({ selector, fn, seen: new WeakSet() }) - 1], document);
const startAll = (root) => starters.forEach((each) => start(each, root));

// Make an element equal to one of another page. What is marked data-kept, and what contains it, keeps its nodes, and
// so its scroll position and what is open in it.
const sync = (old, fresh) => {
  for (const name of old.getAttributeNames()) if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  for (const name of fresh.getAttributeNames()) old.setAttribute(name, fresh.getAttribute(name));
};
const signOf = (node) => [node.nodeName, node.id, node.nodeType === 1 && node.getAttribute("class")].join(" ");
const merge = (old, fresh) => {
  if (old.nodeType !== 1) return old.replaceWith(fresh);
  if (old !== document.body && (old.matches("main, form") || !(old.closest("[data-kept]") || old.querySelector("[data-kept]")))) return old.replaceWith(fresh);
  sync(old, fresh);
  let next = old.firstChild;
  for (const each of [...fresh.childNodes]) {
    let twin = next;
    while (twin && signOf(twin) !== signOf(each)) twin = twin.nextSibling;
    if (!twin) {
      old.insertBefore(each, next);
      continue;
    }
    while (next !== twin) next = removed(next);
    next = twin.nextSibling;
    merge(twin, each);
  }
  while (next) next = removed(next);
};
const removed = (node) => {
  const next = node.nextSibling;
  node.remove();
  return next;
};

// The element that replaces another one: with the same id, the same attributes, all of them but the name, or the same address:
// a value may look otherwise when it has changed.
const ATTRIBUTES = ["class", "href", "value", "data-key", "action", "name"];
const twinOf = (element, root) => {
  if (element.id) return root.querySelector(`#${CSS.escape(element.id)}`);
  const same = ATTRIBUTES.filter((name) => element.hasAttribute(name)).map((name) => `[${name}="${CSS.escape(element.getAttribute(name))}"]`);
  const find = (parts) => parts.length && root.querySelector(element.localName + parts.join(""));
  return find(same) || (element.hasAttribute("name") && find(same.slice(0, -1))) || (element.matches("[data-own-key]") && find(same.filter((each) => each.startsWith("[href")))) || null;
};

// The rows that may have the focus instead of an element in a row: its own, those after it, then those before it. A change
// can take a row out of its list, and whoever works through the list goes on with the next one.
const rowsNear = (element) => {
  const rows = [...document.querySelectorAll("[data-row] [data-open]")].map((link) => link.pathname);
  const at = rows.indexOf(element.closest?.("[data-row]")?.querySelector("[data-open]")?.pathname);
  return at < 0 ? [] : [...rows.slice(at), ...rows.slice(0, at).reverse()];
};
const firstOf = (rows, root) => {
  const links = [...root.querySelectorAll("[data-row] [data-open]")];
  return rows.map((row) => links.find((link) => link.pathname === row)).find(Boolean);
};

const renew = (part, fresh) => {
  for (const box of part.querySelectorAll(".pick:checked")) {
    const again = fresh.querySelector(`.pick[value="${CSS.escape(box.value)}"]`);
    if (again) again.checked = true;
  }
  for (const each of part.querySelectorAll("details[id][open]")) fresh.querySelector(`#${each.id}`)?.setAttribute("open", "");
  const focused = part.contains(document.activeElement) && document.activeElement;
  const near = focused ? rowsNear(focused) : [];
  // A text that is being edited stays as it is.
  for (const each of part.querySelectorAll(".editing")) fresh.querySelector(`#${each.id}`)?.replaceWith(each);
  part.replaceWith(fresh);
  startAll(fresh);
  if (focused) (focused.isConnected ? focused : (twinOf(focused, fresh) ?? firstOf(near, fresh)))?.focus({ preventScroll: true });
  fresh.dispatchEvent(new Event("change", { bubbles: true }));
};

const isText = (element) => element.matches("input:not([type=checkbox], [type=radio]), textarea, select");

// Replace a part of the text in a field, so that the browser can undo it.
const write = (field, from, to, text) => {
  field.focus();
  field.setSelectionRange(from, to);
  if (from === to && !text) return;
  if (document.execCommand(text ? "insertText" : "delete", false, text)) return;
  field.setRangeText(text, from, to, "end");
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
};

// Put the caret at the end of a text, and at a new word of a query or of tags.
const goOn = (field) => {
  if (!field.matches("textarea, [data-query], [data-tags]")) return;
  if (!field.matches("textarea") && /\S$/.test(field.value)) field.value += " ";
  field.setSelectionRange(field.value.length, field.value.length);
};

const make = (tag, attributes, ...inside) => {
  const element = Object.assign(document.createElement(tag), attributes);
  element.append(...inside);
  return element;
};

// Below a path of the host, every address has a prefix, as that of this script has.
const root = new URL(document.currentScript.src).pathname.replace(/\/static\/[^/]*$/, "");
const inside = (path) => (path.startsWith(`${root}/`) ? path.slice(root.length) : path);

// Cookies that are no secrets; over TLS their names begin in a way that keeps other hosts from setting them.
const { cookies } = document.documentElement.dataset;
const remember = (name, value, seconds) => {
  const only = cookies.startsWith("__") ? "; secure" : "";
  document.cookie = `${cookies}${name}=${value}; path=${root}/; max-age=${seconds}; samesite=lax${only}`;
};
const remembered = (name) => document.cookie.split("; ").find((each) => each.startsWith(`${cookies}${name}=`))?.split("=")[1];

window.skerry = { root, inside, remember, remembered, onPage, make, startAll, merge, twinOf, rowsNear, firstOf, renew, isText, write, goOn };
