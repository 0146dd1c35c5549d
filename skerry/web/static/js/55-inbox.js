// The inbox: updates it, and the counters in the side bar and in the title, after actions and after events.
const { ask, after, here, onPage, queue, renew, FORM, root } = window.skerry;
const SETTLES = 2500;
const RARELY = 5000;
const LAG = 20_000;
const inbox = () => document.getElementById("inbox");
let waiting = 0, again = 0, looked = 0, missed = false;

const countIn = (page) => page.querySelector("[data-unread]:not([hidden])")?.firstChild.data;
const showCount = (number) => {
  const [before, said] = [countIn(document), number > 99 ? "99+" : number];
  for (const badge of document.querySelectorAll("[data-unread]")) {
    badge.hidden = !number;
    badge.firstChild.data = said;
  }
  const title = document.title.slice(document.title.startsWith(`(${before}) `) ? before.length + 3 : 0);
  document.title = number ? `(${said}) ${title}` : title;
};

// Replace the inbox; the focus stays on the same row, or else at the same position.
const renewInbox = (fresh, row, place) => {
  renew(inbox(), fresh.getElementById("inbox"));
  const badges = [...fresh.querySelectorAll("[data-unread]")];
  document.querySelectorAll("[data-unread]").forEach((badge, index) => badges[index] && badge.replaceWith(badges[index]));
  document.title = fresh.title;
  const rows = [...inbox().querySelectorAll("[data-row]")];
  const next = rows.find((each) => each.dataset.row === row) ?? rows[Math.min(place, rows.length - 1)];
  if (place >= 0) (next?.querySelector("[data-open]") ?? inbox().querySelector("a, button"))?.focus();
};

document.addEventListener("submit", (event) => {
  const form = event.target;
  const row = form.closest("#inbox [data-row]");
  if (!row) return;
  event.preventDefault();
  if (form.dataset.sent) return;
  form.dataset.sent = "yes";
  const place = [...inbox().querySelectorAll("[data-row]")].indexOf(row);
  const isDone = row.classList.contains("unread");
  const body = new URLSearchParams(new FormData(form, event.submitter));
  queue(async () => {
    try {
      const found = await ask(form.getAttribute("action"), { method: "POST", body });
      if (found.answer.ok && found.page?.getElementById("inbox")) renewInbox(found.page, isDone ? "" : row.dataset.row, place);
      else await after(null, found);
    } finally {
      delete form.dataset.sent;
    }
  });
});

// The menu of a row takes the focus from the row, and nothing is replaced under it.
const menu = () => inbox()?.querySelector("details[open]");
document.addEventListener("toggle", () => menu()?.querySelector(".sheet button").focus(), true);

const recount = async () => {
  waiting = 0;
  // A hidden page counts when it is visible again.
  missed = document.hidden;
  if (missed) return;
  if (menu()) return recountSoon();
  looked = Date.now();
  if (inbox()) {
    const row = document.activeElement?.closest("#inbox [data-row]");
    const place = row ? [...inbox().querySelectorAll("[data-row]")].indexOf(row) : -1;
    const shown = inbox();
    const { answer, page } = await ask(here(), { cache: "no-store" });
    if (answer.ok && page?.getElementById("inbox") && shown.isConnected) renewInbox(page, row?.dataset.row, place);
    return;
  }
  const answer = await fetch(`${root}/notifications.json?unread=true&limit=1`, { cache: "no-store" });
  if (answer.ok) showCount(Number(answer.headers.get("X-Total-Count")));
};

// Notifications are created a moment after the event; on a busy server, long after the last one.
const recountSoon = () => {
  waiting ||= setTimeout(() => recount().catch(() => {}), Math.max(SETTLES, looked + RARELY - Date.now()));
  clearTimeout(again);
  again = setTimeout(() => recount().catch(() => {}), LAG);
};
document.addEventListener("happened", recountSoon);
// The page was made between an event and its notifications.
onPage("main", () => "late" in document.body.dataset && recountSoon());

// A visible ticket is marked as read.
const markRead = async () => {
  const form = document.querySelector("form[data-told]");
  if (!form || document.hidden) return;
  const body = new URLSearchParams(new FormData(form));
  const { answer } = await ask(form.getAttribute("action"), { method: "POST", body, headers: FORM });
  if (!answer.ok) return;
  form.remove();
  await recount();
};

document.addEventListener("visibilitychange", () => {
  if (missed && !document.hidden) recountSoon();
  markRead().catch(() => {});
});
onPage("form[data-told]", () => markRead().catch(() => {}));
