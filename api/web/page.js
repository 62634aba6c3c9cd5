// The search page: state in the address, a query for each side of the question, text only ever as text.
import { balanceElements, sidesOf } from "./balance.js";
import { appendHits, exportElements, fetchAnswer, request, TITLES, WEIGHTS } from "./hits.js";
import { $, count, fail, make, say } from "./make.js";

const PAGE = 10;
const MOST = 100; // arguments a side when a page is opened
const COLUMNS = { both: ["for", "against"], for: ["for"], against: ["against"], unclear: ["unclear"], any: ["any"] };

const form = $("search");
let running = null; // aborts the requests of an older search
let shown = null; // the state whose results are on the page

/* The state of the page: a question, its sides, the arguments' own stance, a configuration, weights, how many.
   Older addresses say "any" and "both" by the stance; "pro" and "con" are towards an argument's own conclusion. */
function readAddress() {
  const given = new URLSearchParams(location.search);
  const number = (name) => {
    const text = given.get(name);
    return text !== null && text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : null;
  };
  const stance = ["pro", "con"].includes(given.get("stance")) ? given.get("stance") : "";
  const side = given.get("side") ?? (given.get("stance") === "any" ? "any" : "");
  return {
    q: given.get("q") || "",
    side: Object.hasOwn(COLUMNS, side) ? side : usual(stance),
    stance,
    config: given.get("config") || "default",
    ...Object.fromEntries(WEIGHTS.map((name) => [name, number(name)])),
    n: Math.min(MOST, Math.max(PAGE, Math.trunc(number("n") || PAGE))),
  };
}

// The sides that are shown where the address says nothing: those of one own stance are a list.
const usual = (stance) => (stance ? "any" : "both");

function readForm() {
  return {
    q: $("q").value.trim(),
    side: new FormData(form).get("side"),
    stance: $("stance").value,
    config: $("config").value,
    ...Object.fromEntries(WEIGHTS.map((name) => [name, $(name).dataset.set ? Number($(name).value) : null])),
    n: PAGE,
  };
}

function address(state) {
  const query = new URLSearchParams();
  if (state.q) query.set("q", state.q);
  if (state.side !== usual(state.stance)) query.set("side", state.side);
  if (state.stance) query.set("stance", state.stance);
  if (state.config !== "default") query.set("config", state.config);
  for (const name of WEIGHTS) if (state[name] !== null) query.set(name, state[name]);
  if (state.n !== PAGE) query.set("n", state.n);
  return query.size ? `/?${query}` : "/";
}

function writeForm(state) {
  $("q").value = state.q;
  form.querySelector(`[name=side][value=${state.side}]`).checked = true;
  $("stance").value = state.stance;
  chooseConfig(state.config);
  for (const name of WEIGHTS) setWeight(name, state[name], state[name] !== null);
}

function chooseConfig(name) {
  const config = $("config");
  if (![...config.options].some((option) => option.value === name)) config.add(new Option(name));
  config.value = name;
}

function setWeight(name, value, isSet) {
  const slider = $(name);
  if (isSet) slider.dataset.set = "yes";
  else delete slider.dataset.set;
  if (value !== null) {
    slider.max = Math.max(10, Math.ceil(value));
    slider.min = Math.min(0, Math.floor(value));
    slider.value = value;
  }
  $(`${name}_value`).value = value === null ? "as configured" : isSet ? String(value) : `${value}, as configured`;
}

async function search(state) {
  running?.abort();
  running = new AbortController();
  const { signal } = running;
  const columns = $("columns");
  fail("");
  columns.setAttribute("aria-busy", "true");
  say("Searching…");
  try {
    const asked = COLUMNS[state.side].map((side) => answerOf(state, side, { k: state.n }, signal));
    if (state.side !== "any") asked.push(answerOf(state, "any", { k: 1, sides: false }, signal));
    const answers = await Promise.all(asked);
    const whole = { ...answers.at(-1), balance: answers[0].balance }; // how many match on any side
    const sides = sidesOf(COLUMNS[state.side], whole);
    if (sides[0] === "any" && state.side !== "any") answers[0] = await answerOf(state, "any", { k: state.n }, signal);
    show(state, sides, sides.map((side) => answers[Math.max(0, COLUMNS[state.side].indexOf(side))]), whole);
  } catch (error) {
    if (error.name === "AbortError") return;
    clear();
    fail(error.message);
  }
  columns.removeAttribute("aria-busy");
}

