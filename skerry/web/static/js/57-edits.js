// Texts are edited where they stand: "Edit" brings the form of its page to the text. The same page works without scripts.
const { ask, after, go, here, post, queue, startAll } = window.skerry;
const opened = new Set();
const partOf = (element) => element.closest("article[id]");
const linkIn = (part) => part?.querySelector("[data-edit]");
const editorIn = (part) => part.querySelector("[data-editor]");
const focus = (element) => element?.focus({ preventScroll: true });

const close = (part) => {
  opened.delete(linkIn(part).href);
  editorIn(part).remove();
  part.classList.remove("editing");
  focus(linkIn(part));
};

// Show the form of a page in place of a text; what follows it is this page, at this text.
const put = (part, form) => {
  editorIn(part)?.remove();
  form.className = "composer";
  const from = new URL(here());
  const next = form.elements._next ?? form.appendChild(Object.assign(document.createElement("input"), { type: "hidden", name: "_next" }));
  next.value = `${from.pathname}${from.search}#${part.id}`;
  part.querySelector("header, .byline").after(form);
  part.classList.add("editing");
  opened.add(linkIn(part).href);
  startAll(form);
};

const begin = (part) => {
  const first = part.querySelector("[role=alert]:not([hidden])") ?? editorIn(part).querySelector("[autofocus]");
  focus(first);
  if (first.matches("textarea")) first.setSelectionRange(first.value.length, first.value.length);
  editorIn(part).scrollIntoView({ block: "nearest" });
};

const open = async (link, { takesFocus }) => {
  const { answer, page } = await ask(link.href);
  const form = answer.ok && page?.querySelector("[data-editor]");
  if (!form) return void go(link.href);
  if (!link.isConnected) return;
  put(partOf(link), form);
  if (takesFocus) begin(partOf(link));
};

document.addEventListener("click", (event) => {
  const { target, button, ctrlKey, metaKey, shiftKey } = event;
  const link = target.closest?.("[data-edit], [data-cancel]");
  const part = link && partOf(link);
  if (!part || button || ctrlKey || metaKey || shiftKey) return;
  event.preventDefault();
  if ("cancel" in link.dataset) close(part);
  else if (editorIn(part)) begin(part);
  else queue(() => open(link, { takesFocus: true }));
});

document.addEventListener("keydown", (event) => {
  const form = event.key === "Escape" && !event.isComposing && event.target.closest?.("article [data-editor]");
  if (form) close(partOf(form));
});

document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  const part = form.matches("[data-editor]") && partOf(form);
  if (!part) return;
  event.preventDefault();
  post(form, submitter, async (found) => {
    const again = !found.answer.ok && found.page?.querySelector("[data-editor]");
    if (again) {
      put(part, again);
      return begin(part);
    }
    opened.delete(linkIn(part).href);
    await after(found.answer.headers.get("Location"), found, part.id);
    focus(linkIn(document.getElementById(part.id)));
  });
});

// A page that is shown again, after another change, has the texts open that were being edited.
document.addEventListener("shown", () => {
  for (const href of opened) {
    const link = [...document.querySelectorAll("[data-edit]")].find((each) => each.href === href);
    if (!link) opened.delete(href);
    else if (!editorIn(partOf(link))) queue(() => open(link, { takesFocus: false }));
  }
});
