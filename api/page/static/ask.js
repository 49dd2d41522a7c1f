// Asking: the form, the steps of a reply, its draft, and what is said where none comes.
import * as answer from "./answer.js";
import * as conversation from "./conversation.js";
import * as source from "./source.js";
import { events } from "./sse.js";

const desk = document.querySelector(".desk");
const form = document.querySelector(".ask");
const field = form?.querySelector("textarea");
const reply = document.querySelector(".reply");
let running = null; // the AbortController of the question that is being answered
let asked = ""; // last, for the arrow up
let alone = false; // the next question stands by itself: it was corrected
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
  field.addEventListener("input", typed);
  document.addEventListener("keydown", shortcut);
  document.addEventListener("click", clicked);
  const fresh = document.querySelector(".again");
  fresh.addEventListener("submit", (event) => {
    event.preventDefault();
    renew();
  });
}

/** Takes over what the server rendered; a reload renders a turn that is kept already. */
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
  if (turn === conversation.shown()) return; // a source has come or gone
  leave("left");
  const kept = conversation.open(turn);
  if (!kept || (turn && !kept.html)) return location.reload(); // it was not answered, or not kept
  reply.innerHTML = kept.html;
  named(kept.question);
  tell(reply.querySelector(".answer"), "");
  show();
}

/** Ends the question that is being answered, without a word about it. */
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
  const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
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
  const correct = event.target.closest("a.correct");
  const tried = event.target.closest(".tries a");
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (correct) {
    event.preventDefault();
    alone = true;
    fill(new URL(correct.href).searchParams.get("draft"));
    field.focus();
  } else if (tried) {
    event.preventDefault();
    ask(tried.textContent);
  }
}

function typed() {
  if (!field.value) alone = false; // another question may follow the one before
  grow();
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
  alone = false;
  fill("");
  show();
  field.focus();
}

function show() {
  conversation.list(document.querySelector(".earlier"));
  desk.classList.toggle("begun", reply.childElementCount > 0);
  answer.begin(reply);
}

async function ask(text) {
  const question = text.trim();
  if (!question) return field.focus();
  asked = question;
  running?.abort("another");
  const mine = (running = new AbortController());
  const height = reply.offsetHeight;
  goes(question);
  const before = alone ? [] : conversation.questions();
  alone = false;
  const section = working(question, height);
  try {
    await stream(section, question, before, mine.signal);
  } catch (error) {
    if (running === mine) failed(section, question, mine.signal.aborted ? stopped() : told(error));
  } finally {
    if (running === mine) {
      running = null;
      busy(false);
    }
  }
}

/** Gives a question its address; asked once more it keeps the one it has. */
function goes(question) {
  const again = conversation.again(question);
  const state = { turn: conversation.begin(question) };
  const address = `/?${new URLSearchParams({ q: question })}`;
  if (again) history.replaceState(state, "", address);
  else history.pushState(state, "", address);
  source.leave();
  named(question);
}

/** Shows that a question is worked on, as high as what it replaces: nothing jumps below it. */
function working(question, height) {
  const section = made("working");
  section.querySelector(".asked").textContent = question;
  section.style.minHeight = `${Math.max(height, innerHeight / 2)}px`;
  reply.replaceChildren(section);
  fill("");
  busy(true);
  show();
  return section;
}

async function stream(section, question, before, signal) {
  const response = await fetch("/page/ask", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ question, history: before.slice(-20) }),
    signal,
  });
  if (!response.ok) throw await problem(response);
  for await (const { name, data } of events(response)) {
    if (name === "found") step(section, `Reading ${data.passages} passage${data.passages === 1 ? "" : "s"} …`);
    else if (name === "draft") drafted(section, data);
    else if (name === "error") throw new Error(data.detail);
    else if (name === "answer") return finished(section, question, data);
  }
  throw new Error("The connection broke before the answer was checked, so there is none.");
}

function step(section, words) {
  section.querySelector(".step").textContent = words;
}

function drafted(section, { text, attempt }) {
  const words = section.querySelector(".words");
  if (words.dataset.attempt !== String(attempt)) words.textContent = "";
  words.dataset.attempt = attempt;
  words.append(text);
  section.querySelector(".draft").hidden = false;
  step(section, attempt > 1 ? "Writing once more: the first draft said too much …" : "Checking each sentence …");
}

function finished(section, question, { html, state }) {
  const holder = document.createElement("template");
  holder.innerHTML = html; // made and escaped by this server
  const given = holder.content.firstElementChild;
  const kept = section.style.minHeight;
  section.replaceWith(given);
  conversation.keep(question, given.outerHTML);
  settled(given);
  given.style.minHeight = kept; // until the next question: what stands below stays there
  tell(given, state);
  show();
}

/** The address becomes the answer's own link: a follow-up's is the question as it was understood. */
function settled(given) {
  const now = new URL(location.href);
  now.searchParams.set("q", new URL(given.querySelector("a.link").href).searchParams.get("q"));
  history.replaceState(history.state, "", now);
}

/** Says what has come to who cannot see it. */
function tell(given, state) {
  document.getElementById("said").textContent = given ? said(given, state) : "";
}

function said(given, state) {
  const cards = given.querySelectorAll("article").length;
  const verdict = given.querySelector(".verdict")?.textContent.trim() ?? "";
  return `${verdict} ${cards ? `${cards} card${cards === 1 ? "" : "s"}.` : ""}`.trim() || state;
}

function failed(section, question, reason) {
  const shown = made("failed");
  shown.dataset.asked = question;
  shown.querySelector(".asked").textContent = question;
  shown.querySelector(".reason").textContent = reason[0].toUpperCase() + reason.slice(1);
  shown.style.minHeight = section.style.minHeight;
  section.replaceWith(shown);
  document.getElementById("said").textContent = reason;
  show();
}

async function problem(response) {
  const wait = response.headers.get("Retry-After");
  const type = response.headers.get("Content-Type") ?? "";
  const detail = type.includes("json") ? (await response.json()).detail : `The server answered ${response.status}.`;
  return new Error(wait ? `${detail}. Ask again in ${wait} seconds.` : detail);
}

function told(error) {
  return error instanceof TypeError ? "The server cannot be reached. Is it still running?" : error.message;
}

function stopped() {
  return "Stopped. What had come was not checked, so it is not shown.";
}

function busy(is) {
  const stop = form.querySelector(".stop");
  const go = form.querySelector(".go");
  const held = document.activeElement === go || document.activeElement === stop;
  go.hidden = is;
  stop.hidden = !is;
  if (held) (is ? stop : field).focus();
}

function made(name) {
  return document.getElementById(name).content.firstElementChild.cloneNode(true);
}
