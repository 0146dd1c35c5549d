// What every page does with a script: it says that there is one, closes the menu, and tells the zone.
document.documentElement.classList.add("scripted");

// The menu closes as soon as somebody goes elsewhere.
const menu = document.querySelector("details.menu");
for (const kind of ["click", "focusin"]) {
  document.addEventListener(kind, (event) => menu?.contains(event.target) || menu?.removeAttribute("open"));
}
menu?.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !menu.open) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

// Nothing is sent twice while the first time is under way; who stopped it may send it again soon.
const AGAIN = 5_000;
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  if (form.dataset.sent) return event.preventDefault();
  form.dataset.sent = "yes";
  setTimeout(() => form.dataset.sent === "yes" && delete form.dataset.sent, AGAIN);
});
addEventListener("pageshow", () => document.querySelectorAll("form[data-sent]").forEach((form) => delete form.dataset.sent));

// The server writes times in the reader's zone from the second page on.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone) document.cookie = `skerry-zone=${encodeURIComponent(zone)}; path=/; max-age=31536000; samesite=lax`;

// That something was saved is said once, and not again when the page is loaded anew.
if (/[?&]saved$/.test(location.search)) {
  history.replaceState(history.state, "", location.pathname + location.search.replace(/[?&]saved$/, ""));
}

// Links name a change of a ticket, of which a long one shows only some.
const toChange = () => {
  const change = /^#(?:v|ticket-[0-9]+-)([0-9]{1,9})$/.exec(location.hash);
  const query = new URLSearchParams(location.search);
  if (!change || document.querySelector(location.hash) || query.get("at") === change[1]) return;
  query.set("at", change[1]);
  location.replace(`${location.pathname}?${query}${location.hash}`);
};
if (/^\/projects\/[^/]+\/tickets\/[^/]+$/.test(location.pathname) && document.querySelector("nav.pages")) {
  toChange();
  addEventListener("hashchange", toChange);
}

// Links from elsewhere name a comment on the page of its message; on a later one it is found by its own address.
// Where it is gone, or nothing answers, the conversation stays.
const conversation = /^\/projects\/[^/]+\/messages\//.exec(location.pathname);
const comment = /^#comment-([0-9]+)$/.exec(location.hash);
if (conversation && comment && document.querySelector("nav.pages") && !document.querySelector(location.hash)) {
  const address = `${conversation[0]}${comment[1]}`;
  fetch(`${address}.json`, { method: "HEAD" }).then(
    (answer) => answer.ok && location.replace(`${address}${comment[0]}`),
    () => {},
  );
}
