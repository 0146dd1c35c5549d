// Ticks a task without a reload, so that the rest of the page and unsent text stay.
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
  // The text has changed, or the server does not respond: submit normally to show the error page.
  form.dataset.tick = "again";
  delete form.dataset.sent;
  form.requestSubmit(box);
});
