// Pages without reloads: the one place that fetches pages of this site and shows them.
//
//   const { go, save, queue, onPage } = window.skerry;
//
//   go(url)               Show the page at a URL, as a click on a link does.
//   save(form, button)    Send a form, then show the page that follows, or the form again if it was refused.
//                         A form with data-part="ID" replaces only the element with that id.
//   queue(work)           Run an async function after those under way. Keys wait until it ends.
//   onPage(selector, fn)  Call fn for each matching element: now, and when it is shown with a page or a part.
//   ask(url, options)     Fetch: { answer, page }; page is the document, or null if it is no page of this site.
//   renew(part, fresh)    Replace a part of a page. What is focused, open or selected in it stays so.
//   tell(text)            Show a notice until the next page is shown.
//   here()                The URL of the page shown, as it was fetched.
//   remember(name, value, seconds), remembered(name)   Set and read a cookie that is no secret.
//   root, inside(path)    What stands before every path, mostly nothing; and a path without it.
//
// go, save and queue return a promise of whether it went well; if not, the reader has been told. Listeners belong on
// document, so that they hold for every page. One that handles a click or a submit itself calls preventDefault.
const { onPage, startAll, merge, twinOf, rowsNear, firstOf, renew, isText, root, inside } = window.skerry;
const LOST = new Error("The server does not respond");
const REFUSED = new Error("The form was refused");
const MOST_PLACES = 100;
const PLACES = "skerry-places";
// With this header the server answers a form with a Location, so that its fragment is not lost.
const FORM = { "X-No-Redirect": "yes" };

