// Places to go to and things to do, read from the page: what it offers, what its side bar leads to, and the last pages.
const { onPage, isText, here, keyOf, root, inside } = window.skerry;
const KEPT = 20;
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const path = () => new URL(here()).pathname;

// The last pages of each person in this browser, until they sign out. Each account has a host, or a path, of its own.
const store = () => `recent ${document.body.dataset.me}${root}`;
const visited = () => JSON.parse(localStorage.getItem(store()) || "[]").filter(({ href }) => href !== path());
onPage("main", (main) => {
  if (!document.body.dataset.me || /\/(edit|new|delete)$|^\/menu$/.test(inside(path()))) return;
  const label = document.title.replace(/^\(\d+\+?\) /, "").replace(/ · [^·]*$/, "");
  const found = main.matches(".error-page") ? visited() : [{ label, href: path() }, ...visited()];
  localStorage.setItem(store(), JSON.stringify(found.slice(0, KEPT)));
});
document.addEventListener("submit", ({ target, defaultPrevented }) => {
  if (!defaultPrevented && target.matches("[action$='/sign-out']")) localStorage.removeItem(store());
});

// The words of an element: no keys, counts or letters in pictures.
const wordsOf = (element) => {
  const copy = element.cloneNode(true);
  all("kbd, svg, .count, .badge", copy).forEach((each) => each.remove());
  return copy.textContent.trim().replace(/\s+/g, " ");
};
// What an element of the page is called, and what it does.
const entryOf = (element) => {
  const name = element.ariaLabel || element.labels?.[0]?.textContent || (element.matches("button, [data-menu]") && element.title);
  const more = document.getElementById(element.getAttribute("aria-describedby"));
  return {
    label: name ? name.trim().replace(/\s+/g, " ") : wordsOf(element),
    hint: more && wordsOf(more),
    icon: element.querySelector("svg.icon")?.cloneNode(true),
    key: element.dataset.key ?? (element.href && !element.search && keyOf(element.pathname)),
    href: element.href && element.pathname + element.search,
    run: () => (isText(element) ? element.focus() : element.click()),
  };
};
const deeds = () => [...all("main .content [data-key]"), ...all(".bar .deeds :is(a, button), .bar [data-key]")]
  .filter((each) => each.checkVisibility() || each.closest(".bar .menu:not(.display)")).map(entryOf);
// Language and theme, each with what else it can be.
const settings = () => all("#side .preferences option:not(:checked)").map((option) => ({
  label: `${option.closest("label").firstChild.data.trim()}: ${option.text}`,
  run: () => {
    option.selected = true;
    option.closest("form").requestSubmit();
  },
}));
const goals = () => all("#side a, #side :is([data-opens=keys], [action$='/sign-out'] button)").map(entryOf).concat(settings());

Object.assign(window.skerry, { all, visited, deeds, goals });
