// Answers on their way to the server: one after the other, tried again, and kept by the browser until they are there.
"use strict";

// `words` are those of the page; `page` shows what becomes of the answers, and takes the state that the server tells.
function labelQueue(words, page) {
  const PAUSE_MS = [300, 1000, 2000, 5000];
  const KEPT_MAX = 500;
  // The server will never take such an answer; whatever else goes wrong may pass.
  const FINAL = [400, 409, 413];
  // What is not saved yet, the oldest first; the same in the browser's storage, a key for each item.
  const prefix = `adjudge/label/${words.run}/${encodeURIComponent(words.annotator)}/`;
  const waiting = [];
  let sending = null;
  let failures = 0;
  let timer = 0;
  let goal = "";

  function keep(item) {
    const own = waiting.filter((one) => one.item === item).slice(-KEPT_MAX);
    try {
      if (own.length) localStorage.setItem(prefix + item, JSON.stringify(own));
      else localStorage.removeItem(prefix + item);
    } catch {
      // Without storage the answers wait in memory, and leaving the page warns.
    }
  }

  function remember() {
    for (const name of Object.keys(localStorage).filter((one) => one.startsWith(prefix))) {
      try {
        for (const one of JSON.parse(localStorage.getItem(name))) {
          if (typeof one.url === "string" && one.url.startsWith(words.base) && one.fields) waiting.push(one);
        }
      } catch {
        localStorage.removeItem(name);
      }
    }
  }

  // A newer answer takes the place of an older one to the same question, unless that is on its way.
  function send(field, value, what) {
    const from = sending ? 1 : 0;
    for (let place = waiting.length - 1; place >= from; place -= 1) {
      const one = waiting[place];
      if (one.item === words.number && one.fields[field] !== undefined) waiting.splice(place, 1);
    }
    const fields = { as: words.annotator, number: words.number, [field]: value };
    waiting.push({ item: words.number, url: words.url, fields, what });
    keep(words.number);
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
      if (!failures) page.show(words.saving, "saving");
      let answer, state;
      try {
        answer = await post(one.url, one.fields);
        state = await answer.json().catch(() => null);
        if (answer.ok ? !state : !FINAL.includes(answer.status)) throw new Error(answer.statusText);
      } catch {
        again();
        return;
      }
      failures = 0;
      waiting.shift();
      keep(one.item);
      if (!answer.ok) {
        goal = "";
        page.show(page.said(words.refused, state?.error?.message ?? String(answer.status)), "bad");
        return;
      }
      if (one.item === words.number) page.update(state);
      page.show(page.said(words.saved, one.what), "saved");
    }
  }

  function post(url, fields) {
    const body = new URLSearchParams(fields);
    return fetch(url, { method: "POST", body, headers: { Accept: "application/json" } });
  }

  function again() {
    page.show(page.said(words.again, String(waiting.length)), "bad");
    timer = setTimeout(flush, PAUSE_MS[Math.min(failures, PAUSE_MS.length - 1)]);
    failures += 1;
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