async function answerOf(state, side, more, signal) {
  const how = more.k > 1 ? { explain: true } : {};
  return (await fetchAnswer(request(state, side, { page: 1, sides: true, ...how, ...more }), signal)).json();
}

// Unclear ones are in neither column: they are a list of their own, on demand.
function unclearButton(number) {
  const button = make("button", "", `${count(number)} unclear`);
  button.type = "button";
  button.id = "unclear";
  button.setAttribute("aria-expanded", "false");
  button.addEventListener("click", async () => {
    if ($("rest").hasChildNodes()) {
      $("rest").replaceChildren();
      button.setAttribute("aria-expanded", "false");
      return;
    }
    button.disabled = true;
    try {
      const answer = await answerOf(shown, "unclear", { k: PAGE }, running.signal);
      $("rest").replaceChildren(columnElement("unclear", answer, shown, true));
      button.setAttribute("aria-expanded", "true");
      button.disabled = false;
      $("rest").querySelector("h3")?.focus();
    } catch (error) {
      if (error.name !== "AbortError") fail(error.message);
    }
    button.disabled = false;
  });
  return button;
}

async function loadMore(side, list, button, how) {
  const state = shown;
  const have = list.children.length;
  button.disabled = true;
  try {
    const answer = await answerOf(state, side, { k: PAGE, page: Math.floor(have / PAGE) + 1 }, running.signal);
    const fresh = answer.hits.filter((hit) => hit.rank > have);
    appendHits(list, fresh, side, state, how);
    offerMore(button, list, answer.total, side);
    if (COLUMNS[state.side].includes(side)) {
      state.n = Math.min(1000, Math.max(state.n, list.children.length));
      history.replaceState(null, "", address(state));
    }
    list.children[have]?.querySelector("h3").focus();
    say(`${fresh.length} more arguments shown.`);
  } catch (error) {
    if (error.name !== "AbortError") fail(error.message);
  }
  button.disabled = false;
}

/* What is shown. */
function clear() {
  $("columns").replaceChildren();
  $("rest").replaceChildren();
  $("columns").removeAttribute("aria-busy");
  $("jump").hidden = true;
  $("balance").hidden = true;
}

function show(state, sides, answers, whole) {
  shown = { ...state };
  const { counts } = whole.balance;
  const labelled = counts.for + counts.against > 0;
  $("columns").classList.toggle("two", sides.length === 2);
  $("columns").replaceChildren(...sides.map((side, i) => columnElement(side, answers[i], shown, labelled)));
  $("rest").replaceChildren();
  const apart = labelled && ["both", "for", "against"].includes(state.side);
  const all = make("a", "", `All ${count(whole.total)} in one list`);
  all.href = address({ ...state, side: "any", n: PAGE });
  const balance = balanceElements(whole, apart && counts.unclear ? unclearButton(counts.unclear) : null);
  $("balance").replaceChildren(...balance, ...(labelled && state.side !== "any" ? [all] : []));
  $("balance").hidden = whole.balance.read === 0;
  for (const name of WEIGHTS) {
    if (state[name] === null) setWeight(name, whole[name], false);
  }
  const time = Math.max(...answers.map((answer) => answer.milliseconds));
  const notes = whole.notes.length ? ` Note: ${whole.notes.join("; ")}.` : "";
  const found = whole.total === 1 ? "1 argument matches" : `${count(whole.total)} arguments match`;
  say(`${found}, in ${time.toFixed(1)} ms, configuration ${whole.config}.${notes}`);
  $("jump").hidden = sides.length < 2;
  document.title = `${state.q} · argsearch`;
}

