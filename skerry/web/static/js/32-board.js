// Boards: a card is moved to another column by mouse, by finger after a long press, or by keys. A move is the form
// of one field, with what the reader saw: the card stands in its new column at once, and returns if it is refused.
const { ask, queue, renew, tell, here, onPage, FORM, root } = window.skerry;
const FAR = 6;
const LONG = 350;
const EDGE = 48;
const SPEED = 14;

const board = () => document.getElementById("board");
// Not by a selector: a large board has tens of thousands of elements.
const columns = () => [...board().children].filter((each) => each.dataset.column);
const columnOf = (card) => card.closest("[data-column]");
const cardsOf = (column) => [...column.querySelectorAll("[data-row]")];
const link = (card) => card.querySelector("[data-open]");
const titleOf = (column) => {
  const heading = column.querySelector("h2").cloneNode(true);
  heading.querySelectorAll(".count, svg, [aria-hidden]").forEach((each) => each.remove());
  return heading.textContent.trim();
};
const say = (name, more = "") => {
  const region = document.getElementById("moved");
  if (region) region.textContent = `${region.dataset[name]} ${more}`.trim();
};
// The value that a card gets in a column; null if it cannot be moved there.
const valueIn = (column, card) => {
  const [project] = card.dataset.row.split("/");
  return column.getAttribute(`data-value-${project}`) ?? column.getAttribute("data-value");
};

// What is picked up: the card, the column it is over, and how it came to be held.
let held = null, press = null, missed = null;

const aim = (column) => {
  if (!held || column === held.over) return;
  const may = column && (column === held.from || valueIn(column, held.card) !== null);
  held.over?.classList.remove("over");
  held.over = may ? column : null;
  held.over?.classList.add("over");
  if (held.over && held.isByKeys) held.over.scrollIntoView({ block: "nearest", inline: "nearest" });
  if (held.over) say("over", titleOf(column));
};

const lift = (card, isByKeys) => {
  held = { card, from: columnOf(card), over: null, isByKeys };
  board().dataset.held = "";
  card.classList.add("held");
  columns().forEach((each) => each.classList.toggle("open", valueIn(each, card) !== null));
  held.over = held.from;
  held.over.classList.add("over");
  say("lifted");
};

const release = () => {
  const before = held;
  if (!held) return null;
  held.card.classList.remove("held");
  held.over?.classList.remove("over");
  held.ghost?.remove();
  delete board()?.dataset.held;
  held = null;
  return before;
};

const cancel = () => {
  if (!release()) return;
  say("returned");
  if (missed) queue(() => refresh(missed));
};

const drop = () => {
  const { card, from, over } = release();
  if (over && over !== from) move(card, over);
  else {
    say("returned");
    if (missed) queue(() => refresh(missed));
  }
};

// Moves that are under way stay visible when the board is renewed.
const moves = new Map();
const count = (column, by) => {
  const shown = column.querySelector("h2 .count");
  if (/^\d+$/.test(shown.textContent.trim())) shown.textContent = Number(shown.textContent) + by;
};
const put = (card, column) => {
  const from = columnOf(card);
  if (!column || from === column) return;
  const focused = card.contains(document.activeElement) && document.activeElement;
  column.querySelector(".cards").prepend(card);
  count(from, -1);
  count(column, 1);
  if (focused) focused.focus({ preventScroll: true });
};
const named = (name) => board()?.querySelector(`[data-column="${CSS.escape(name)}"]`);

const refresh = async (place) => {
  const { answer, page } = await ask(place, { cache: "no-store" });
  if (!answer.ok || !page?.getElementById("board") || !board()) return;
  if (held) {
    missed = place;
    return;
  }
  missed = null;
  for (const id of ["done", "total", "board"]) renew(document.getElementById(id), page.getElementById(id));
  for (const [id, column] of moves) {
    const card = document.getElementById(id);
    if (card) put(card, named(column));
  }
};

const sentence = (page) => page?.querySelector("#main .problems li, .error-page h1 ~ p")?.textContent.trim();

const send = async (id, value) => {
  const card = document.getElementById(id);
  const [project, number] = card.dataset.row.split("/");
  const then = new URL(here());
  then.searchParams.set("changed", `${project}/${number}`);
  const body = new URLSearchParams({
    _csrf: document.body.dataset.csrf,
    _method: "PUT",
    _next: then.pathname + then.search,
    _seen: card.dataset.seen,
    [`ticket[${board().dataset.field}]`]: value,
  });
  const { answer, page } = await ask(`${root}/projects/${project}/tickets/${number}`, { method: "POST", body, headers: FORM });
  if (answer.ok) return answer.headers.get("Location");
  tell(sentence(page) ?? document.getElementById("moved").dataset.refused);
  say("returned");
  return null;
};

const move = (card, column) => {
  const [id, from, value] = [card.id, columnOf(card), valueIn(column, card)];
  put(card, column);
  say("dropped", titleOf(column));
  moves.set(id, column.dataset.column);
  queue(async () => {
    try {
      const place = await send(id, value);
      moves.delete(id);
      await refresh(place ?? here());
    } catch (error) {
      moves.delete(id);
      const lost = document.getElementById(id);
      if (lost) put(lost, named(from.dataset.column));
      throw error;
    }
  });
};

