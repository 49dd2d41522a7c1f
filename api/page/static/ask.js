// Asking: the form, its address in the history, and the answer.
import * as answer from "./answer.js";
import * as conversation from "./conversation.js";
import * as progress from "./progress.js";
import * as source from "./source.js";
import { events } from "./sse.js";

const desk = document.querySelector(".desk");
const form = document.querySelector(".ask");
const field = form?.querySelector("textarea");
const reply = document.querySelector(".reply");
let running = null; // the AbortController of the question that is being answered
let asked = ""; // last, for the arrow up
const STOPPED = "Stopped. What had come was not checked, so it is not shown.";
const name = document.querySelector(".brand").textContent;

export function begin() {
  loaded();
  asked = conversation.last();
  show();
  addEventListener("popstate", moved);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask(field.value);
  });
  form.querySelector(".stop").addEventListener("click", () => running?.abort("stopped"));
  field.addEventListener("keydown", keyed);
  field.addEventListener("input", grow);
  document.addEventListener("keydown", shortcut);
  document.addEventListener("click", clicked);
  document.querySelector(".again").addEventListener("submit", (event) => {
    event.preventDefault();
    renew();
  });
}

/** Takes over what the server rendered; a reload renders a turn that is kept. */
function loaded() {
  const before = [...form.querySelectorAll("[name=before]")];
  for (const one of before) one.remove();
  const given = reply.querySelector(".answer");
  if (!given) return;
  const question = given.querySelector(".asked").textContent;
  if (history.state?.turn && conversation.open(history.state.turn)) {
    return conversation.renew(question, given.outerHTML);
  }
  if (!conversation.last()) conversation.carried(before.slice(0, -1).map((one) => one.value));
  history.replaceState({ ...history.state, turn: conversation.follow() }, "");
  conversation.keep(question, given.outerHTML);
}

/** Back and Forward: the turn of this address, as it was answered. */
function moved() {
  const inside = !history.state && new URL(location.href).searchParams.has("q");
  if (inside) return history.replaceState({ turn: conversation.shown() }, ""); // a "#" of this page
  const turn = history.state?.turn ?? 0;
  if (turn === conversation.shown()) return;
  leave("left");
  const kept = conversation.open(turn);
  if (!kept || (turn && !kept.html)) return location.reload(); // it was not answered, or not kept
  reply.innerHTML = kept.html;
  named(kept.question);
  progress.tell(reply.querySelector(".answer"), "");
  show();
}

function leave(reason) {
  running?.abort(reason);
  running = null;
  busy(false);
}

function named(question) {
  document.title = question ? `${question} · ${name}` : name;
}

function keyed(event) {
  if (event.isComposing) return;
  if (event.key === "Enter" && !event.shiftKey) {
    event.preventDefault();
    ask(field.value);
  } else if (event.key === "ArrowUp" && !field.value) {
    event.preventDefault();
    fill(asked);
  }
}

function shortcut(event) {
  const typing = event.target.closest?.("input, textarea");
  if (event.key === "Escape" && running) {
    event.preventDefault();
    running.abort("stopped");
  } else if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    field.focus();
  }
}

function clicked(event) {
  if (event.target.closest(".retry")) ask(event.target.closest(".answer").dataset.asked);
  const link = event.target.closest("a.correct, .tries a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  ask(new URL(link.href).searchParams.get("q"), link.matches(".correct"));
}

function fill(text) {
  field.value = text;
  field.setSelectionRange(text.length, text.length);
  grow();
}

function grow() {
  if (!CSS.supports("field-sizing", "content")) field.rows = Math.min(6, field.value.split("\n").length);
}

function renew() {
  leave("renewed");
  conversation.clear();
  reply.replaceChildren();
  history.pushState(null, "", "/");
  source.leave();
  named("");
  fill("");
  show();
  field.focus();
}

function show() {
  conversation.list(document.querySelector(".earlier"));
  desk.classList.toggle("begun", reply.childElementCount > 0);
  answer.begin(reply);
}

async function ask(text, alone = false) {
  const question = text.trim();
  if (!question) return field.focus();
  if (running) conversation.keep(asked, ""); // it can be asked again
  asked = question;
  running?.abort("another");
  const mine = (running = new AbortController());
  const height = reply.offsetHeight;
  goes(question);
  const before = alone ? [] : conversation.questions();
  const section = progress.working(question, height);
  reply.replaceChildren(section);
  fill("");
  if (matchMedia("(pointer: coarse)").matches) field.blur(); // its keyboard would cover the answer
  busy(true);
  show();
  try {
    await stream(section, question, before, mine.signal);
  } catch (error) {
    if (running !== mine) return;
    progress.failed(section, question, mine.signal.aborted ? STOPPED : progress.told(error));
    if (error.isRefused) fill(question); // to be changed
    else conversation.keep(question, "");
  } finally {
    if (running === mine) {
      running = null;
      busy(false);
    }
  }
}

function goes(question) {
  const again = conversation.again(question);
  const state = { turn: conversation.begin(question) };
  const address = conversation.address(question, []);
  if (again) history.replaceState(state, "", address);
  else history.pushState(state, "", address);
  source.leave();
  named(question);
}

async function stream(section, question, before, signal) {
  const response = await fetch("/page/ask", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ question, history: before.slice(-20) }),
    signal,
  });
  if (!response.ok) throw await progress.problem(response);
  for await (const { name, data } of events(response)) {
    if (name === "found") progress.step(section, `Reading ${data.passages} passage${data.passages === 1 ? "" : "s"} …`);
    else if (name === "draft") progress.drafted(section, data);
    else if (name === "error") throw new Error(data.detail);
    else if (name === "answer") return finished(section, question, before, data);
  }
  throw new Error("The connection broke before the answer was checked, so there is none.");
}

function finished(section, question, before, { html, state }) {
  const given = conversation.made(html);
  progress.strike(section, given);
  const kept = section.style.minHeight;
  section.replaceWith(given);
  conversation.keep(question, given.outerHTML);
  if (given.querySelector(".understood")) history.replaceState(history.state, "", conversation.address(question, before));
  given.style.minHeight = kept; // until the next question: what stands below stays there
  progress.tell(given, state);
  show();
}

function busy(is) {
  const stop = form.querySelector(".stop");
  const go = form.querySelector(".go");
  const held = document.activeElement === go || document.activeElement === stop;
  go.hidden = is;
  stop.hidden = !is;
  if (held && (is || !matchMedia("(pointer: coarse)").matches)) (is ? stop : field).focus();
}
