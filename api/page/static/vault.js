// Reading the vault: search as you type, and the lines of an old address.

export function begin() {
  const field = document.getElementById("find");
  if (field) field.addEventListener("input", () => find(field));
  mark();
  addEventListener("hashchange", mark);
}

/** "#L12-L14" without ?lines= is marked by the server. */
function mark() {
  const asked = /^#L(\d+)(?:-L(\d+))?$/.exec(location.hash);
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
    const address = `/vault/?${new URLSearchParams({ find: typed, view: "found" })}`;
    const response = await fetch(address, { signal: asking.signal });
    if (!response.ok) return;
    shown.innerHTML = await response.text(); // made and escaped by this server
    shown.hidden = false;
  } catch (error) {
    if (error.name !== "AbortError") shown.hidden = true; // the button asks the server itself
  }
}
