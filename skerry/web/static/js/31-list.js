// Selection of tickets in a list: a bar with their number, and with what changes them.
const { ask, go, queue, save } = window.skerry;
window.skerry.onPage("[data-list]", (form) => {
  // Rows change while the page follows events.
  const picks = () => [...form.querySelectorAll(".pick")];
  const all = form.querySelector("[data-all]");
  const bulk = form.querySelector("[data-bulk]");
  const command = bulk.querySelector("[name=command]");
  bulk.open = true;
  const count = () => {
    const present = picks();
    const picked = present.filter((pick) => pick.checked).length;
    present.forEach((pick) => pick.closest("[data-row]").classList.toggle("picked", pick.checked));
    all.checked = picked === present.length;
    all.indeterminate = picked > 0 && !all.checked;
    bulk.querySelector("[data-picked]").textContent = picked;
    bulk.hidden = !picked;
  };
  const pickAll = (checked) => {
    picks().forEach((pick) => (pick.checked = checked));
    count();
  };
  // With Shift, a click sets all tickets since the last click. Rows are replaced while the page follows events.
  let last = null;
  form.addEventListener("click", ({ target, shiftKey }) => {
    const begin = target.closest("[data-begin]")?.dataset.begin;
    if (begin) {
      command.value = `${command.value} ${begin}`.trimStart();
      command.focus();
      command.dispatchEvent(new Event("input"));
    }
    if (target.closest("[data-none]")) pickAll(false);
    if (!target.matches(".pick")) return;
    const present = picks();
    const [from, to] = [present.findIndex((pick) => pick.value === last), present.indexOf(target)].sort((one, other) => one - other);
    if (shiftKey && from >= 0) present.slice(from, to).forEach((pick) => (pick.checked = target.checked));
    last = target.value;
  });
  // What changes the selected tickets and can be undone on the list needs no look at the preview, if that finds no mistake.
  form.addEventListener("submit", (event) => {
    if (!event.submitter?.matches("[data-at-once]") || form.elements.of.value !== "selected") return;
    event.preventDefault();
    const url = new URL(form.action);
    url.search = new URLSearchParams(new FormData(form));
    form.querySelector(".picked [data-open]")?.focus({ preventScroll: true });
    queue(async () => {
      const { page } = await ask(url);
      const confirmed = page?.querySelector(".confirm");
      // Not returned: what is saved comes after this work.
      if (confirmed?.elements._next) save(confirmed);
      else go(url);
    });
  });
  form.addEventListener("change", (event) => {
    if (event.target === all) pickAll(all.checked);
    else if (event.target.matches(".pick, [data-live]")) count();
  });
  // Arrows move among rows, and with Shift they select what they pass.
  form.addEventListener("keydown", (event) => {
    const [row, by] = [event.target.closest("[data-row]"), { ArrowDown: 1, ArrowUp: -1 }[event.key]];
    if (!row || !by || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const rows = [...form.querySelectorAll("[data-row]")];
    const next = rows[rows.indexOf(row) + by];
    if (event.shiftKey) [row, next].forEach((each) => each && (each.querySelector(".pick").checked = true));
    next?.querySelector("[data-open]").focus();
    count();
  });
  // Browsers restore the checkboxes after a reload.
  count();
  addEventListener("pageshow", count, { once: true });
});
