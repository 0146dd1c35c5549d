// Markdown by buttons and keys: they act on the selection, and the browser can undo what they write.
const { onPage, write } = window.skerry;
const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
const ADDRESS = /^https?:\/\/[^\s<>]+$/i;
const WRAPS = { bold: "**", italic: "_", code: "`" };
const STARTS = { quote: "> ", list: "- ", task: "- [ ] " };
const KEYS = { b: "bold", i: "italic", e: "code" };
// By their places, as on other keyboards their letters differ.
const SHIFTED = { KeyK: "link", Period: "quote", Digit8: "list", KeyL: "task" };
const ITEM = /^(\s*)(?:([-*+>])|(\d{1,9})([.)]))(\s+)(\[[ xX]\]\s+)?/;

// The selection without the spaces around it.
const selected = ({ value, selectionStart, selectionEnd }) => {
  const text = value.slice(selectionStart, selectionEnd);
  const from = selectionStart + text.length - text.trimStart().length;
  return { from, to: Math.max(from, selectionEnd - text.length + text.trimEnd().length), text: text.trim() };
};

const wrap = (area, mark) => {
  const { from, to, text } = selected(area);
  const [start, end] = text.includes("\n") && mark === "`" ? ["```\n", "\n```"] : [mark, mark];
  const [outer, after] = [from - start.length, to + end.length];
  const isWrapped = outer >= 0 && area.value.slice(outer, from) === start && area.value.slice(to, after) === end;
  if (isWrapped) write(area, outer, after, text);
  else write(area, from, to, start + text + end);
  const begin = isWrapped ? outer : from + start.length;
  area.setSelectionRange(begin, begin + text.length);
};

const startLines = (area, start) => {
  const { value, selectionStart, selectionEnd } = area;
  const from = value.slice(0, selectionStart).lastIndexOf("\n") + 1;
  const end = value.indexOf("\n", selectionEnd);
  const to = end < 0 ? value.length : end;
  const lines = value.slice(from, to).split("\n");
  const has = lines.every((line) => line.startsWith(start));
  const text = lines.map((line) => (has ? line.slice(start.length) : start + line)).join("\n");
  write(area, from, to, text);
  if (selectionStart !== selectionEnd) area.setSelectionRange(from, from + text.length);
};

const link = (area) => {
  const { from, to, text } = selected(area);
  const isAddress = ADDRESS.test(text);
  write(area, from, to, isAddress ? `[](${text})` : `[${text}](url)`);
  const at = isAddress || !text ? from + 1 : from + text.length + 3;
  area.setSelectionRange(at, at + (isAddress || !text ? 0 : "url".length));
};

// A character after which names are completed.
const sign = (area, character) => {
  const { value, selectionStart, selectionEnd } = area;
  const isInWord = /\S$/.test(value.slice(0, selectionStart));
  write(area, selectionStart, selectionEnd, (isInWord ? " " : "") + character);
};

const filesOf = (area) => area.form.querySelector("[data-files] input");
const DEEDS = { link, mention: (area) => sign(area, "@"), ticket: (area) => sign(area, "#"), file: (area) => filesOf(area)?.click() };
const format = (area, name) => {
  if (WRAPS[name]) wrap(area, WRAPS[name]);
  else if (STARTS[name]) startLines(area, STARTS[name]);
  else DEEDS[name](area);
};

const areaOf = (element) => element.closest(".writing")?.querySelector("textarea");
const isOurs = (element) => element.matches?.(".writing textarea");

onPage("[role=toolbar]", (bar) => {
  if (!filesOf(areaOf(bar))) bar.querySelector("[data-format=file]").remove();
  if (isMac) for (const each of bar.children) each.title = each.title.replace("Ctrl", "⌘");
});

document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("[data-format]");
  const area = button && areaOf(button);
  if (area && !area.hidden) format(area, button.dataset.format);
});

// Arrows move through the toolbar, which is one stop of the Tab key.
document.addEventListener("keydown", (event) => {
  const bar = event.target.closest?.("[role=toolbar]");
  const buttons = bar && [...bar.querySelectorAll("button")];
  const at = buttons?.indexOf(event.target);
  const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[event.key];
  if (!bar || next === undefined) return;
  event.preventDefault();
  buttons.forEach((each) => (each.tabIndex = -1));
  const button = buttons.at(next % buttons.length);
  button.tabIndex = 0;
  button.focus();
});

// Enter goes on with a list or a quotation; in an empty item it ends it.
const goOn = (area) => {
  const { value, selectionStart: at, selectionEnd } = area;
  const before = value.slice(0, at);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const item = ITEM.exec(line);
  const isCode = (before.match(/^ {0,3}(```|~~~)/gm) ?? []).length % 2;
  if (!item || at !== selectionEnd || isCode) return false;
  const [start, indent, bullet, number, point, gap, task] = item;
  const isEmpty = start === line && !/^[^\n]/.test(value.slice(at));
  if (isEmpty) write(area, at - line.length, at, "");
  else write(area, at, at, `\n${indent}${bullet ?? Number(number) + 1 + point}${gap}${task ? "[ ] " : ""}`);
  return true;
};

document.addEventListener("keydown", (event) => {
  const { target: area, key, code, ctrlKey, metaKey, altKey, shiftKey, isComposing } = event;
  if (event.defaultPrevented || isComposing || altKey || !isOurs(area)) return;
  const isCommand = isMac ? metaKey && !ctrlKey : ctrlKey && !metaKey;
  const name = isCommand && (shiftKey ? SHIFTED[code] : KEYS[key.toLowerCase()]);
  if (name) format(area, name);
  if (name || (key === "Enter" && !ctrlKey && !metaKey && !shiftKey && goOn(area))) event.preventDefault();
});

// An address that is pasted over words makes a link of them.
document.addEventListener("paste", (event) => {
  const { target: area, clipboardData } = event;
  const address = clipboardData?.getData("text/plain").trim() ?? "";
  if (event.defaultPrevented || !isOurs(area) || !ADDRESS.test(address)) return;
  const { from, to, text } = selected(area);
  if (!text || text.includes("\n") || ADDRESS.test(text)) return;
  event.preventDefault();
  write(area, from, to, `[${text}](${address})`);
});
