// Behaviour of every page: marks that scripts run, closes the menu, and sends the time zone.
const { go, onPage, remember, root, inside } = window.skerry;
document.documentElement.classList.add("scripted");

// The menu closes on a click or a change of focus outside it.
const menu = () => document.querySelector("details.menu[open]");
for (const kind of ["click", "focusin"]) {
  document.addEventListener(kind, (event) => menu()?.contains(event.target) || menu()?.removeAttribute("open"));
}
document.addEventListener("keydown", (event) => {
  const open = event.key === "Escape" && menu();
  if (!open) return;
  open.open = false;
  // In a list, keys go on with the row.
  (open.closest("[data-row]")?.querySelector("[data-open]") ?? open.querySelector("summary")).focus();
});

document.addEventListener("shown", () => menu()?.removeAttribute("open"));

// Whoever unfolds a form writes in it next.
document.addEventListener("toggle", ({ target }) => {
  const isOurs = target.open && !target.matches(".menu") && document.activeElement === target.querySelector("summary");
  if (isOurs) target.querySelector("form :is(input:not([type=hidden]), select, textarea)")?.focus();
}, true);

// On a narrow screen the side bar opens over the page; without scripts, the link leads to a page with it.
document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-sheet]");
  const sheet = opener && document.getElementById(opener.dataset.sheet);
  if (!sheet?.showPopover) return;
  event.preventDefault();
  sheet.popover = "auto";
  sheet.showPopover();
  sheet.querySelector("a").focus();
  sheet.addEventListener("toggle", (change) => change.newState === "closed" && sheet.removeAttribute("popover"));
});

// From the second page on, the server shows times in the reader's zone.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone) remember("zone", encodeURIComponent(zone), 31536000);

// Links to a version of a ticket also work in a long ticket, which shows only some versions.
const toChange = () => {
  if (!/^\/projects\/[^/]+\/tickets\/[^/]+$/.test(inside(location.pathname)) || !document.querySelector("nav.pages")) return;
  const change = /^#(?:v|ticket-[0-9]+-)([0-9]{1,9})$/.exec(location.hash);
  const query = new URLSearchParams(location.search);
  if (!change || document.querySelector(location.hash) || query.get("at") === change[1]) return;
  query.set("at", change[1]);
  go(`${location.pathname}?${query}${location.hash}`, { replaces: true });
};
onPage("main", toChange);
addEventListener("hashchange", toChange);

// Links to a comment name the first page of its message. If the comment is on a later page, its own URL leads there.
// If it was deleted, or the server does not respond, the page stays.
onPage("main", (shown) => {
  const conversation = /^\/projects\/[^/]+\/messages\//.exec(inside(location.pathname));
  const comment = /^#comment-([0-9]+)$/.exec(location.hash);
  if (!conversation || !comment || !document.querySelector("nav.pages") || document.querySelector(location.hash)) return;
  const address = `${root}${conversation[0]}${comment[1]}`;
  fetch(`${address}.json`, { method: "HEAD" }).then(
    (answer) => answer.ok && shown.isConnected && go(`${address}${comment[0]}`, { replaces: true }),
    () => {},
  );
});
