// Behaviour of every page: marks that scripts run, closes the menu, and sends the time zone.
document.documentElement.classList.add("scripted");

// The menu closes on a click or a change of focus outside it.
const menu = document.querySelector("details.menu");
for (const kind of ["click", "focusin"]) {
  document.addEventListener(kind, (event) => menu?.contains(event.target) || menu?.removeAttribute("open"));
}
menu?.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !menu.open) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

// A form is not submitted twice at the same time. After a cancelled request it can soon be submitted again.
const AGAIN = 5_000;
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  if (form.dataset.sent) return event.preventDefault();
  form.dataset.sent = "yes";
  setTimeout(() => form.dataset.sent === "yes" && delete form.dataset.sent, AGAIN);
});
addEventListener("pageshow", () => document.querySelectorAll("form[data-sent]").forEach((form) => delete form.dataset.sent));

// From the second page on, the server shows times in the reader's zone.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone) document.cookie = `skerry-zone=${encodeURIComponent(zone)}; path=/; max-age=31536000; samesite=lax`;

// The message "Saved" is shown once, and not again after a reload.
if (/[?&]saved$/.test(location.search)) {
  history.replaceState(history.state, "", location.pathname + location.search.replace(/[?&]saved$/, ""));
}

// Links to a version of a ticket also work in a long ticket, which shows only some versions.
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

// Links to a comment name the first page of its message. If the comment is on a later page, its own URL leads there.
// If it was deleted, or the server does not respond, the page stays.
const conversation = /^\/projects\/[^/]+\/messages\//.exec(location.pathname);
const comment = /^#comment-([0-9]+)$/.exec(location.hash);
if (conversation && comment && document.querySelector("nav.pages") && !document.querySelector(location.hash)) {
  const address = `${conversation[0]}${comment[1]}`;
  fetch(`${address}.json`, { method: "HEAD" }).then(
    (answer) => answer.ok && location.replace(`${address}${comment[0]}`),
    () => {},
  );
}
