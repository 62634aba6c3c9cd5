// The search page: state in the address, one view of a question at a time, text only ever as text.
import { api, ask, home, index, NAMED, WEIGHTS } from "./ask.js";
import { showArguments } from "./columns.js";
import { offerOthers, showIndexes } from "./indexes.js";
import { showMap } from "./map.js";
import { showKept } from "./kept.js";
import { $, count, fail, make, makeLink, quoted, say } from "./make.js";
import { countFacets, prepareNarrowing, showNarrowing } from "./narrowing.js";
import { showPoints } from "./points.js";
import { showPremises } from "./premises.js";
import { address, changed, COLUMNS, HOME, PAGE, readAddress, usualConfig, viewsThere, viewTitle } from "./state.js";
import { tellKept } from "./store.js";
import { close, prepareSuggestions } from "./suggest.js";
import { showUnit } from "./units.js";
import { chooseConfig, setWeight, weight } from "./weights.js";

const SHOW = { arguments: showArguments, points: showPoints, premises: showPremises, map: showMap, kept: showKept }; // other units are alike

const SLOW = 150; // milliseconds

const form = $("search");
const TITLE = $("title").textContent;
let running = null; // aborts the requests of an older search
let waiting = 0; // until the page shows that it does
let state = null; // what the address says

function readForm() {
  const change = {
    q: $("q").value.trim(),
    side: new FormData(form).get("side"),
    config: $("config").value,
    sort: $("sort").value,
    collapse: $("collapse").checked,
    discriminative: $("discriminative").checked,
    ...Object.fromEntries(WEIGHTS.map((name) => [name, weight(name)])),
  };
  if (state.view === "kept") change.view = "arguments";
  if (change.side === state.side) delete change.side; // the usual one stays the usual one
  return changed(state, change);
}

function writeForm() {
  $("q").value = state.q;
  form.querySelector(`[name=side][value=${state.side}]`).checked = true;
  chooseConfig(state.config);
  for (const name of WEIGHTS) setWeight(name, state[name], state[name] !== null);
  $("panels").hidden = state.view !== "arguments";
  showNarrowing(state, go);
}

// Only the map and the kept arguments are there without a question too.
const isShown = () => state.q !== "" || ["map", "kept"].includes(state.view);

function showViews() {
  const links = viewsThere().map((view) => {
    const link = makeLink("", address({ ...state, view, n: PAGE }), viewTitle(view));
    if (view === state.view) link.setAttribute("aria-current", "page");
    return make("li", "", link);
  });
  $("views").replaceChildren(make("ul", "", ...links));
  $("views").hidden = links.length < 2 || !isShown() || state.view === "kept";
  const row = $("views").querySelector("ul"); // on a narrow screen it goes on to the right
  const current = row.querySelector("[aria-current]");
  if (current) row.scrollLeft = current.offsetLeft - row.offsetLeft - (row.clientWidth - current.offsetWidth) / 2;
}

// The server is asked first: it works while the rest of the page is brought up to date.
async function search() {
  running?.abort();
  running = new AbortController();
  const shown = (SHOW[state.view] ?? showUnit)(state, running.signal);
  fail("");
  wait();
  $("rest").replaceChildren();
  for (const id of ["beyond", "balance", "meant"]) $(id).hidden ||= state.view !== "arguments";
  try {
    await shown;
    $("rest").replaceChildren();
    document.title = `${state.q || viewTitle(state.view)} · argsearch`;
  } catch (error) {
    if (error.name === "AbortError") return;
    clear();
    fail(error.message);
  }
  done();
  if (state.view === "arguments") countFacets(state, go);
}

// What is there stays as it is for a moment: mostly the answer is there before it is over.
function wait() {
  $("columns").setAttribute("aria-busy", "true");
  say("Searching…");
  clearTimeout(waiting);
  waiting = setTimeout(() => $("columns").classList.add("slow"), SLOW);
}

function done() {
  clearTimeout(waiting);
  $("columns").classList.remove("slow");
  $("columns").removeAttribute("aria-busy");
}

function clear() {
  $("columns").replaceChildren();
  $("rest").replaceChildren();
  done();
  for (const id of ["beyond", "balance", "meant"]) $(id).hidden = true;
}

function go(next) {
  history.pushState(null, "", address(next));
  visit();
}

