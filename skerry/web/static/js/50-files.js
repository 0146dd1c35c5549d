// File uploads: drag and drop, paste, thumbnails, and a progress bar.
const holder = ({ target }) => {
  // In Firefox the target of a drop may be a text node.
  const element = target.nodeType === Node.TEXT_NODE ? target.parentElement : target;
  return element.closest?.("form")?.querySelector("[data-files]");
};

const chosen = new WeakMap();
const show = (box) => {
  const input = box.querySelector("input");
  const list = box.querySelector("[data-thumbs]");
  const files = [...input.files];
  chosen.set(input, files);
  list.querySelectorAll("img").forEach((image) => URL.revokeObjectURL(image.src));
  list.replaceChildren(
    ...files.map((file) => {
      const item = document.createElement("li");
      if (file.type.startsWith("image/")) {
        const image = item.appendChild(document.createElement("img"));
        image.src = URL.createObjectURL(file);
        image.alt = "";
      }
      const remove = Object.assign(document.createElement("button"), { type: "button", className: "small" });
      remove.textContent = list.dataset.remove;
      remove.setAttribute("aria-label", `${list.dataset.remove}: ${file.name}`);
      remove.onclick = () => {
        choose(box, files.filter((each) => each !== file));
        input.focus();
      };
      item.append(file.name, " ", remove);
      return item;
    }),
  );
};

const choose = (box, files) => {
  const all = new DataTransfer();
  for (const file of files) all.items.add(file);
  box.querySelector("input").files = all.files;
  show(box);
};

const add = (event, data) => {
  const box = holder(event);
  if (!box || !data?.files.length) return;
  event.preventDefault();
  choose(box, [...box.querySelector("input").files, ...data.files]);
};

document.addEventListener("paste", (event) => {
  const data = event.clipboardData;
  // Office programs copy an image of the text beside the text; only the text should be pasted.
  if (!["text/plain", "text/html"].every((kind) => data?.types.includes(kind))) add(event, data);
});
document.addEventListener("drop", (event) => add(event, event.dataTransfer));
document.addEventListener("dragover", (event) => {
  if (holder(event) && event.dataTransfer.types.includes("Files")) event.preventDefault();
});
document.addEventListener("change", (event) => {
  const box = event.target.type === "file" && event.target.closest("[data-files]");
  // The browser's file chooser replaces the files that were added before.
  if (box) choose(box, [...(chosen.get(event.target) ?? []), ...event.target.files]);
});

// Firefox keeps the chosen files over a reload.
document.querySelectorAll("[data-files]").forEach(show);

// Show a form that the server refused, with its files. Return false if the response has no field for files.
const again = (form, text) => {
  const files = form.querySelector("input[type=file]").files;
  const page = new DOMParser().parseFromString(text, "text/html");
  const box = page.querySelector("main [data-files]");
  if (!box) return false;
  document.querySelector("main").replaceWith(page.querySelector("main"));
  box.querySelector("input").files = files;
  show(box);
  document.title = page.title;
  const told = document.querySelector("main [role=alert]:not([hidden])") ?? document.querySelector("main");
  told.scrollIntoView();
  told.focus();
  return true;
};

// The URL of a redirected response lacks its fragment, so it is taken from the form.
const follow = (form, address) => {
  const place = new URL(address);
  place.hash = form.elements._next?.value.split("#")[1] ?? "";
  // If only the fragment differs, the browser would not load the page again.
  if (place.pathname + place.search === location.pathname + location.search) history.replaceState(null, "", "?");
  location.href = place;
};

document.addEventListener("submit", (event) => {
  const form = event.target;
  const box = form.querySelector("[data-files]");
  if (event.defaultPrevented || !box?.querySelector("input").files.length) return;
  event.preventDefault();
  form.dataset.sent = "files";
  const bar = box.querySelector("[data-progress]");
  const failed = box.querySelector("[data-failed]");
  const request = new XMLHttpRequest();
  const fail = () => {
    delete form.dataset.sent;
    bar.hidden = true;
    failed.hidden = false;
  };
  bar.hidden = false;
  failed.hidden = true;
  request.upload.onprogress = (sent) => (bar.value = sent.loaded / sent.total);
  request.onerror = fail;
  request.onload = () => {
    if (request.status < 400) follow(form, request.responseURL);
    else if (request.status >= 500 || !again(form, request.responseText)) fail();
  };
  request.open("POST", form.action);
  request.setRequestHeader("Accept", "text/html");
  request.send(new FormData(form, event.submitter));
});
