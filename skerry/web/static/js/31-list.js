// Tickets that are ticked in a list: all at once, counted, and with the command at hand.
for (const form of document.querySelectorAll("[data-list]")) {
  // Rows come and go while the page follows events.
  const picks = () => [...form.querySelectorAll(".pick")];
  const all = form.querySelector("[data-all]");
  const bulk = form.querySelector("[data-bulk]");
  let before = 0;
  const count = () => {
    const present = picks();
    const picked = present.filter((pick) => pick.checked).length;
    present.forEach((pick) => pick.closest("tr").classList.toggle("picked", pick.checked));
    all.checked = picked === present.length;
    all.indeterminate = picked > 0 && !all.checked;
    form.querySelector("[data-picked]").textContent = picked ? `(${picked})` : "";
    // Whoever folds the command away to see more, and ticks on, has reasons.
    if (picked && !before) bulk.open = true;
    before = picked;
  };
  all.closest("label").hidden = false;
  form.addEventListener("change", (event) => {
    if (event.target === all) picks().forEach((pick) => (pick.checked = all.checked));
    if (event.target === all || event.target.matches(".pick, [data-live]")) count();
  });
  // A browser that goes back ticks again what was ticked.
  addEventListener("pageshow", count);
}
