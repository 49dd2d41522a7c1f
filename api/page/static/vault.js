// Reading the vault: search as you type, and the lines of an old address.

const OLD = /^#L(\d+)-L(\d+)$/;

export function begin() {
  const field = document.getElementById("find");
  if (field) field.addEventListener("input", () => find(field));
  mark();
  addEventListener("hashchange", mark);
}

/** "#L12-L14" without ?lines= is marked by the server, as the address says it now. */
function mark() {
  const asked = OLD.exec(location.hash) ?? /^#L(\d+)$/.exec(location.hash);
  const url = new URL(location.href);
  const isFile = document.querySelector(".sheet .file");
  if (!isFile || !asked || url.searchParams.has("lines")) return;
  if (Number(asked[2] ?? asked[1]) < Number(asked[1])) return;
  url.searchParams.set("lines", asked.slice(1).filter(Boolean).join("-"));
  url.hash = `L${asked[1]}`;
  location.replace(url);
}

let asking = null;

async function find(field) {
  asking?.abort();
  asking = new AbortController();
  const typed = field.value.trim();
  const shown = document.querySelector(".found");
  if (typed.length < 2) {
    shown.hidden = true;
    return;
  }
  try {
    const response = await fetch(`/headings?${new URLSearchParams({ q: typed })}`, { signal: asking.signal });
    if (response.ok) list(shown, await response.json());
  } catch (error) {
    if (error.name !== "AbortError") shown.hidden = true; // the button asks the server itself
  }
}

/** The same as the template vault.html makes. */
function list(shown, { headings, corrections }) {
  const items = headings.map(({ path, heading, first_line: line, snippet }) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const name = document.createElement("b");
    const place = document.createElement("span");
    const trail = heading.split(" > ");
    name.textContent = trail.at(-1) || path;
    place.textContent = trail.length > 1 ? [path, ...trail].join(" › ") : path;
    link.href = `/vault/${path.split("/").map(encodeURIComponent).join("/")}?lines=${line}#L${line}`;
    link.append(name, " ", ...said(snippet), place);
    item.append(link);
    return item;
  });
  shown.querySelector(".none").hidden = items.length > 0;
  const searched = shown.querySelector(".searched");
  searched.hidden = !corrections.length;
  searched.replaceChildren("Searched for ", ...corrections.flatMap(word));
  shown.querySelector("ol").replaceChildren(...items);
  shown.hidden = false;
}

function said(snippet) {
  if (!snippet) return [];
  const line = document.createElement("span");
  line.className = "said";
  line.textContent = snippet;
  return [line, " "];
}

function word({ searched }, at) {
  const shown = document.createElement("em");
  shown.textContent = searched;
  return at ? [", ", shown] : [shown];
}
