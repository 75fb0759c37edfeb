// Answers on their way to the server: one after the other, tried again, and kept by the browser until they are there.
"use strict";

// `words` are those of the page; `page` shows what becomes of the answers, and takes the state that the server tells.
function labelQueue(words, page) {
  const PAUSE_MS = [300, 1000, 2000, 5000];
  // The server will never take such an answer; whatever else goes wrong may pass.
  const FINAL = [400, 409, 413];
  // What is not saved yet, the oldest first; each also in the browser's storage, under a key of its own: tabs share it.
  const prefix = `adjudge/label/${words.run}/${encodeURIComponent(words.annotator)}/`;
  const waiting = [];
  let sending = null;
  let outdated = null;
  let failures = 0;
  let timer = 0;
  let goal = "";
  let refused = false;
  let latest = 0;

  // Keys are in the order in which the answers were given, also where two were in one moment.
  function newKey() {
    latest = Math.max(latest + 1, Date.now());
    return `${prefix}${String(latest).padStart(15, "0")}-${Math.random().toString(36).slice(2)}`;
  }

  function keep(one) {
    try {
      localStorage.setItem(one.key, JSON.stringify(one));
    } catch {
      // Without storage the answers wait in memory, and leaving the page warns.
    }
  }

  function drop(one) {
    const place = waiting.indexOf(one);
    if (place >= 0) waiting.splice(place, 1);
    try {
      localStorage.removeItem(one.key);
    } catch {
      // Nothing is kept there.
    }
  }

  function remember() {
    for (const key of Object.keys(localStorage).filter((one) => one.startsWith(prefix)).sort()) {
      try {
        const one = JSON.parse(localStorage.getItem(key));
        if (one.key === key && one.url.startsWith(words.base) && one.fields) waiting.push(one);
      } catch {
        localStorage.removeItem(key);
      }
    }
  }

  // What is on its way may still arrive, but is not tried again: it could come after the newer answer.
  function supersede(one) {
    if (sending && one === waiting[0]) outdated = one;
    else drop(one);
  }

  // Another tab has sent it, or has a newer answer to the same question.
  window.addEventListener("storage", (event) => {
    const one = event.newValue === null && waiting.find((each) => each.key === event.key);
    if (one) supersede(one);
  });

  // A newer answer takes the place of an older one to the same question.
  function send(field, value, what) {
    refused = false;
    const older = waiting.filter((one) => one.item === words.number && field in one.fields);
    const fields = { as: words.annotator, number: words.number, [field]: value };
    const one = { key: newKey(), item: words.number, url: words.url, fields, what };
    waiting.push(one);
    keep(one);
    older.forEach(supersede);
    flush();
  }

  async function flush() {
    clearTimeout(timer);
    sending ??= deliver().finally(() => {
      sending = null;
      if (waiting.length && !timer) flush();
      else if (goal && !waiting.length) location.assign(goal);
    });
    return sending;
  }

  async function deliver() {
    timer = 0;
    while (waiting.length) {
      const one = waiting[0];
      if (!failures && !refused) page.show(words.saving, "saving");
      let answer, state;
      try {
        answer = await post(one.url, one.fields);
        state = await answer.json().catch(() => null);
        if (answer.ok ? !state : !FINAL.includes(answer.status)) throw new Error(answer.statusText);
      } catch {
        failures += 1;
        if (one === outdated) drop(one);
        if (!waiting.length) break;
        again();
        return;
      }
      failures = 0;
      drop(one);
      if (!answer.ok) {
        goal = "";
        refused = true;
        page.show(page.said(words.refused, state?.error?.message ?? String(answer.status)), "bad");
        return;
      }
      if (one.item === words.number) page.update(state);
      if (!refused) page.show(page.said(words.saved, one.what), "saved");
    }
    // Other tabs have taken over what could not be sent here.
    if (failures) page.show("", "");
    failures = 0;
  }

  function post(url, fields) {
    const body = new URLSearchParams(fields);
    return fetch(url, { method: "POST", body, headers: { Accept: "application/json" } });
  }

  function again() {
    page.show(page.said(words.again, String(waiting.length)), "bad");
    timer = setTimeout(flush, PAUSE_MS[Math.min(failures, PAUSE_MS.length) - 1]);
  }

  // Go on at another page as soon as everything is saved.
  function thenTo(url) {
    goal = url;
    flush();
  }

  try {
    remember();
  } catch {
    // A browser that keeps nothing has nothing to bring back.
  }
  return { send, flush, post, thenTo, waiting };
}