const pathOf = ({ pathname, search }) => pathname + search;
// The message that something was saved is shown once, and not again after a reload.
const unsaved = (url) => new URL(String(url).replace(/[?&](saved|changed=[\d/]+|edited=\d+)(?=#|$)/, ""));
// Servers and scripts write the same query in several ways.
const isSame = (one, other) => one.pathname === other.pathname && String(one.searchParams) === String(other.searchParams);
const main = () => document.getElementById("main");
const notices = () => document.getElementById("notices");

// One thing after the other: works under way, and the last of them.
let works = 0, last = Promise.resolve(), going = null;
const tell = (text) => notices().replaceChildren(text);
const fail = (error) => {
  if (error === LOST) tell(notices().dataset.lost);
  else if (error !== REFUSED && error.name !== "AbortError") reportError(error);
  return false;
};
const count = (by) => {
  works += by;
  document.documentElement.classList.toggle("busy", works > 0);
};
const queue = (work) => {
  count(1);
  last = last.then(work).then(() => true, fail).then((well) => {
    count(-1);
    document.dispatchEvent(new CustomEvent("settled", { detail: { well } }));
    return well;
  });
  return last;
};
const busy = () => works > 0;
const stop = () => going?.abort();
// The signal for what is fetched next, which Escape stops.
const stoppable = () => (going = new AbortController()).signal;

const ask = async (url, { headers, ...options } = {}) => {
  const since = performance.now();
  try {
    const answer = await fetch(url, { ...options, headers: { Accept: "text/html", ...headers } });
    const isHtml = answer.headers.get("Content-Type")?.startsWith("text/html");
    if (!isHtml) await answer.body?.cancel();
    return { answer, page: isHtml ? parsed(await answer.text()) : null, since };
  } catch (error) {
    throw error.name === "AbortError" ? error : LOST;
  }
};
const parsed = (text) => {
  const page = new DOMParser().parseFromString(text, "text/html");
  return page.getElementById("main") ? page : null;
};

// A page for another person, in another language or theme, or with other scripts and styles is loaded whole.
const kindOf = (page) => {
  const files = [...page.querySelectorAll("link[rel=stylesheet], script")].map((each) => each.getAttribute("href") ?? each.getAttribute("src"));
  return [page.documentElement.lang, page.documentElement.dataset.theme, page.body.dataset.me, ...files].join(" ");
};
const kind = kindOf(document);

// Where the reader was on each page, and the list from which they came to this one.
const kept = (name) => {
  try {
    return JSON.parse(sessionStorage.getItem(name)) ?? [];
  } catch {
    return [];
  }
};
const places = new Map(kept(PLACES));
let at = unsaved(location), from = history.state?.from ?? null;

const links = () => [...main().querySelectorAll("[data-row] [data-open]")];
const remember = () => {
  const row = document.activeElement?.closest("[data-row]")?.querySelector("[data-open]")?.pathname;
  places.delete(pathOf(at));
  places.set(pathOf(at), { y: scrollY, row });
  if (places.size > MOST_PLACES) places.delete(places.keys().next().value);
};
const listed = () => {
  const rows = links().filter((link) => /\/tickets\/\d+$/.test(link.pathname)).map((link) => link.href);
  return rows.length ? { url: at.href, name: document.querySelector("h1")?.textContent.trim(), rows } : null;
};

const focus = (element) => element.focus({ preventScroll: true });

// Set the focus and the scroll position on a page that is shown, and let screen readers say its title.
const settle = (before, focused, near, { returns, saved }) => {
  const place = returns && places.get(pathOf(at));
  // A form leads back to the same page, also where its query is written out.
  const stays = isSame(before, at) || (saved && before.pathname === at.pathname);
  const twin = focused && (stays || focused.closest("[data-applies]")) && (twinOf(focused, main()) ?? firstOf(near, main()));
  const first = main().querySelector("[autofocus]");
  focus(main());
  if (place) {
    scrollTo(0, place.y);
    const row = [before.pathname, place.row].map((path) => links().find((link) => link.pathname === path)).find(Boolean);
    if (row) focus(row);
    row?.scrollIntoView({ block: "nearest" });
  } else if (at.hash.length > 1) {
    // A navigation, so that :target holds. It clears the state of the entry.
    location.replace(at.hash);
    history.replaceState({ from }, "");
  } else if (first) first.focus();
  else {
    if (!stays) scrollTo(0, 0);
    if (twin) focus(twin);
    if (twin && near.length) twin.scrollIntoView({ block: "nearest" });
  }
  document.getElementById("shown").textContent = document.title;
};

// Links of a ticket lead back to the list from which the reader came, and on along its rows.
const follow = () => {
  const back = main().querySelector("[data-back]");
  const index = from?.rows.findIndex((row) => new URL(row).pathname === at.pathname) ?? -1;
  if (!back || index < 0) return;
  const isElsewhere = new URL(from.url).pathname !== back.pathname;
  back.href = from.url;
  if (isElsewhere) back.textContent = from.name;
  for (const [rel, row] of [["prev", from.rows[index - 1]], ["next", from.rows[index + 1]]]) {
    const link = document.querySelector(`a[rel=${rel}][data-key]`);
    if (link && row) link.href = row;
    else if (isElsewhere) link?.remove();
  }
};

const show = ({ page, since }, url, { replaces, traverses, ...how } = {}) => {
  const [before, focused] = [at, document.activeElement];
  const near = rowsNear(focused);
  remember();
  if (traverses) from = history.state?.from ?? null;
  else if (!replaces) from = listed() ?? from;
  at = unsaved(url);
  if (!traverses) history[replaces ? "replaceState" : "pushState"]({ from }, "", at);
  document.title = page.title;
  document.querySelectorAll("link[rel=alternate]").forEach((each) => each.remove());
  document.head.append(...page.querySelectorAll("link[rel=alternate]"));
  merge(document.body, page.body);
  follow();
  startAll(document);
  settle(before, focused, near, how);
  document.dispatchEvent(new CustomEvent("shown", { detail: { since } }));
};

const leave = (url, { traverses }, isPage) => {
  if (traverses) location.reload();
  else if (pathOf(url) === pathOf(at)) {
    history.replaceState({ from }, "", url);
    location.reload();
  } else location.assign(url);
  // A page that is being left takes no keys; one that offers a download stays.
  return isPage ? new Promise(() => {}) : null;
};

const visit = async (url, how = {}) => {
  const signal = stoppable();
  const found = (await ahead(url)) ?? (await ask(url, { signal }));
  signal.throwIfAborted();
  const { answer, page } = found;
  const place = answer.redirected ? new URL(answer.url) : url;
  place.hash ||= url.hash;
  if (!page || (answer.ok && kindOf(page) !== kind)) return leave(place, how, page);
  return show(found, place, { replaces: pathOf(place) === pathOf(at), ...how });
};

const go = (address, how) => {
  // The last click counts.
  stop();
  return queue(() => visit(new URL(address, at), how));
};

// Show what follows a form: the page at a place, or else the page in the response.
const after = async (place, found, part) => {
  next = null;
  if (!place && !found.page) throw LOST;
  if (!place) return show(found, new URL(pathOf(at), at), { replaces: true });
  const fresh = part && (await ask(place)).page?.getElementById(part);
  return fresh ? renew(document.getElementById(part), fresh) : back(new URL(place, at));
};
const back = (url) => visit(url, { saved: true, replaces: url.pathname === at.pathname });

// Text that is typed from now on is not for a form that was sent.
const close = (form) => {
  const focused = form.contains(document.activeElement) && isText(document.activeElement) ? document.activeElement : null;
  focused?.blur();
  form.closest("dialog")?.close();
  return focused;
};

const save = (form, button) => {
  if (form.dataset.sent) return last;
  form.dataset.sent = "yes";
  const data = new FormData(form, button);
  const body = form.enctype === "multipart/form-data" ? data : new URLSearchParams(data);
  const focused = close(form);
  return queue(async () => {
    try {
      const found = await ask(form.getAttribute("action"), { method: "POST", body, headers: FORM });
      const { answer } = found;
      await after(answer.headers.get("Location"), found, answer.ok && form.dataset.part);
      // Keys that wait were for the page that should have followed.
      if (!answer.ok) throw REFUSED;
    } finally {
      delete form.dataset.sent;
      if (form.isConnected) focused?.focus();
    }
  });
};

history.replaceState({ from }, "", at);
follow();

// The next ticket is fetched ahead: one page at a time, until something happens to it.
const FRESH = 60_000;
let next = null;
onPage("main", () => {
  next?.abort.abort();
  next = null;
  const link = document.querySelector("a[rel=next][data-key=j]");
  if (!link || document.hidden || navigator.connection?.saveData) return;
  const abort = new AbortController();
  const found = ask(link.href, { headers: { Purpose: "prefetch" }, signal: abort.signal }).catch(() => null);
  next = { url: new URL(link.href), found, abort };
});
const ahead = async (url) => {
  if (!next || pathOf(next.url) !== pathOf(url)) return null;
  const found = await next.found;
  // Something may have happened to it meanwhile.
  return next && found?.answer.ok && performance.now() - found.since < FRESH ? found : null;
};
document.addEventListener("happened", ({ detail }) => {
  if (next?.url.pathname === `${root}/projects/${detail.project_id}/tickets/${detail.subject_id}`) next = null;
});

// On window, after all listeners on document. Files and other formats are left to the browser.
const isPage = (url) => url.origin === location.origin && url.pathname.startsWith(`${root}/`) && !/^\/(attachments|static)\/|\.[a-z]+$/i.test(inside(url.pathname));

addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  if (link.target || link.hasAttribute("download") || !isPage(link) || (link.hash && pathOf(link) === pathOf(at))) return;
  event.preventDefault();
  go(link.href, { returns: link.dataset.key === "u" });
});

addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  const method = form.getAttribute("method")?.toLowerCase() ?? "get";
  if (event.defaultPrevented || form.target || method === "dialog" || form.querySelector("input[type=file]")?.files.length) return;
  event.preventDefault();
  if (method === "post") return save(form, submitter);
  const url = new URL(form.getAttribute("action") ?? "", at);
  url.search = new URLSearchParams(new FormData(form, submitter));
  close(form);
  go(url);
});

