// A task is ticked where it stands: what else is on the page, and what is being written, stays as it is.
document.addEventListener("submit", async (event) => {
  const form = event.target;
  const box = event.submitter;
  if (!("tick" in form.dataset) || form.dataset.tick === "again") return;
  event.preventDefault();
  const sent = new URLSearchParams(new FormData(form));
  sent.append(box.name, box.value);
  const answer = await fetch(form.action, { method: "POST", body: sent }).catch(() => null);
  const page = answer?.ok && new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page && page.getElementById(form.parentElement.id);
  if (fresh) {
    form.parentElement.replaceWith(document.adoptNode(fresh));
    fresh.querySelector(`.task[value="${box.value}"]`)?.focus();
    return;
  }
  // Somebody has changed the text meanwhile, or nothing answers: the page that says so is shown.
  form.dataset.tick = "again";
  delete form.dataset.sent;
  form.requestSubmit(box);
});
