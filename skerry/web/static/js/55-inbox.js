// The inbox: updates it and the counter in the header without a reload, after actions and after events.
const SETTLES = 2500;
const RARELY = 5000;
const inbox = () => document.getElementById("inbox");
let waiting = 0, looked = 0;

const showCount = (number) => {
  const badge = document.querySelector("[data-unread]");
  badge.hidden = !number;
  badge.firstChild.data = number > 99 ? "99+" : number;
};

// Replace the inbox; the focus stays on the same row, or else at the same position.
const renewInbox = (text, row, place) => {
  const fresh = new DOMParser().parseFromString(text, "text/html");
  inbox().replaceWith(document.adoptNode(fresh.getElementById("inbox")));
  document.querySelector("[data-unread]").replaceWith(document.adoptNode(fresh.querySelector("[data-unread]")));
  const rows = [...inbox().querySelectorAll("[data-row]")];
  const next = rows.find((each) => each.dataset.row === row) ?? rows[Math.min(place, rows.length - 1)];
  if (place >= 0) (next?.querySelector("[data-open]") ?? inbox().querySelector("a, button"))?.focus();
};

document.addEventListener("submit", async (event) => {
  const form = event.target;
  const row = form.closest("#inbox [data-row]");
  if (!row || form.dataset.tries) return;
  event.preventDefault();
  const place = [...inbox().querySelectorAll("[data-row]")].indexOf(row);
  const isDone = row.classList.contains("unread");
  const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) }).catch(() => null);
  if (answer?.ok) return renewInbox(await answer.text(), isDone ? "" : row.dataset.row, place);
  // Submit normally to show the error page.
  form.dataset.tries = "again";
  delete form.dataset.sent;
  form.requestSubmit();
});

const recount = async () => {
  waiting = 0;
  looked = Date.now();
  if (document.hidden) return;
  if (inbox()) {
    const row = document.activeElement?.closest("#inbox [data-row]");
    const place = row ? [...inbox().querySelectorAll("[data-row]")].indexOf(row) : -1;
    const answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" });
    if (answer.ok && !answer.redirected) renewInbox(await answer.text(), row?.dataset.row, place);
    return;
  }
  const answer = await fetch("/notifications.json?unread=true&limit=1", { cache: "no-store" });
  if (answer.ok) showCount(Number(answer.headers.get("X-Total-Count")));
};

// Notifications are created a moment after the event.
document.addEventListener("happened", () => {
  waiting ||= setTimeout(() => recount().catch(() => {}), Math.max(SETTLES, looked + RARELY - Date.now()));
});

// A visible ticket is marked as read.
const markRead = async () => {
  const form = document.querySelector("form[data-told]");
  if (!form || document.hidden) return;
  const body = new URLSearchParams(new FormData(form));
  const answer = await fetch(form.action, { method: "POST", body, redirect: "manual" });
  if (answer.type !== "opaqueredirect") return;
  form.remove();
  await recount();
};

document.addEventListener("visibilitychange", () => markRead().catch(() => {}));
markRead().catch(() => {});
