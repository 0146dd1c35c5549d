// The palette (Ctrl-K): it goes to pages and tickets, does what the page offers, and runs commands.
const { onPage, make, go, spare, pause, all, visited, deeds, goals, root, inside } = window.skerry;
const SOME = 8;
const place = () => root + (document.body.dataset.project?.replace(/^/, "/projects/") ?? "");
// The side bar shows the first projects; the others are asked for once.
const SHOWN = 12;
let others = [];
const shown = () => goals().filter(({ href }) => /^\/projects\/\d+$/.test(inside(href ?? "")));
const projects = () => [...shown(), ...others];
const learn = async () => {
  const answer = await fetch(`${root}/projects.json`);
  if (answer.ok) others = (await answer.json()).projects.map(({ project: { id, name } }) => ({ label: name, href: `${root}/projects/${id}` }));
};
// The people of the project, or of those in the side bar; each project is asked once.
const [asked, people] = [new Set(), new Map()];
const meet = async (project) => {
  asked.add(project);
  const answer = await fetch(`${project}/memberships.json`);
  if (answer.ok) for (const { membership: { user } } of (await answer.json()).memberships) if (user) people.set(user.id, user.name);
};
const strangers = () => (document.body.dataset.project ? [place()] : shown().map(({ href }) => href)).filter((each) => !asked.has(each));

// +tag and -tag are short for commands.
const inFull = (text) => text.replace(/(^|\s)([+-])(?=[^\s+-])/g, (_, gap, sign) => `${gap}${sign === "+" ? "" : "not-"}tagged:`);

