// Files are dropped or pasted into a form, shown small, and sent with a bar that says how far they are.
const holder = ({ target }) => {
  // Firefox also drops onto the text in an element.
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
  // Office programs write a picture of a text beside it, which nobody means who pastes into a text.
  if (!["text/plain", "text/html"].every((kind) => data?.types.includes(kind))) add(event, data);
});
document.addEventListener("drop", (event) => add(event, event.dataTransfer));
document.addEventListener("dragover", (event) => {
  if (holder(event) && event.dataTransfer.types.includes("Files")) event.preventDefault();
});
document.addEventListener("change", (event) => {
  const box = event.target.type === "file" && event.target.closest("[data-files]");
  // A browser forgets what was chosen, dropped or pasted before.
  if (box) choose(box, [...(chosen.get(event.target) ?? []), ...event.target.files]);
});

// Firefox still has the files that were chosen before a page was loaded again.
document.querySelectorAll("[data-files]").forEach(show);

// What the server shows again takes the place of the page, and keeps the files; says false if there is no place for them.
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

// The address to which an answer led says nothing of the part of the page.
const follow = (form, address) => {
  const place = new URL(address);
  place.hash = form.elements._next?.value.split("#")[1] ?? "";
  // To another part of the same address a browser would go without asking for it again.
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