function columnElement(side, answer, state, labelled) {
  const how = { labelled, rerank: answer.rerank };
  const column = $("column").content.cloneNode(true).firstElementChild;
  column.classList.add(side);
  const title = column.querySelector("h2");
  title.textContent = TITLES[side];
  title.id = `title-${side}`;
  column.setAttribute("aria-labelledby", title.id);
  column.querySelector(".count").textContent = `${count(answer.total)}${side === "any" ? " found" : ` of the ${count(answer.balance.read)} read`}`;
  const list = column.querySelector("ol");
  appendHits(list, answer.hits, side, state, how);
  const links = column.querySelector(".export");
  links.hidden = answer.hits.length === 0;
  links.addEventListener("toggle", () => links.querySelector("ul").replaceChildren(...exportElements(side, state)));
  const empty = column.querySelector(".empty");
  empty.hidden = answer.hits.length > 0;
  empty.textContent = emptyText(side, answer.balance.read, state);
  const button = column.querySelector(".more");
  button.addEventListener("click", () => loadMore(side, list, button, how));
  offerMore(button, list, answer.total, side);
  return column;
}

function emptyText(side, read, state) {
  const filter = state.stance ? ", or any stance under “Ranking and filters”" : "";
  if (read === 0) return `No argument has any of these words. Try other words${filter}.`;
  const are = side === "unclear" ? "is unclear" : `is clearly ${TITLES[side].toLowerCase()} it`;
  return `None of the ${count(read)} arguments that were read ${are}.`;
}

function offerMore(button, list, total, side) {
  const left = total - list.children.length;
  button.hidden = left <= 0 || !list.children.length; // none shown: only common words match
  button.textContent = `Show ${count(Math.min(PAGE, left))} more${side === "any" ? "" : ` ${TITLES[side].toLowerCase()}`}`;
}

function go(state) {
  history.pushState(null, "", address(state));
  visit(state);
}

function visit(state) {
  writeForm(state);
  document.body.classList.toggle("asked", state.q !== "");
  $("welcome").hidden = state.q !== "";
  if (state.q) return void search(state);
  $("q").focus({ preventScroll: true });
  running?.abort();
  clear();
  say("");
  fail("");
  document.title = "argsearch";
}

async function loadConfigs() {
  try {
    const ready = await (await fetchAnswer("/ready")).json();
    const chosen = $("config").value;
    $("config").replaceChildren(...ready.configs.map((name) => new Option(name)));
    chooseConfig(chosen);
    $("index").textContent = `${count(ready.documents)} arguments from ${ready.corpus}, index ${ready.fingerprint.slice(0, 12)}`;
  } catch (error) {
    fail(error.message);
  }
}

// Questions to begin with, from the index that is open.
async function loadExamples() {
  try {
    const { examples } = await (await fetchAnswer("/api/examples")).json();
    for (const question of examples) {
      const link = make("a", "", make("bdi", "", question));
      link.href = `/?${new URLSearchParams({ q: question })}`;
      $("examples").append(make("li", "", link));
    }
    $("examples").hidden = $("examples-title").hidden = examples.length === 0;
  } catch (error) {
    fail(error.message);
  }
}

// The slash jumps to the box, where it is not typed into something.
function onKey(event) {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input:not([type=radio]):not([type=range]), select, textarea")) return;
  event.preventDefault();
  $("q").focus();
  $("q").select();
}

function start() {
  addEventListener("keydown", onKey);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (readForm().q) go(readForm());
  });
  const again = () => { if (shown && readForm().q) go(readForm()); };
  form.querySelectorAll("[name=side], #stance").forEach((choice) => choice.addEventListener("change", again));
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
  addEventListener("popstate", () => visit(readAddress()));
  const state = readAddress();
  const roomy = matchMedia("(min-width: 48rem)").matches;
  $("settings").open = roomy && address({ ...state, q: "", n: PAGE }) !== "/";
  visit(state);
  loadConfigs();
  loadExamples();
}

start();
