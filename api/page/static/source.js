// The source beside the answer; the browser's back button closes it.

const desk = document.querySelector(".desk");
let opener = null; // what was clicked, for the focus to go back to
let loading = null; // the AbortController of the file that is fetched: the last one wins

export function begin() {
  const given = document.querySelector("aside.source");
  if (given) placed(given, false);
  document.addEventListener("click", clicked);
  addEventListener("popstate", () => follow());
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented && panel()) close();
  });
}

function panel() {
  return document.querySelector("aside.source");
}

function clicked(event) {
  const link = event.target.closest("a[href]");
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (link.matches(".close")) {
    event.preventDefault();
    close();
  } else if (link.closest(".source") && link.getAttribute("href").startsWith("#")) {
    event.preventDefault();
    show(panel(), link.getAttribute("href").slice(1));
  } else if (link.closest(".reply, .earlier, .source") && !link.target && isFile(link)) {
    event.preventDefault();
    open(link);
  }
}

function isFile(link) {
  return link.origin === location.origin && /^\/vault\/./.test(link.pathname);
}

async function open(link) {
  if (!link.closest(".source")) opener = link;
  const wanted = new URL(link.href);
  const path = decodeURIComponent(wanted.pathname.slice("/vault/".length));
  const lines = wanted.searchParams.get("lines") ?? "";
  const address = new URL(location.href);
  address.searchParams.set("source", path);
  if (lines) address.searchParams.set("lines", lines);
  else address.searchParams.delete("lines");
  const came = await load(path, lines);
  if (came === null) return; // another file, or another question, was asked for meanwhile
  if (!came) return location.assign(link.href);
  const depth = (history.state?.depth ?? 0) + 1;
  history.pushState({ ...history.state, depth }, "", address);
}

/** Shows a file: true, false where it cannot be shown, null if overtaken. */
async function load(path, lines) {
  const address = `/vault/${path.split("/").map(encodeURIComponent).join("/")}`;
  loading?.abort();
  const { signal } = (loading = new AbortController());
  try {
    const response = await fetch(`${address}?${new URLSearchParams({ view: "panel", lines })}`, { signal });
    if (!response.ok) return false;
    const html = await response.text(); // made and escaped by this server
    if (signal.aborted) return null;
    const shown = panel() ?? made(); // only now: it is never seen empty
    shown.innerHTML = html;
    placed(shown, true);
    return true;
  } catch {
    if (signal.aborted) return null;
    const shown = panel() ?? made();
    shown.innerHTML = '<div class="file"><h2 class="path" tabindex="-1">The server cannot be reached.</h2><a class="close" href="/">Close</a></div>';
    placed(shown, true);
    return true;
  }
}

function made() {
  const aside = document.createElement("aside");
  aside.className = "source";
  aside.setAttribute("aria-label", "Source");
  desk.append(aside);
  desk.classList.add("reading");
  return aside;
}

function placed(aside, focused) {
  const mark = aside.querySelector("mark");
  aside.scrollTop = 0;
  if (mark) into(aside, mark);
  if (focused) aside.querySelector(".path").focus({ preventScroll: true });
}

function show(aside, id) {
  const place = aside.querySelector(`#${CSS.escape(id)}`);
  if (place) into(aside, place);
}

/** Scrolls within the panel; the page beside it stays. */
function into(aside, element) {
  const above = element.getBoundingClientRect().top - aside.getBoundingClientRect().top;
  aside.scrollTop += above - aside.clientHeight / 3;
}

function close() {
  const depth = history.state?.depth ?? 0;
  if (depth) return history.go(-depth);
  const address = new URL(location.href);
  address.searchParams.delete("source");
  address.searchParams.delete("lines");
  history.replaceState(history.state, "", address);
  follow();
}

function follow() {
  const wanted = new URL(location.href).searchParams;
  if (wanted.get("source")) return load(wanted.get("source"), wanted.get("lines") ?? "");
  if (opener?.isConnected) opener.focus();
  leave();
}

export function leave() {
  loading?.abort();
  panel()?.remove();
  desk.classList.remove("reading");
  opener = null;
}
