// The questions and answers of this tab, kept in it alone.
// An entry of the history names its turn, which Back shows unasked.

const KEY = "conversation";
const MOST = 20;
const NAMED = 3; // questions before a follow-up that its address names

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY)) ?? [];
  } catch {
    return []; // storage is off, or holds another program's text
  }
}

function write() {
  try {
    if (turns.length) sessionStorage.setItem(KEY, JSON.stringify(turns.slice(-MOST)));
    else sessionStorage.removeItem(KEY);
  } catch {
    // full or off: this turn will not outlast the page
  }
}

let turns = read();
let current = 0; // the id of the turn below the form, also while it is answered; 0 for none
let asked = ""; // its question
let earlier = 0; // so many turns are listed above the form

function place(id) {
  return turns.findIndex((turn) => turn.id === id);
}

/** Tells which turn is below the form; 0 for none. */
export function shown() {
  return current;
}

/** Goes to a kept turn and returns it; 0 is the empty page. */
export function open(id) {
  const at = place(id);
  if (id && at < 0) return null;
  current = id;
  earlier = id ? at : 0;
  asked = turns[at]?.question ?? "";
  return turns[at] ?? { html: "" };
}

export function again(question) {
  return current > 0 && asked === question;
}

/** Begins a turn behind the shown one; the same question takes its place. */
export function begin(question) {
  const at = place(current);
  if (at >= 0) earlier = again(question) ? at : at + 1;
  asked = question;
  current = Date.now(); // no id of an older history entry
  return current;
}

export function follow() {
  earlier = turns.length;
  current = Date.now();
  return current;
}

/** Keeps the answer of the turn that was begun; what came after it is gone. */
export function keep(question, html) {
  asked = question;
  turns = [...turns.slice(0, earlier), { id: current, question, html }];
  write();
}

export function renew(question, html) {
  asked = question;
  Object.assign(turns[place(current)], { question, html });
  write();
}

export function carried(questions) {
  turns = questions.map((question, at) => ({ id: at + 1, question, html: "" }));
}

export function list(details) {
  details.hidden = earlier === 0;
  details.querySelector("summary").textContent = `${earlier} earlier question${earlier === 1 ? "" : "s"}`;
  const items = turns.slice(0, earlier).map(turn);
  details.querySelector("ol").replaceChildren(...items);
}

function turn({ question, html }, at) {
  const item = document.createElement("li");
  if (!html) {
    const link = document.createElement("a");
    link.href = address(question, questions().slice(0, at));
    link.textContent = question;
    item.append(link);
    return item;
  }
  const opened = document.createElement("details");
  const summary = document.createElement("summary");
  item.className = "turn";
  summary.textContent = question;
  opened.append(summary);
  opened.addEventListener("toggle", () => {
    if (opened.childElementCount > 1) return;
    const given = made(html);
    given.setAttribute("aria-label", `Earlier: ${question}`);
    given.querySelector(".asked")?.classList.add("sr"); // the summary says it
    given.querySelector("footer")?.remove();
    opened.append(given);
  });
  item.append(opened);
  return item;
}

/** Returns an answer's element, of HTML that the server escaped. */
export function made(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  return holder.content.firstElementChild;
}

/** Returns the address of a question that follows those `before`. */
export function address(question, before) {
  const named = before.slice(-NAMED).map((one) => ["before", one]);
  return `/?${new URLSearchParams([["q", question], ...named])}`;
}

/** Returns the questions before the one that was begun. */
export function questions() {
  return turns.slice(0, earlier).map(({ question }) => question);
}

export function last() {
  return turns.at(-1)?.question ?? "";
}

export function clear() {
  turns = [];
  current = earlier = 0;
  write();
}
