// Selection of tickets in a list: select all, a counter, and the form of the bulk edit.
for (const form of document.querySelectorAll("[data-list]")) {
  // Rows change while the page follows events.
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
    // Opened only for the first selected ticket: a form that the user closed stays closed.
    if (picked && !before) bulk.open = true;
    before = picked;
  };
  all.closest("label").hidden = false;
  form.addEventListener("change", (event) => {
    if (event.target === all) picks().forEach((pick) => (pick.checked = all.checked));
    if (event.target === all || event.target.matches(".pick, [data-live]")) count();
  });
  // Browsers restore the checkboxes when they go back.
  addEventListener("pageshow", count);
}
