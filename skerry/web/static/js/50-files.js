// Files are dropped or pasted into a form, shown small, and sent with a bar that says how far they are.
const holder = (event) => {
  const form = event.target.closest?.("form");
  return form?.querySelector("[data-files]");
};

const show = (box) => {
  const list = box.querySelector("[data-thumbs]");
  list.querySelectorAll("img").forEach((image) => URL.revokeObjectURL(image.src));
  list.replaceChildren(
    ...[...box.querySelector("input").files].map((file) => {
      const item = document.createElement("li");
      if (file.type.startsWith("image/")) {
        const image = item.appendChild(document.createElement("img"));
        image.src = URL.createObjectURL(file);
        image.alt = "";
      }
      item.append(file.name);
      return item;
    }),
  );
};

const add = (event, data) => {
  const box = holder(event);
  if (!box || !data?.files.length) return;
  event.preventDefault();
  const input = box.querySelector("input");
  const all = new DataTransfer();
  for (const file of [...input.files, ...data.files]) all.items.add(file);
  input.files = all.files;
  show(box);
};

document.addEventListener("paste", (event) => add(event, event.clipboardData));
document.addEventListener("drop", (event) => add(event, event.dataTransfer));
document.addEventListener("dragover", (event) => {
  if (holder(event) && event.dataTransfer.types.includes("Files")) event.preventDefault();
});
document.addEventListener("change", (event) => {
  const box = event.target.type === "file" && event.target.closest("[data-files]");
  if (box) show(box);
});

// What the server shows again takes the place of the page, and keeps the files; says false if there is no place for them.
const again = (form, text) => {
  const files = form.querySelector("input[type=file]").files;
  const page = new DOMParser().parseFromString(text, "text/html");
  const box = page.querySelector("main [data-files]");
  if (!box) return false;
  document.querySelector("main").replaceWith(page.querySelector("main"));
  box.querySelector("input").files = files;
  show(box);
  document.querySelector("main [role=alert]:not([hidden])")?.scrollIntoView();
  return true;
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
    if (request.status < 400) location.href = request.responseURL;
    else if (request.status >= 500 || !again(form, request.responseText)) fail();
  };
  request.open("POST", form.action);
  request.setRequestHeader("Accept", "text/html");
  request.send(new FormData(form, event.submitter));
});
