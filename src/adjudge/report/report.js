// Sorts, searches and pages the items of a report. The page can be read without it: it makes its own controls.
// Content is only ever put into the page as text.
"use strict";
(() => {
  const list = document.querySelector(".items");
  if (!list) return;
  const say = JSON.parse(list.dataset.words);
  const PAGE = 50;
  // Paper has no pages to turn: so many items are printed at once, and of more than these the page that is open.
  const PRINTED = 1000;
  const rows = Array.from(list.children, (node, place) => ({
    node,
    place,
    id: node.querySelector(".name").textContent,
    text: null,
    failed: node.classList.contains("failed"),
    scores: (node.dataset.scores || "").split(" ").map((one) => (one === "" || one === "-" ? null : Number(one))),
    flags: node.dataset.flags ? node.dataset.flags.split("|") : [],
  }));
  const byAnchor = new Map(rows.map((row) => [row.node.id, row]));
  const compare = new Intl.Collator(document.documentElement.lang, { numeric: true }).compare;
  const state = { by: "worst", down: false, search: "", filter: "", page: 0 };
  let found = rows;
  let chosen = null;

  const make = (name, text, attributes = {}) => {
    const made = document.createElement(name);
    if (text) made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const fill = (text, values) => text.replace(/\$(\w+)/g, (_, name) => values[name]);
  const number = (value) => value.toLocaleString(document.documentElement.lang);
  const bar = () => (/^#bar-\d+-\d+$/.test(location.hash) ? "b" + location.hash.slice(5) : "");

  const value = (row) => {
    if (state.by !== "worst") return row.scores[state.by] ?? null;
    return row.scores.some((one) => one !== null) ? row.place : null;
  };
  // An item without a score stands last in both directions: it is neither good nor bad.
  const sorted = (some) => {
    const way = state.down ? -1 : 1;
    return some.sort((one, other) => {
      if (state.by === "id") return way * compare(one.id, other.id) || one.place - other.place;
      const a = value(one);
      const b = value(other);
      if (a === null || b === null) return (a === null) - (b === null) || one.place - other.place;
      return way * (a - b) || one.place - other.place;
    });
  };

  const wanted = (row, name, words) => {
    if (name && !row.node.classList.contains(name)) return false;
    if (state.filter === "failed" ? !row.failed : state.filter && !row.flags.includes(state.filter.slice(1))) return false;
    if (!words.length) return true;
    row.text ??= row.node.textContent.toLowerCase();
    return words.every((word) => row.text.includes(word));
  };

  const choose = () => {
    const name = (chosen = bar());
    const words = state.search.toLowerCase().split(/\s+/).filter(Boolean);
    found = sorted(rows.filter((row) => wanted(row, name, words)));
    state.page = 0;
    show();
  };

  const pages = () => Math.max(1, Math.ceil(found.length / PAGE));
  const lay = (first, last) => list.replaceChildren(...found.slice(first, last).map((row) => row.node));
  const show = () => {
    const first = state.page * PAGE;
    lay(first, first + PAGE);
    pager.hidden = pages() === 1;
    count.textContent = fill(say.page, { page: number(state.page + 1), pages: number(pages()) });
    previous.disabled = first_.disabled = state.page === 0;
    next.disabled = last_.disabled = state.page === pages() - 1;
    for (const [by, button] of buttons) {
      const on = String(by) === String(state.by);
      button.setAttribute("aria-pressed", String(on));
      button.lastChild.textContent = on && by !== "worst" ? (state.down ? " ↓" : " ↑") : "";
    }
    buttons.get("worst").firstChild.textContent = state.by === "worst" && state.down ? say.best : say.worst;
    const order = buttons.get(state.by).firstChild.textContent;
    const way = state.by === "worst" ? order : order + ", " + (state.down ? say.down : say.up);
    status.textContent =
      fill(say.found, { n: number(found.length), of: number(rows.length) }) + " " + fill(say.sorted, { by: way });
    reset.hidden = !(state.search || state.filter || bar());
  };
  const turn = (page) => {
    state.page = Math.min(Math.max(page, 0), pages() - 1);
    show();
    list.scrollIntoView({ block: "start" });
    (list.firstElementChild?.querySelector("summary") ?? list).focus({ preventScroll: true });
  };
  const open = (row) => {
    state.search = search.value = state.filter = filter.value = "";
    state.by = "worst";
    state.down = false;
    choose();
    state.page = Math.floor(row.place / PAGE);
    show();
    if (row.node.tagName === "DETAILS") row.node.open = true;
    else row.node.tabIndex = -1;
    row.node.scrollIntoView({ block: "start" });
    (row.node.querySelector("summary") ?? row.node).focus({ preventScroll: true });
  };
  const follow = () => {
    const row = byAnchor.get(location.hash.slice(1));
    if (row) open(row);
    else if (chosen !== bar()) choose();
  };

  const buttons = new Map();
  const sorting = make("div", "", { class: "sorting", role: "group", "aria-label": say.sort });
  sorting.append(make("span", say.sort, { class: "soft small", "aria-hidden": "true" }));
  const offer = (by, title, better = "higher") => {
    const button = make("button", "", { type: "button", "aria-pressed": "false" });
    button.append(make("span", title), make("span", "", { "aria-hidden": "true" }));
    button.addEventListener("click", () => {
      // the worst end first, and the other on a second press
      state.down = state.by === by ? !state.down : better === "lower";
      state.by = by;
      choose();
    });
    buttons.set(by, button);
    sorting.append(button);
  };
  offer("worst", say.worst);
  say.measures.forEach(([title, better], place) => offer(place, title, better));
  offer("id", say.id);

  const search = make("input", "", { type: "search", id: "items-search", autocomplete: "off", spellcheck: "false" });
  search.addEventListener("input", () => {
    state.search = search.value;
    choose();
  });
  const filter = make("select", "", { id: "items-filter" });
  filter.append(make("option", say.all, { value: "" }));
  const failures = rows.filter((row) => row.failed).length;
  if (failures) filter.append(make("option", say.failed + " (" + number(failures) + ")", { value: "failed" }));
  const counts = new Map();
  for (const row of rows) for (const flag of row.flags) counts.set(flag, (counts.get(flag) ?? 0) + 1);
  for (const [flag, n] of Array.from(counts).sort((one, other) => other[1] - one[1])) {
    const told = Object.hasOwn(say.flags, flag) ? say.flags[flag] : flag;
    filter.append(make("option", told + " (" + number(n) + ")", { value: "f" + flag }));
  }
  filter.addEventListener("change", () => {
    state.filter = filter.value;
    choose();
  });
  const reset = make("button", say.reset, { type: "button" });
  reset.addEventListener("click", () => {
    state.search = search.value = state.filter = filter.value = "";
    if (bar()) location.hash = "#items";
    else choose();
    search.focus();
  });
  const narrowing = make("div", "", { class: "narrowing" });
  const labelled = (title, control) => {
    const label = make("label", title, { for: control.id });
    const pair = make("div", "");
    pair.append(label, control);
    narrowing.append(pair);
  };
  labelled(say.search, search);
  if (filter.options.length > 1) labelled(say.show, filter);
  narrowing.append(reset);

  const status = make("p", "", { class: "soft small", role: "status" });
  const pager = make("nav", "", { class: "pager", "aria-label": say.pages });
  const step = (sign, title, act) => {
    const button = make("button", sign, { type: "button", "aria-label": title, title });
    button.addEventListener("click", act);
    pager.append(button);
    return button;
  };
  const first_ = step("«", say.first, () => turn(0));
  const previous = step("‹", say.previous, () => turn(state.page - 1));
  const count = make("span", "");
  pager.append(count);
  const next = step("›", say.next, () => turn(state.page + 1));
  const last_ = step("»", say.last, () => turn(pages() - 1));

  const controls = make("div", "", { class: "controls" });
  controls.append(sorting, narrowing, status);
  list.tabIndex = -1;
  list.before(controls);
  list.after(pager);
  window.addEventListener("hashchange", follow);
  // a link to where the address points already changes nothing in it, though the item may be on another page by now
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#item-']");
    if (!link || link.hash !== location.hash) return;
    event.preventDefault();
    follow();
  });
  window.addEventListener("beforeprint", () => {
    if (found.length > PRINTED) return;
    lay(0, found.length);
    pager.hidden = true;
  });
  window.addEventListener("afterprint", show);
  follow();
})();
