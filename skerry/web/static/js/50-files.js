// File uploads: drag and drop, paste, thumbnails, and a progress bar.
const { ask, queue, onPage, parsed, after, tell, write, FORM } = window.skerry;
const holder = ({ target }) => {
  // In Firefox the target of a drop may be a text node.
  const element = target.nodeType === Node.TEXT_NODE ? target.parentElement : target;
  return element.closest?.("form")?.querySelector("[data-files]");
};

// The files of each form until it is accepted, as its page may be shown again: drafts keep its texts.
const chosen = new Map();
const nameOf = (form) => form.getAttribute("action").split("?")[0];
const show = (box) => {
  const input = box.querySelector("input");
  const list = box.querySelector("[data-thumbs]");
  const files = [...input.files];
  chosen.set(nameOf(input.form), files);
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
        takeBack(box, file);
        (input.checkVisibility() ? input : box.closest("form").querySelector("[data-format=file]")).focus();
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

// What a text says in place of a picture that is sent with it; web/site/pictures.py finds the file by its name.
const address = ({ name }) => `attachment:${encodeURIComponent(name).replaceAll("(", "%28").replaceAll(")", "%29")}`;
const reference = (file) => `![${file.name.replace(/[[\]\\]/g, " ")}](${address(file)})`;
const isPicture = (file) => /^image\/(png|jpeg|gif|webp)$/.test(file.type);
const areaIn = (box) => box.closest("form").querySelector(".writing textarea");

// Browsers give all pasted pictures the same name.
const kept = (name) => name.replace(/[^\p{L}\p{M}\p{N}_.-]/gu, "_");
const renamed = (file, others) => {
  const [, stem, end] = /^(.*?)(\.[^.]*)?$/s.exec(file.name);
  const isTaken = (name) => others.some((each) => kept(each) === kept(name));
  let [name, number] = [file.name, 1];
  while (isTaken(name)) name = `${stem}-${++number}${end ?? ""}`;
  return name === file.name ? file : new File([file], name, { type: file.type });
};

const add = (event, data) => {
  const box = holder(event);
  if (!data?.files.length) return;
  // A text that takes no files says so, unless there are words too.
  if (!box && event.target.matches?.(".writing textarea") && !data.getData("text/plain")) {
    event.preventDefault();
    tell(document.getElementById("notices").dataset.noFiles);
  }
  if (!box) return;
  event.preventDefault();
  const files = [...box.querySelector("input").files];
  const first = files.length;
  const there = [...box.querySelectorAll("[data-there]")].map((each) => each.textContent);
  for (const file of data.files) files.push(renamed(file, [...there, ...files.map((each) => each.name)]));
  choose(box, files);
  const area = event.target.matches?.(".writing textarea") && event.target;
  const pictures = files.slice(first).filter(isPicture).map(reference);
  if (area && pictures.length) write(area, area.selectionStart, area.selectionEnd, pictures.join("\n"));
};

// A picture that is taken back is taken out of the text.
const takeBack = (box, file) => {
  const [area, text] = [areaIn(box), reference(file)];
  const at = area?.value.indexOf(text) ?? -1;
  if (at >= 0) write(area, at, at + text.length, "");
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
  if (box) choose(box, [...(chosen.get(nameOf(event.target.form)) ?? []), ...event.target.files]);
});

// A form that is shown again has its files; Firefox keeps them over a reload.
onPage("[data-files]", (box) => {
  const input = box.querySelector("input");
  const files = chosen.get(nameOf(input.form));
  if (files?.length && !input.files.length) choose(box, files);
  else show(box);
});

// Send a form with its files, as `ask` does without; the bar shows how far it is.
const upload = (form, data, bar) => new Promise((resolve, reject) => {
  const request = new XMLHttpRequest();
  request.upload.onprogress = (sent) => (bar.value = sent.loaded / sent.total);
  request.onerror = reject;
  request.onload = () => {
    const { status, responseText } = request;
    if (status >= 500) return reject(request);
    const headers = { get: (name) => request.getResponseHeader(name) };
    resolve({ answer: { ok: status < 400, headers }, page: parsed(responseText), since: performance.now() });
  };
  request.open("POST", form.getAttribute("action"));
  for (const [name, value] of Object.entries({ Accept: "text/html", ...FORM })) request.setRequestHeader(name, value);
  request.send(data);
});

// Send a form as it is now, and show what follows with `then`, unless it was sent before or could not be sent.
const post = (form, submitter, then) => {
  if (form.dataset.sent) return;
  form.dataset.sent = "yes";
  const data = new FormData(form, submitter);
  const box = form.querySelector("[data-files]");
  const hasFiles = box?.querySelector("input").files.length > 0;
  const [bar, failed] = hasFiles ? [box.querySelector("[data-progress]"), box.querySelector("[data-failed]")] : [{}, {}];
  [bar.hidden, failed.hidden] = [false, true];
  const plain = { method: "POST", body: form.enctype === "multipart/form-data" ? data : new URLSearchParams(data), headers: FORM };
  queue(async () => {
    try {
      const found = hasFiles ? await upload(form, data, bar) : await ask(form.getAttribute("action"), plain);
      if (found.answer.ok) chosen.delete(nameOf(form));
      await then(found);
    } catch (error) {
      if (!hasFiles) throw error;
      [bar.hidden, failed.hidden] = [true, false];
    } finally {
      delete form.dataset.sent;
    }
  });
};

document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  if (event.defaultPrevented || !form.querySelector("[data-files] input")?.files.length || form.closest("article [data-editor]")) return;
  event.preventDefault();
  post(form, submitter, (found) => after(found.answer.headers.get("Location"), found));
});

Object.assign(window.skerry, { attached: address, post });