onPage("#command", (dialog) => {
  const [input, list, chip, { content }] = ["[role=combobox]", "[role=listbox]", ".chip", "template"].map((each) => dialog.querySelector(each));
  const [say, keywords] = [dialog.dataset, all("b", content)];
  let run, entries = [], chosen, moved, sent, timer, ready, answers;

  // Commands change the selected tickets, or the ticket of the page.
  const begin = () => {
    const bulk = document.querySelector("[data-bulk]:not([hidden])");
    const field = (bulk ?? dialog).querySelector("[name=command], [name='ticket[body]']");
    const { form } = field ?? {};
    run = form && ((text) => {
      field.value = text;
      if (bulk) form.elements.of.value = "selected";
      form.requestSubmit(form.querySelector("[data-at-once]"));
    });
    chip.textContent = bulk?.querySelector("[data-all] + span").textContent ?? say.chip;
    answers = { values: [], tickets: [] };
    if (!others.length && shown().length >= SHOWN) learn().then(render, () => {});
    Promise.all(strangers().map(meet)).then(render, () => {});
    update();
  };
  const isCommand = (full) => run && keywords.some((each) => full.replace(/^not-/, "").startsWith(each.innerText));
  const begun = (full) => {
    const [, before, word] = full.match(/^(.*?)(\S*)$/s);
    const found = keywords.filter(({ innerText: each }) => run && word && each !== word && each.startsWith(word));
    return found.map(({ innerText, title }) => ({ label: before + innerText, hint: title, rest: before + innerText }));
  };
  const commands = (full) => {
    const whole = answers.values.filter(({ label }) => answers.full === full || label.startsWith(full));
    if (/\S:\S/.test(full) && isCommand(full) && !whole.some(({ label }) => label === full)) whole.push({ label: full });
    return [...begun(full), ...whole.map((each) => ({ ...each, rest: `${each.label} `, run: () => run(each.label) }))];
  };
  const groups = (typed) => {
    const words = typed.toLowerCase().split(/\s+/);
    const fits = ({ label }) => words.every((word) => label.toLowerCase().includes(word));
    const begins = ({ label }) => words.every((word) => ` ${label.toLowerCase()}`.includes(` ${word}`));
    const ranked = (found) => found.filter(fits).sort((one, other) => begins(other) - begins(one));
    const recent = [say.recent, visited().filter(typed ? begins : fits).slice(0, SOME)];
    if (!typed) return [recent, [say.here, deeds()], [say.go, goals()]];
    const sections = projects().flatMap(({ label, href }) =>
      all("i", content).map((each) => ({ label: `${label} · ${each.textContent}`, href: href + each.dataset.section })));
    return [
      [say.here, [...commands(inFull(typed)), ...ranked(deeds())]],
      recent,
      [say.go, ranked([...goals(), ...others, ...sections]).slice(0, SOME)],
      [say.people, ranked([...people].flatMap(([id, name]) => [
        { label: name, href: `${root}/users/${id}` },
        { label: `${name} · ${say.tickets}`, href: `${place()}/tickets?${new URLSearchParams({ q: `responsible:${id} state:open` })}` },
      ])).slice(0, SOME)],
      [say.search, [{ label: `${say.words}: ${typed}`, href: `${place()}/tickets?${new URLSearchParams({ q: typed })}` }]],
      [say.tickets, answers.tickets.filter((entry) => answers.typed === typed || fits(entry))],
    ];
  };

  const optionOf = ({ label, hint, icon, key }, at) => make("div", { id: `found-${at}`, role: "option" }, icon ?? "", make("bdi", { textContent: label }),
    make("bdi", { textContent: hint ?? "", className: "quiet" }), key ? make("kbd", { textContent: key }) : "");
  const options = () => all("[role=option]", list);
  const point = (at) => {
    chosen = at;
    options().forEach((option, index) => (option.ariaSelected = String(index === at)));
    input.setAttribute("aria-activedescendant", `found-${at}`);
    options()[at]?.scrollIntoView({ block: "nearest" });
  };
  const render = () => {
    const [before, seen] = [moved && entries[chosen].label, new Set()];
    entries = [];
    list.replaceChildren(...groups(input.value.trim()).map(([heading, found]) => {
      const fresh = found.filter(({ label, href = label }) => label && !seen.has(href) && seen.add(href));
      const shown = fresh.map((entry) => optionOf(entry, entries.push(entry) - 1));
      return shown.length ? make("div", { role: "group", ariaLabel: heading }, ...shown) : "";
    }));
    point(Math.max(0, entries.findIndex(({ label }) => label === before)));
  };

  const json = async (address, query) => {
    const answer = await fetch(`${address}?${new URLSearchParams(query)}`, { signal: sent.signal });
    spare(answer.headers);
    return answer.ok ? answer.json() : {};
  };
  // Values of the last command, each as the whole text; open and closed are no states to set.
  const valuesOf = async (full) => {
    const { suggestions = [] } = await json(`${place()}/query/suggest.json`, { q: full, caret: [...full].length, language: document.documentElement.lang });
    return suggestions.map(({ suggestion }) => suggestion).filter(({ kind }) => kind !== "value" || !/state:\S*$/.test(full))
      .map(({ text, description, start }) => ({ label: [...full].slice(0, start).join("") + text, hint: description }));
  };
  const ticketsOf = async (typed) => {
    const q = typed.replace(/(^|\s)\p{L}[\p{L}\p{N}]+$/u, "$&*");
    const { tickets = [] } = await json(`${/^#?\d+$/.test(typed) ? place() : root}/tickets.json`, { q, limit: SOME });
    return tickets.map(({ ticket: { number, title, project_id } }) => {
      const at = `${root}/projects/${project_id}`;
      return { label: `#${number} ${title}`, href: `${at}/tickets/${number}`, hint: projects().find(({ href }) => href === at)?.label };
    });
  };
  const ask = async (typed) => {
    const full = inFull(typed);
    const [acts, words] = [isCommand(full), begun(full)];
    const command = words.length === 1 ? words[0].label : acts && full;
    const [values, tickets] = await Promise.all([command ? valuesOf(command) : [], acts ? [] : ticketsOf(typed)]).catch(() => [[], []]);
    // What is being clicked stays where it is.
    while (list.matches(":active")) await new Promise(requestAnimationFrame);
    if (input.value.trim() !== typed || !dialog.open) return;
    answers = { typed, full, values, tickets };
    render();
  };
  const update = () => {
    clearTimeout(timer);
    sent?.abort();
    const typed = input.value.trim();
    [sent, moved] = [new AbortController(), false];
    ready = typed && new Promise((done) => (timer = setTimeout(() => ask(typed).then(done), pause())));
    render();
  };
  const complete = (text) => {
    input.value = text;
    update();
  };
  const choose = ({ rest, href, run: act = href && (() => go(href)) }) => {
    if (!act) return complete(rest);
    dialog.close();
    act();
  };

  input.addEventListener("focus", begin);
  input.addEventListener("input", update);
  // This event comes late: the palette may be open again.
  dialog.addEventListener("close", () => dialog.open || complete(""));
  input.addEventListener("keydown", async (event) => {
    const { key, isComposing, ctrlKey, metaKey, shiftKey } = event;
    const [{ value }, { rest }] = [input, entries[chosen]];
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    const completes = key === "Tab" && rest && !shiftKey;
    if (isComposing || ctrlKey || metaKey || !(step || key === "Enter" || completes)) return;
    event.preventDefault();
    moved ||= Boolean(step);
    if (step) return point((chosen + step + entries.length) % entries.length);
    if (completes) return complete(rest);
    // Enter takes the first value of a command, which comes from the server.
    if (!moved && isCommand(inFull(value.trim()))) await ready;
    if (dialog.open && input.value === value) choose(entries[chosen]);
  });
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", ({ target }) => {
    const option = target.closest("[role=option]");
    if (option) choose(entries[options().indexOf(option)]);
  });
});
