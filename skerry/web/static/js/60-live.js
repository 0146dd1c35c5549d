// Live pages: a visible page reads a stream of events, and fetches itself again after an event that concerns it.
// Then the elements with data-live are replaced; fields that the user has changed are not.
const { ask, go, here, renew, root } = window.skerry;
const SOONEST = 2000;
const JITTER = 400;
const COME_AGAIN = 30_000;
const KINDS = ["ticket", "message", "milestone", "bulk_edit", "project"];

const page = document.body.dataset;
const news = () => document.querySelector("[data-news]");
// Events that a page shown next may not have yet.
const MOST_RECENT = 50;
const recent = [];
let after = page.events, source = null, fetched = 0, due = 0;

// The option that the server selected.
const given = (select) => [...select.options].find((option) => option.defaultSelected) ?? select.options[0];
const isTouched = (field) =>
  field.matches("select") ? field.selectedOptions[0] !== given(field) : field.value !== field.defaultValue;

// Update the untouched fields of a form to the present values; its elements stay, because they have event
// listeners. The reader has now seen the changes, so what they have entered may be saved.
const refill = (form, fresh) => {
  for (const field of form.querySelectorAll("select, input:not([type=file], [name=_key])")) {
    if (isTouched(field)) continue;
    const next = fresh.elements[field.name];
    if (field.matches("select")) field.replaceChildren(...next.children);
    else field.value = field.defaultValue = next.defaultValue;
  }
  const note = news();
  note.dataset.version = fresh.closest(".reply").querySelector("[data-news]").dataset.version;
};

const replace = (old, next) => {
  const known = new Map([...old.querySelectorAll("[data-row], .turn")].map((each) => [each.dataset.row || each.id, each]));
  for (const each of next.querySelectorAll("[data-row], .turn")) {
    const before = known.get(each.dataset.row || each.id);
    each.classList.toggle("fresh", !before || before.classList.contains("fresh"));
  }
  renew(old, next);
};

const refresh = async () => {
  fetched = Date.now();
  if (document.querySelector("[data-held]")) {
    // What somebody holds is not taken from under their hand.
    schedule();
    return true;
  }
  const shown = document.querySelector("main");
  const { answer, page: fresh } = await ask(here(), { cache: "no-store" });
  if (!answer.ok || answer.redirected || !fresh) return false;
  // The reader has gone on.
  if (!shown.isConnected) return true;
  const [parts, now] = [document, fresh].map((each) => [...each.querySelectorAll("main [data-live]")]);
  const isMissing = (part) => !document.getElementById(part.id);
  // A new element that precedes an existing one is inserted there, such as a milestone's first chart.
  for (const part of now.filter(isMissing)) document.getElementById(part.nextElementSibling?.id)?.before(part);
  // Other new elements need the whole page: the first row of a list, for example, comes with the whole table.
  const differs = now.some(isMissing) || parts.some((part) => !now.some((each) => each.id === part.id));
  if (differs && !document.querySelector("main :focus, .pick:checked")) go(here());
  for (const old of parts) {
    const next = fresh.getElementById(old.id);
    if (next && !old.isEqualNode(next)) replace(old, next);
  }
  const form = document.querySelector("[data-follows]");
  const next = fresh.querySelector("[data-follows]");
  if (form && next) refill(form, next);
  return true;
};

// Refresh almost at once, but at most every two seconds, with jitter so that browsers do not coincide.
const schedule = () => {
  if (due) return;
  due = setTimeout(() => {
    due = 0;
    if (!document.hidden) refresh().catch(() => {});
  }, Math.max(0, fetched + SOONEST - Date.now()) + Math.random() * JITTER);
};

const concerns = (event) =>
  KINDS.includes(event.subject_kind) && (!page.project || String(event.project_id) === page.project);

const take = ({ event }) => {
  document.dispatchEvent(new CustomEvent("happened", { detail: event }));
  recent.push({ event, time: performance.now() });
  if (recent.length > MOST_RECENT) recent.shift();
  tell(event);
};

const tell = (event) => {
  const note = news();
  if (note) {
    const isHere = event.subject_kind === "ticket" && String(event.subject_id) === note.dataset.news && concerns(event);
    if (!isHere || (event.version ?? Infinity) <= Number(note.dataset.version)) return;
    const said = note.querySelector("[data-moved]");
    if (event.type === "ticket.moved") said.textContent = said.dataset.moved;
    note.hidden = false;
  } else if (concerns(event) && document.querySelector("main [data-live]")) schedule();
};

const follow = () => {
  source = new EventSource(`${root}/events.json?after=${encodeURIComponent(after)}`);
  source.onmessage = (message) => {
    after = message.lastEventId || after;
    take(JSON.parse(message.data));
  };
  // Browsers reconnect after a lost connection, but not after a response that is no stream.
  source.onerror = () => {
    if (source?.readyState !== EventSource.CLOSED) return;
    leave();
    after = "now";
    setTimeout(() => look(), COME_AGAIN + Math.random() * COME_AGAIN);
  };
};

const leave = () => {
  source?.close();
  source = null;
};

// Browsers limit the connections to a server, so only the visible tab keeps one.
const look = () => {
  if (document.hidden) return leave();
  if (source) return;
  if (after === "now" && !news() && document.querySelector("main [data-live]")) schedule();
  follow();
};

document.addEventListener("click", async (event) => {
  const note = news();
  if (!note?.contains(event.target) || !event.target.matches("a")) return;
  event.preventDefault();
  if (await refresh().catch(() => false)) note.hidden = true;
  else go(event.target.href);
});

document.addEventListener("shown", ({ detail }) => {
  for (const { event, time } of [...recent]) if (time >= detail.since) tell(event);
});

if (after) {
  document.addEventListener("visibilitychange", look);
  addEventListener("pagehide", leave);
  addEventListener("pageshow", look);
}
