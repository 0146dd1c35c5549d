// Previews of texts.

// Images on other servers become links, and names of chosen files those files, as on every page (web/site/pictures.py).
const { attached } = window.skerry;
const named = (html, box) => {
  const files = [...(box?.querySelector("input").files ?? [])];
  const there = [...(box?.querySelectorAll("[data-there]") ?? [])];
  const text = new DOMParser().parseFromString(html, "text/html").body;
  for (const image of text.querySelectorAll("img")) {
    if (image.src.startsWith(`${location.origin}/`)) continue;
    if (image.src.startsWith("attachment:")) {
      const file = files.find((each) => attached(each) === image.src);
      const link = there.find((each) => attached({ name: each.textContent }) === image.src);
      image.onload = () => URL.revokeObjectURL(image.src);
      if (file) image.src = URL.createObjectURL(file);
      else if (link) image.src = link.href;
      else image.replaceWith(image.alt);
      continue;
    }
    image.replaceWith(Object.assign(document.createElement("a"), { href: image.src, textContent: image.alt || image.src }));
  }
  return text.childNodes;
};

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-show]");
  if (!button) return;
  const box = button.closest(".writing");
  const area = box.querySelector("textarea");
  const shown = box.querySelector("[data-shown]");
  // A second click before the response also asks for the preview.
  const shows = shown.hidden;
  if (shows) {
    const asked = fetch(area.dataset.preview, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRF-Token": document.body.dataset.csrf },
      body: JSON.stringify({ preview: { body: area.value } }),
    });
    const answer = await asked.catch(() => null);
    if (answer?.ok) shown.replaceChildren(...named((await answer.json()).preview.body_html, area.form.querySelector("[data-files]")));
    else shown.textContent = shown.dataset.failed;
  }
  shown.hidden = !shows;
  area.hidden = shows;
  button.setAttribute("aria-pressed", String(shows));
});
