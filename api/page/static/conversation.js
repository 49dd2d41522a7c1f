// The questions and answers of this tab. They are kept in the tab alone and go with it.

const KEY = "conversation";
const MOST = 20;

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY)) ?? [];
  } catch {
    return []; // storage is off, or holds another program's text
  }
}

function write(turns) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(turns.slice(-MOST)));
  } catch {
    // full or off: this turn is on the page and will not outlast it
  }
}

let turns = read();
let settled = turns.length; // those that are listed above the form; the last one is shown below it

/** Keeps a question with its answer as HTML; the same one again takes the place of the last. */
export function add(question, html) {
  if (turns.at(-1)?.question === question) turns.pop();
  turns.push({ question, html });
  settled = turns.length - 1;
  write(turns);
}

/** Shows the last answer again, as after a reload. */
export function restore(reply) {
  const last = turns.at(-1);
  if (!last) return;
  settled = turns.length - 1;
  reply.innerHTML = last.html;
}

/** Puts all turns above the form, as another question begins. */
export function settle() {
  settled = turns.length;
}

/** Lists the earlier turns, each of which can be opened. */
export function list(details) {
  const earlier = turns.slice(0, settled);
  details.hidden = earlier.length === 0;
  details.querySelector("summary").textContent =
    `${earlier.length} earlier question${earlier.length === 1 ? "" : "s"}`;
  const items = earlier.map(({ question, html }) => turn(question, html));
  details.querySelector("ol").replaceChildren(...items);
}

function turn(question, html) {
  const item = document.createElement("li");
  if (!html) {
    const link = document.createElement("a");
    link.href = `/?${new URLSearchParams({ q: question })}`;
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
    const holder = document.createElement("template");
    holder.innerHTML = html;
    const given = holder.content.firstElementChild;
    given.setAttribute("aria-label", `Earlier: ${question}`);
    given.querySelector(".asked")?.classList.add("sr"); // the summary says it
    given.querySelector("footer")?.remove();
    opened.append(given);
  });
  item.append(opened);
  return item;
}

export function questions() {
  return turns.map(({ question }) => question);
}

export function last() {
  return turns.at(-1)?.question ?? "";
}

export function size() {
  return turns.length;
}

export function clear() {
  turns = [];
  settled = 0;
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // storage is off: nothing was kept
  }
}