// Once asked, the box says the question too, unless it is too narrow.
function showTitle() {
  const box = $("q");
  $("title").classList.toggle("hidden", state.q !== "" && box.scrollWidth <= box.clientWidth);
}

function visit() {
  state = readAddress();
  if (isShown()) search();
  close();
  writeForm();
  showViews();
  showIndexes(state);
  document.body.classList.toggle("asked", isShown());
  showTitle();
  $("title").textContent = state.q || (isShown() ? viewTitle(state.view) : TITLE);
  $("welcome").hidden = isShown();
  if (isShown()) return;
  if (document.activeElement === document.body) $("q").focus({ preventScroll: true });
  running?.abort();
  clear();
  say("");
  fail("");
  document.title = "argsearch";
}

// Questions to begin with, from the index that is open.
async function loadExamples() {
  try {
    const { examples } = await ask(api("examples"));
    const links = examples.map((question) => makeLink("", home({ ...NAMED, q: question }), quoted(question)));
    $("examples").append(...links.map((link) => make("li", "", link)));
    $("examples").hidden = $("examples-title").hidden = examples.length === 0;
  } catch (error) {
    fail(error.message);
  }
}

// The slash jumps to the box, where it is not typed into something.
function onKey(event) {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input:not([type=radio]):not([type=range]):not([type=checkbox]), select, textarea")) return;
  event.preventDefault();
  $("q").focus();
  $("q").select();
}

function listen() {
  addEventListener("keydown", onKey);
  addEventListener("popstate", visit);
  addEventListener("resize", showTitle);
  addEventListener("storage", () => { if (state.view === "kept") visit(); }); // another tab changed the list
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if ($("q").value.trim()) go(readForm());
  });
  const again = () => { if (state.q && $("q").value.trim()) go(readForm()); };
  form.querySelectorAll("[name=side], #sort, #collapse, #discriminative").forEach((choice) => choice.addEventListener("change", again));
  const asConfigured = () => {
    WEIGHTS.forEach((name) => setWeight(name, null, false));
    again();
  };
  $("config").addEventListener("change", asConfigured);
  $("reset").addEventListener("click", asConfigured);
  for (const name of WEIGHTS) {
    $(name).addEventListener("input", () => setWeight(name, Number($(name).value), true));
    $(name).addEventListener("change", again);
  }
  $("narrow").addEventListener("toggle", () => countFacets(state, go));
}

// What the address sets beside the question is to be seen, where there is room for it.
function openPanels() {
  if (!matchMedia("(min-width: 48rem)").matches) return;
  const technical = Object.fromEntries([["config", usualConfig()], ...WEIGHTS.map((name) => [name, null])]);
  const plain = { ...state, q: "", n: PAGE, view: "arguments", sort: "", chosen: false }; // lists and order are seen below
  $("settings").open = Object.keys(technical).some((name) => state[name] !== technical[name]);
  $("narrow").open = address({ ...plain, ...technical }) !== HOME;
}

async function start() {
  document.querySelector("#kept a").href = home({ ...NAMED, view: "kept" });
  tellKept();
  const given = new URLSearchParams(location.search);
  if (!given.get("q") && given.get("view") !== "kept") $("q").focus({ preventScroll: true });
  let asked = false; // before the index is known
  const early = (event) => {
    event.preventDefault();
    asked = true;
  };
  form.addEventListener("submit", early);
  try {
    const ready = await index.learn();
    $("config").replaceChildren(...ready.configs.map((name) => new Option(name)));
    $("index").textContent = `${count(ready.documents)} arguments from ${ready.corpus}`;
  } catch (error) {
    clear();
    fail(error.message);
    if (await offerOthers().catch(() => false)) fail("This server has no index of that name.");
    return;
  } finally {
    form.removeEventListener("submit", early);
  }
  document.querySelector(".brand a").href = HOME;
  document.querySelector("#map a").href = home({ ...NAMED, view: "map" });
  for (const link of document.querySelectorAll("a[href$='/challenge']")) link.search = new URLSearchParams(NAMED);
  prepareNarrowing();
  $("map").hidden = !index.ready.map;
  if (index.ready.suggestions) prepareSuggestions();
  listen();
  const typed = $("q").value; // in the meantime
  visit();
  if (!state.q || asked) $("q").value = typed;
  openPanels();
  loadExamples();
  if (asked && typed.trim()) go(readForm());
}

start();
