// What is shown and said while a reply comes, and where none does.

/** Shows work on a question, as high as what it replaces. */
export function working(question, height) {
  const section = made("working");
  section.querySelector(".asked").textContent = question;
  section.style.minHeight = `${Math.max(height, innerHeight / 2)}px`;
  return section;
}

export function step(section, words) {
  section.querySelector(".step").textContent = words;
}

export function drafted(section, { text, attempt, claim }) {
  const words = section.querySelector(".words");
  if (words.dataset.attempt !== String(attempt)) words.textContent = "";
  words.dataset.attempt = attempt;
  words.append(text);
  section.drafts ??= new Map();
  section.drafts.set(`${attempt}.${claim}`, text.trim());
  section.querySelector(".draft").hidden = false;
  step(section, attempt > 1 ? "Writing once more: the first draft said too much …" : "Checking each sentence …");
}

/** Strikes what of the draft did not hold, for who has read it. */
export function strike(section, given) {
  for (const finding of given.querySelectorAll(".checked [data-draft]")) {
    const words = section.drafts?.get(finding.dataset.draft);
    if (!words) continue; // not in the draft either
    const gone = document.createElement("del");
    gone.textContent = words;
    finding.prepend(gone, " ");
    finding.closest("details").open = true;
    section.drafts.delete(finding.dataset.draft); // of two faults of a sentence once
  }
}

export function failed(section, question, reason) {
  const shown = made("failed");
  shown.dataset.asked = question;
  shown.querySelector(".asked").textContent = question;
  shown.querySelector(".reason").textContent = reason[0].toUpperCase() + reason.slice(1);
  shown.style.minHeight = section.style.minHeight;
  section.replaceWith(shown);
  document.getElementById("said").textContent = reason;
}

export function tell(given, state) {
  const cards = given?.querySelectorAll("article").length;
  const verdict = given?.querySelector(".verdict")?.textContent.trim() ?? "";
  const counted = cards ? `${cards} card${cards === 1 ? "" : "s"}.` : "";
  document.getElementById("said").textContent = `${verdict} ${counted}`.trim() || state;
}

export async function problem(response) {
  const wait = response.headers.get("Retry-After");
  const type = response.headers.get("Content-Type") ?? "";
  const detail = type.includes("json") ? (await response.json()).detail : `The server answered ${response.status}.`;
  const error = new Error(wait ? `${detail}. Ask again in ${wait} seconds.` : detail);
  return Object.assign(error, { isRefused: response.status === 422 });
}

export function told(error) {
  return error instanceof TypeError ? "The server cannot be reached. Is it still running?" : error.message;
}

function made(name) {
  return document.getElementById(name).content.firstElementChild.cloneNode(true);
}