// A filter applies as soon as something is chosen in it.
addEventListener("change", ({ target }) => {
  const form = target.closest("[data-applies]");
  if (form) go(`${form.getAttribute("action")}?${new URLSearchParams(new FormData(form))}`);
});

history.scrollRestoration = "manual";
addEventListener("popstate", ({ state }) => {
  const url = new URL(location.href);
  if (pathOf(url) !== pathOf(at)) return go(url, { traverses: true, returns: true });
  // Another part of this page.
  if (state) document.getElementById(url.hash.slice(1))?.scrollIntoView();
  else history.replaceState({ from }, "");
  at = url;
});
addEventListener("pagehide", () => {
  remember();
  try {
    sessionStorage.setItem(PLACES, JSON.stringify([...places]));
  } catch {
    // Without session storage, a reload begins at the top.
  }
});
addEventListener("pageshow", ({ persisted }) => {
  // A page that was left, and to which the reader came back, takes keys again.
  if (!persisted) return;
  count(-works);
  last = Promise.resolve();
  document.querySelectorAll("form[data-sent]").forEach((form) => delete form.dataset.sent);
});

if (performance.getEntriesByType("navigation")[0]?.type !== "navigate") scrollTo(0, places.get(pathOf(at))?.y ?? scrollY);

Object.assign(window.skerry, { go, save, queue, ask, parsed, tell, after, busy, stop, stoppable, FORM, here: () => at.href });
