// What can be done with an answer: light a card, copy, rate.

/** Makes the answer in `reply` lively; a second call for the same one does nothing. */
export function begin(reply) {
  const answer = reply.querySelector(".answer[data-request]");
  if (!answer || answer.dataset.begun) return;
  answer.dataset.begun = "yes";
  for (const type of ["mouseover", "focusin"]) answer.addEventListener(type, (event) => light(answer, event, true));
  for (const type of ["mouseout", "focusout"]) answer.addEventListener(type, (event) => light(answer, event, false));
  const markdown = answer.querySelector(".copy textarea").value;
  answer.querySelector(".copy summary").addEventListener("click", (event) => copy(event, markdown, "Copied.", opened));
  const link = answer.querySelector("a.link");
  link.addEventListener("click", (event) => copy(event, link.href, "Link copied.", () => history.replaceState(history.state, "", link.href)));
  rate(answer);
}

function light(answer, event, on) {
  const cite = event.target.closest?.("a.cite");
  if (!cite) return;
  for (const card of answer.querySelectorAll(".card")) {
    card.classList.toggle("lit", on && card.dataset.card === cite.dataset.card);
  }
}

/** Copies a text; where that is not let, `otherwise` shows it. */
async function copy(event, text, said, otherwise) {
  if (event.ctrlKey || event.metaKey || event.shiftKey || !navigator.clipboard) return;
  event.preventDefault();
  const answer = event.currentTarget.closest(".answer");
  try {
    await navigator.clipboard.writeText(text);
    say(answer, said);
  } catch {
    otherwise(answer);
  }
}

function opened(answer) {
  answer.querySelector(".copy").open = true;
  answer.querySelector(".copy textarea").select();
}

function rate(answer) {
  const buttons = answer.querySelector(".rate");
  const comment = answer.querySelector(".comment");
  let rating = "";
  buttons.hidden = false;
  buttons.addEventListener("click", async (event) => {
    const chosen = event.target.closest("button");
    if (!chosen) return;
    rating = chosen.dataset.rating;
    if (!(await post(answer, { rating }))) return;
    for (const one of buttons.children) one.setAttribute("aria-pressed", String(one === chosen));
    say(answer, "Thank you.");
    comment.hidden = false;
  });
  comment.addEventListener("submit", async (event) => {
    event.preventDefault();
    const words = comment.elements.comment.value.trim();
    if (words && (await post(answer, { rating, comment: words }))) {
      comment.hidden = true;
      say(answer, "Thank you for the comment.");
    }
  });
}

async function post(answer, said) {
  try {
    const response = await fetch("/feedback", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ request_id: answer.dataset.request, ...said }),
    });
    if (response.ok) return true;
    const type = response.headers.get("Content-Type") ?? "";
    say(answer, `Not kept: ${type.includes("json") ? (await response.json()).detail : response.status}`);
  } catch {
    say(answer, "Not kept: the server cannot be reached.");
  }
  return false;
}

function say(answer, words) {
  answer.querySelector(".done").textContent = words;
}