// Keys: Space picks up and drops, arrows choose the column. With nothing picked up, arrows lead from card to card.
const beside = (column, by) => {
  const all = columns();
  let at = all.indexOf(column) + by;
  while (all[at] && all[at] !== held.from && valueIn(all[at], held.card) === null) at += by;
  return all[at] ?? column;
};
const step = (card, key) => {
  const by = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
  const own = cardsOf(columnOf(card));
  const at = own.indexOf(card);
  if (key === "ArrowDown" || key === "ArrowUp") return own[at + by];
  const all = columns();
  let next = all.indexOf(columnOf(card)) + by;
  while (all[next] && !cardsOf(all[next]).length) next += by;
  const others = all[next] ? cardsOf(all[next]) : [];
  return others[Math.min(at, others.length - 1)];
};

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (held && key === "Escape") {
    event.preventDefault();
    return cancel();
  }
  const card = target.closest?.("[data-board] [data-row]");
  if (!card || !target.matches("[data-open]") || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const isArrow = /^Arrow(Up|Down|Left|Right)$/.test(key);
  if (held?.isByKeys && (key === " " || key === "Enter")) drop();
  else if (held?.isByKeys && isArrow) /Left|Right/.test(key) && aim(beside(held.over, key === "ArrowRight" ? 1 : -1));
  else if (key === " ") card.dataset.seen && !held && lift(card, true);
  else if (isArrow) link(step(card, key) ?? card).focus();
  else return;
  event.preventDefault();
});
document.addEventListener("focusout", ({ target }) => held?.isByKeys && held.card.contains(target) && document.hasFocus() && cancel());

// Pointers. Below a short column is in it too.
const isIn = ({ left, right, top, bottom }) => held.x >= left && held.x <= right && held.y >= top && held.y <= bottom;
const under = () => {
  const box = board().getBoundingClientRect();
  if (!isIn(box)) return null;
  return columns().find((each) => isIn({ ...each.getBoundingClientRect().toJSON(), top: box.top, bottom: box.bottom })) ?? null;
};
const follow = ({ ghost, x, y, dx, dy }) => (ghost.style.transform = `translate(${x - dx}px, ${y - dy}px)`);
// Once for each picture. Near its edge the board scrolls, and so does a column.
const roll = () => {
  if (!held?.ghost || !board()) return;
  const towards = (at, from, to) => (at < from + EDGE ? -SPEED : at > to - EDGE ? SPEED : 0);
  const box = board().getBoundingClientRect();
  board().scrollLeft += towards(held.x, box.left, box.right);
  const list = held.over?.querySelector(".cards");
  const inner = list?.getBoundingClientRect();
  if (inner) list.scrollTop += towards(held.y, inner.top, inner.bottom);
  aim(under());
  requestAnimationFrame(roll);
};
const drag = ({ card, x, y, pointer }) => {
  const box = card.getBoundingClientRect();
  const ghost = card.cloneNode(true);
  ghost.removeAttribute("id");
  ghost.removeAttribute("data-row");
  ghost.querySelectorAll("[id]").forEach((each) => each.removeAttribute("id"));
  ghost.classList.add("ghost");
  ghost.inert = true;
  ghost.style.width = `${box.width}px`;
  lift(card, false);
  Object.assign(held, { ghost, x, y, dx: x - box.left, dy: y - box.top, pointer });
  board().append(ghost);
  follow(held);
  roll();
};
const forget = () => {
  clearTimeout(press?.timer);
  press = null;
};

document.addEventListener("pointerdown", (event) => {
  const card = event.target.closest?.("[data-board] [data-seen]");
  if (!card || event.button || !event.isPrimary || held) return;
  const begun = { card, x: event.clientX, y: event.clientY, pointer: event.pointerId };
  const start = () => {
    forget();
    if (begun.card.isConnected) drag(begun);
  };
  forget();
  press = { ...begun, start, timer: event.pointerType === "mouse" ? 0 : setTimeout(start, LONG) };
});
document.addEventListener("pointermove", (event) => {
  if (held?.pointer === event.pointerId) {
    [held.x, held.y] = [event.clientX, event.clientY];
    return follow(held);
  }
  if (press?.pointer !== event.pointerId || Math.hypot(event.clientX - press.x, event.clientY - press.y) < FAR) return;
  // A finger that moves before it has pressed long scrolls.
  if (press.timer) forget();
  else press.start();
});
document.addEventListener("pointerup", (event) => {
  forget();
  if (held?.pointer !== event.pointerId) return;
  aim(under());
  // The click that follows is not for the link under the card.
  const swallow = (click) => (click.preventDefault(), click.stopPropagation());
  addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => removeEventListener("click", swallow, { capture: true }));
  drop();
});
document.addEventListener("pointercancel", (event) => {
  forget();
  if (held?.pointer === event.pointerId) cancel();
});
for (const kind of ["dragstart", "contextmenu"]) {
  document.addEventListener(kind, (event) => {
    if (event.target.closest?.("[data-board]") && (kind === "dragstart" || held)) event.preventDefault();
  });
}
document.addEventListener("shown", () => {
  if (held && !held.card.isConnected) release();
});

// Each board keeps its place, also when it is renewed, and when the reader returns to it.
const places = new Map();
onPage("[data-board]", (shown) => {
  const at = places.get(here());
  if (at) {
    shown.scrollLeft = at.x;
    for (const each of shown.querySelectorAll("[data-column]")) each.querySelector(".cards").scrollTop = at[each.dataset.column] ?? 0;
  }
  const note = () => {
    const tops = [...shown.querySelectorAll("[data-column]")].map((each) => [each.dataset.column, each.querySelector(".cards").scrollTop]);
    if (shown.isConnected) places.set(here(), { x: shown.scrollLeft, ...Object.fromEntries(tops) });
  };
  shown.addEventListener("scroll", note, { capture: true, passive: true });
  // A finger that holds a card does not scroll.
  shown.addEventListener("touchmove", (event) => held && event.preventDefault(), { passive: false });
});
