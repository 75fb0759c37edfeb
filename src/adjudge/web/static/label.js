// The label page by keyboard: digits answer, letters act, and every answer is sent at once.
/* global labelQueue */
"use strict";
(() => {
  const desk = document.getElementById("desk");
  if (!desk) return;
  const form = document.getElementById("sheet");
  const words = desk.dataset;
  const help = document.getElementById("help");
  const verdict = document.getElementById("verdict");
  const reveal = document.getElementById("reveal");
  const final = document.getElementById("final");
  const comment = document.getElementById("comment");
  const cells = [...form.querySelectorAll(".l-cell")];
  const across = Number(words.across);
  const TYPING_MS = 800;
  const said = (text, what) => text.replace("$what", () => what);

  let now = 0;

  const status = document.getElementById("status");
  function show(text, kind) {
    status.textContent = text;
    status.dataset.kind = kind;
  }

  function update(state) {
    document.getElementById("bar").value = state.done;
    document.getElementById("done").textContent = state.progress;
    reveal.hidden = final.hidden = !state.answered;
    form.classList.toggle("l-complete", state.complete);
  }

  const queue = labelQueue(words, { show, said, update });

  function go(url) {
    if (!url) return;
    commit();
    queue.thenTo(url);
  }

  // Cells: one for each criterion, and for each candidate of a comparison, row by row.
  const field = (cell) => cell.querySelector("input[type=number]");
  const chosen = (cell) => {
    const picked = cell.querySelector("input:checked");
    return picked ? picked.value : (field(cell)?.value ?? "");
  };
  const open = () => cells.filter((cell) => chosen(cell) === "");

  function mark(place) {
    now = place;
    const cell = cells[place];
    for (const one of cells) one.classList.toggle("l-now", one === cell);
    for (const one of form.querySelectorAll("[data-of]")) {
      one.classList.toggle("l-now", one.dataset.of === cell.dataset.criterion);
    }
    paint();
  }

  function paint() {
    const value = chosen(cells[now]);
    for (const line of form.querySelectorAll(".l-explain.l-now [data-value]")) {
      line.classList.toggle("l-chosen", line.dataset.value === value);
    }
  }

  function enter(place, { still = false } = {}) {
    if (place < 0 || place >= cells.length) return;
    mark(place);
    const cell = cells[place];
    const target = field(cell) ?? cell.querySelector("input:checked") ?? cell.querySelector("input");
    target.focus({ preventScroll: still });
    if (field(cell)) target.select();
    if (!still) cell.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  function answered(cell, value) {
    const shown = value === words.skip ? words.skipped : value;
    cell.dataset.sent = value;
    paint();
    queue.send(cell.dataset.name, value, `${cell.dataset.title}: ${shown}`);
  }

  function choose(value) {
    const cell = cells[now];
    if (cell.disabled) {
      show(words.final, "bad");
      return;
    }
    const input = [...cell.querySelectorAll("input")].find((one) => one.type !== "number" && one.value === value);
    if (!input) {
      show(said(words.outside, cell.dataset.scale), "bad");
      return;
    }
    input.checked = true;
    const typed = field(cell);
    if (typed) typed.value = "";
    answered(cell, value);
    onward();
  }

  function onward() {
    if (now + 1 < cells.length) enter(now + 1);
    else enter(now);
  }

  // A number or a comment that is being typed is sent after a pause, and whenever the field is left.
  let typing = 0;
  function commit() {
    clearTimeout(typing);
    for (const cell of cells) {
      const typed = field(cell);
      if (typed && typed.value !== "" && typed.value !== cell.dataset.sent) {
        if (!typed.checkValidity()) {
          show(said(words.outside, cell.dataset.scale), "bad");
          continue;
        }
        cell.querySelector("input[type=checkbox]").checked = false;
        answered(cell, typed.value);
      }
    }
    if (comment.value !== comment.dataset.sent) {
      comment.dataset.sent = comment.value;
      queue.send("comment", comment.value, words.comment);
    }
  }

  form.addEventListener("input", (event) => {
    if (event.target === comment || event.target.type === "number") {
      clearTimeout(typing);
      typing = setTimeout(commit, TYPING_MS);
    }
  });

  form.addEventListener("change", (event) => {
    const cell = event.target.closest(".l-cell");
    if (event.target.type === "radio") answered(cell, event.target.value);
    else if (event.target.type === "checkbox") {
      // What was answered stays answered: only undo takes it back.
      event.target.checked = true;
      field(cell).value = "";
      answered(cell, event.target.value);
    } else commit();
  });

  comment.dataset.sent = comment.value;
  const follow = (event) => {
    const place = cells.indexOf(event.target.closest(".l-cell"));
    if (place >= 0 && place !== now) mark(place);
  };
  form.addEventListener("focusin", follow);
  form.addEventListener("click", (event) => {
    follow(event);
    const line = event.target.closest(".l-explain.l-now [data-value]");
    if (line) choose(line.dataset.value);
  });

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    next();
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-go]");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(link.href);
  });

  function next() {
    commit();
    const left = open();
    if (left.length) {
      show(said(words.missing, left.map((cell) => cell.dataset.title).join(", ")), "bad");
      enter(cells.indexOf(left[0]));
    } else go(words.onward);
  }

  async function undo() {
    commit();
    await queue.flush();
    if (queue.waiting.length) return;
    try {
      const answer = await queue.post(words.undo, { as: words.annotator });
      const { address, error } = await answer.json();
      if (address) location.assign(address);
      else show(error ? error.message : words.nothing, "bad");
    } catch {
      show(words.unreachable, "bad");
    }
  }

  function toggle() {
    if (verdict.childElementCount) verdict.hidden = !verdict.hidden;
    else if (reveal.hidden) show(words.early, "bad");
    else reveal.click();
  }

  // Undone elsewhere, perhaps: the server refuses as long as anything is open.
  reveal.addEventListener("htmx:responseError", () => show(words.early, "bad"));
  reveal.addEventListener("htmx:sendError", () => show(words.unreachable, "bad"));
  verdict.addEventListener("htmx:afterSwap", () => {
    if (verdict.querySelector("table")) {
      for (const cell of cells) cell.disabled = true;
      final.textContent = words.final;
    }
    verdict.scrollIntoView({ block: "nearest" });
  });

  const link = (name) => document.getElementById(name)?.href;
  const move = (step) => enter(now + step);
  const acts = {
    j: () => go(link("next")),
    k: () => go(link("previous")),
    s: () => choose(words.skip),
    u: undo,
    c: () => comment.focus(),
    v: toggle,
    "?": () => help.showModal(),
    ArrowUp: () => move(-across),
    ArrowDown: () => move(across),
  };
  if (across > 1) Object.assign(acts, { ArrowLeft: () => move(-1), ArrowRight: () => move(1) });

  // Letters by their place on the keyboard where another script than Latin is typed.
  function named(event) {
    if (event.key.length > 1) return event.key;
    if (/^[\x21-\x7e]$/.test(event.key)) return event.shiftKey ? event.key : event.key.toLowerCase();
    if (event.shiftKey) return "";
    return /^Key[A-Z]$/.test(event.code) ? event.code.slice(3).toLowerCase() : "";
  }

  function pressed(event) {
    if (event.isComposing || event.keyCode === 229 || event.ctrlKey || event.altKey || event.metaKey) return;
    if (help.open || event.defaultPrevented) return;
    const target = event.target;
    if (target === comment) {
      if (event.key === "Escape") enter(now);
      return;
    }
    const key = named(event);
    // A key that is held down would answer everything alike.
    if (event.repeat && !key.startsWith("Arrow")) return;
    if (key === "Enter" && !target.closest("a, button, summary")) {
      event.preventDefault();
      if (target.type === "number" && target.value !== cells[now].dataset.sent) {
        commit();
        if (target.value !== "" && target.checkValidity()) onward();
      } else next();
    } else if (/^[0-9]$/.test(key)) {
      if (field(cells[now])) {
        if (target !== field(cells[now])) enter(now);
        return;
      }
      event.preventDefault();
      choose(key);
    } else if (acts[key] && !(key.startsWith("Arrow") && target.closest("[data-scrolls]"))) {
      event.preventDefault();
      acts[key]();
    }
  }
  document.addEventListener("keydown", pressed);

  for (const name of ["help", "undo"]) {
    document.getElementById(`${name}-button`).addEventListener("click", (event) => {
      event.preventDefault();
      if (name === "help") help.showModal();
      else undo();
    });
  }

  window.addEventListener("beforeunload", (event) => {
    commit();
    if (queue.waiting.length) event.preventDefault();
  });
  // A page that the browser kept whole shows what was so when it was left.
  window.addEventListener("pageshow", (event) => event.persisted && location.reload());
  document.addEventListener("visibilitychange", () => document.hidden && commit());
  for (const name of ["online", "focus"]) window.addEventListener(name, queue.flush);

  // Answers of before a reload that the server does not have yet are shown as given, and sent.
  function restore() {
    for (const one of queue.waiting.filter((entry) => entry.item === words.number)) {
      if (one.fields.comment !== undefined) comment.value = comment.dataset.sent = one.fields.comment;
      for (const cell of cells) {
        const value = one.fields[cell.dataset.name];
        if (value === undefined) continue;
        const input = [...cell.querySelectorAll("input")].find((each) => each.type !== "number" && each.value === value);
        if (input) input.checked = true;
        else if (field(cell)) field(cell).value = value;
        cell.dataset.sent = value;
      }
    }
  }

  desk.classList.add("l-live");
  for (const part of document.querySelectorAll("[data-live]")) part.hidden = false;
  for (const part of document.querySelectorAll("[data-plain]")) part.hidden = true;
  restore();
  const left = open();
  mark(left.length ? cells.indexOf(left[0]) : 0);
  // The texts are read first: in a narrow window the form stands below them.
  if (matchMedia("(pointer: fine)").matches) enter(now, { still: true });
  queue.flush();
})();
