// The questions' filters. The address holds them ("#kind=table&result=missed"), so that a choice
// can be linked to; "#q-ID" opens a question. Without a script all questions stand there, unfiltered.
"use strict";
const form = document.getElementById("filters");
const list = document.getElementById("list");

function words(question) {
  question.words ??= `${question.id} ${question.textContent}`.toLowerCase();
  return question.words;
}

function filter() {
  const wanted = Object.fromEntries(new FormData(form));
  const text = wanted.text.trim().toLowerCase();
  let shown = 0;
  for (const question of list.children) {
    const fits = Object.entries(wanted).every(
      ([name, value]) => name === "text" || !value || question.dataset[name] === value,
    );
    question.hidden = !(fits && (!text || words(question).includes(text)));
    shown += question.hidden ? 0 : 1;
  }
  form.querySelector("output b").textContent = shown;
  document.getElementById("no-question").hidden = shown > 0;
}

function remember() {
  const chosen = [...new FormData(form)].filter(([, value]) => value);
  history.replaceState(null, "", `#${new URLSearchParams(chosen)}`);
  filter();
}

function follow() {
  const target = location.hash.slice(1);
  const question = target.startsWith("q-") && document.getElementById(decodeURIComponent(target));
  if (!question && target && document.getElementById(target)) return;
  form.reset();
  if (!question) {
    for (const [name, value] of new URLSearchParams(target)) {
      if (form.elements[name]) form.elements[name].value = value;
    }
  }
  filter();
  if (question) question.open = true;
  if (target) (question || form).scrollIntoView();
}

if (form && list) {
  form.hidden = false;
  form.addEventListener("input", remember);
  form.addEventListener("reset", () => setTimeout(remember));
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", follow);
  follow();
}
