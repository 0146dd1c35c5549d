// Previews of texts.

// Images on other servers become links, as on every page (web/site/pictures.py).
const named = (html) => {
  const text = new DOMParser().parseFromString(html, "text/html").body;
  for (const image of text.querySelectorAll("img")) {
    if (image.src.startsWith(`${location.origin}/`)) continue;
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
    if (answer?.ok) shown.replaceChildren(...named((await answer.json()).preview.body_html));
    else shown.textContent = shown.dataset.failed;
  }
  shown.hidden = !shows;
  area.hidden = shows;
  button.setAttribute("aria-pressed", String(shows));
});
