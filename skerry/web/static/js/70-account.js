// A secret that is shown once is selected on focus, ready to be copied, and copied by the button beside it.
const { onPage, queue, ask, after, tell, FORM } = window.skerry;
onPage("input[data-copy]", (field) => field.addEventListener("focus", () => field.select()));
onPage("button[data-copies]", (button) => {
  button.hidden = false;
});
document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("button[data-copies]");
  if (!button) return;
  const field = button.parentElement.querySelector("input");
  field.select();
  // Without a secure connection a browser has no clipboard for scripts, but still this command.
  const copied = navigator.clipboard ? navigator.clipboard.writeText(field.value).then(() => true, () => false) : Promise.resolve(document.execCommand("copy"));
  copied.then((well) => {
    if (!well) return;
    button.textContent = button.dataset.copies;
    document.getElementById("shown").textContent = button.dataset.copies;
  });
});

// A program on this computer waits. The head of a page leads there, but not that of one which was swapped in.
onPage("a[data-leads]", (link) => {
  if (!document.querySelector("meta[http-equiv=refresh]")) location.assign(link.href);
});

// The preview of states is updated while they are typed; invalid lines are skipped.
const SVG = "http://www.w3.org/2000/svg";
const dot = (color) => {
  const svg = document.createElementNS(SVG, "svg");
  for (const [name, value] of [["class", "dot"], ["viewBox", "0 0 10 10"], ["width", 10], ["height", 10], ["aria-hidden", true]]) svg.setAttribute(name, value);
  const circle = svg.appendChild(document.createElementNS(SVG, "circle"));
  for (const [name, value] of [["cx", 5], ["cy", 5], ["r", 4.5], ["fill", `#${color}`]]) circle.setAttribute(name, value);
  return svg;
};
onPage("textarea[data-states]", (area) => {
  const place = document.getElementById(area.getAttribute("aria-describedby"));
  area.addEventListener("input", () => {
    const found = area.value.split(/\r\n|\r|\n/).map((line) => /^\s*((?:[\p{L}\p{N}]\p{M}*|[_.-])+)[ \t]*\/[ \t]*([0-9a-f]{6}|[0-9a-f]{3})\s*(#.*)?$/iu.exec(line));
    place.replaceChildren(...found.filter(Boolean).flatMap(([, name, color]) => {
      const state = document.createElement("span");
      state.className = "state";
      state.append(dot(color), name);
      return [state, " "];
    }));
  });
});

// A choice that saves itself, without another page: each change in its order, under no key that stands for the page.
document.addEventListener("change", ({ target: select }) => {
  const said = select.dataset.saves;
  if (!said) return;
  const body = new URLSearchParams(new FormData(select.form));
  body.delete("_key");
  queue(async () => {
    const found = await ask(select.form.getAttribute("action"), { method: "POST", body, headers: FORM });
    if (!found.answer.ok) return after(null, found);
    tell(said);
  });
});

// The colour that is chosen for a state or a priority is shown beside its name.
document.addEventListener("change", ({ target: radio }) => {
  const circle = radio.closest(".swatches")?.querySelector("summary circle");
  if (circle && radio.type === "radio") circle.setAttribute("fill", `#${radio.value}`);
});
