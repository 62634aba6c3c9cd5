// The search page: state in the address, two queries (for, against), text only ever as text.
import { $, count, exportElements, fail, fetchAnswer, hitElement, make, request, say, TITLES, WEIGHTS } from "./hits.js";

const PAGE = 10;
const MOST = 100; // arguments a side when a page is opened
const EXAMPLES = [
  "Should students have to wear school uniforms?",
  "Should teachers get tenure?",
  "Should we build more nuclear power plants?",
  "Should there be a universal basic income?",
  "Should zoos be abolished?",
];
const COLUMNS = { both: ["pro", "con"], pro: ["pro"], con: ["con"], any: ["any"] };
const CLAIMS = { pro: ", each for its own claim, in bold", con: ", each against its own claim, in bold", any: "" };

const form = $("search");
let running = null; // aborts the requests of an older search
let shown = null; // the state whose results are on the page

/* The state of the page: a question, a choice of sides, a configuration, weights, how many results. */
function readAddress() {
  const given = new URLSearchParams(location.search);
  const number = (name) => {
    const text = given.get(name);
    return text !== null && text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : null;
  };
  const stance = given.get("stance");
  return {
    q: given.get("q") || "",
    stance: Object.hasOwn(COLUMNS, stance ?? "") ? stance : "both",
    config: given.get("config") || "default",
    w_cluster: number("w_cluster"),
    w_quality: number("w_quality"),
    n: Math.min(MOST, Math.max(PAGE, Math.trunc(number("n") || PAGE))),
  };
}

function readForm() {
  return {
    q: $("q").value.trim(),
    stance: new FormData(form).get("stance"),
    config: $("config").value,
    ...Object.fromEntries(WEIGHTS.map((name) => [name, $(name).dataset.set ? Number($(name).value) : null])),
    n: PAGE,
  };
}

function address(state) {
  const query = new URLSearchParams();
  if (state.q) query.set("q", state.q);
  if (state.stance !== "both") query.set("stance", state.stance);
  if (state.config !== "default") query.set("config", state.config);
  for (const name of WEIGHTS) if (state[name] !== null) query.set(name, state[name]);
  if (state.n !== PAGE) query.set("n", state.n);
  return query.size ? `/?${query}` : "/";
}

function writeForm(state) {
  $("q").value = state.q;
  form.querySelector(`[name=stance][value=${state.stance}]`).checked = true;
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
    const sides = COLUMNS[state.stance];
    const asked = sides.map((side) => answerOf(state, side, { k: state.n, explain: true }, signal));
    if (sides.length > 1) asked.push(answerOf(state, "any", { k: 1 }, signal));
    const answers = await Promise.all(asked);
    const sided = answers.slice(0, sides.length).reduce((sum, answer) => sum + answer.total, 0);
    const unsided = sides.length > 1 ? answers.pop().total - sided : 0;
    const all = unsided && !sided ? await answerOf(state, "any", { k: state.n, explain: true }, signal) : null;
    show(state, sides, answers, unsided);
    if (all) $("rest").append(columnElement("any", all, shown));
    else if (unsided) $("rest").append(...restElements(unsided));
  } catch (error) {
    if (error.name === "AbortError") return;
    clear();
    fail(error.message);
  }
  columns.removeAttribute("aria-busy");
}

async function answerOf(state, side, more, signal) {
  return (await fetchAnswer(request(state, side, { page: 1, ...more }), signal)).json();
}

// Arguments without a stance are in neither column: how many, and all arguments in one list.
function restElements(unsided) {
  const text = make("p", "count", `${unsided === 1 ? "1 more argument matches and has" : `${count(unsided)} more arguments match and have`} no stance.`);
  const button = make("button", "more", "Show all arguments in one list");
  button.type = "button";
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const column = columnElement("any", await answerOf(shown, "any", { k: PAGE, explain: true }, running.signal), shown);
      button.replaceWith(column);
      column.querySelector("h3")?.focus();
    } catch (error) {
      if (error.name !== "AbortError") fail(error.message);
      button.disabled = false;
    }
  });
  return [text, button];
}

async function loadMore(side, list, button) {
  const state = shown;
  const have = list.children.length;
  button.disabled = true;
  try {
    const url = request(state, side, { k: PAGE, page: Math.floor(have / PAGE) + 1, explain: true });
    const answer = await (await fetchAnswer(url, running.signal)).json();
    const fresh = answer.hits.filter((hit) => hit.rank > have);
    fresh.forEach((hit) => list.append(hitElement(hit, side, state)));
    offerMore(button, list, answer.total, side);
    state.n = Math.min(1000, Math.max(state.n, list.children.length));
    history.replaceState(null, "", address(state));
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
}

function show(state, sides, answers, unsided) {
  shown = { ...state };
  $("columns").classList.toggle("two", sides.length === 2);
  $("columns").replaceChildren(...sides.map((side, i) => columnElement(side, answers[i], shown, unsided)));
  $("rest").replaceChildren();
  const [first] = answers;
  for (const name of WEIGHTS) {
    if (state[name] === null) setWeight(name, first[name], false);
  }
  const time = Math.max(...answers.map((answer) => answer.milliseconds));
  const found = sides.map((side, i) => `${count(answers[i].total)} ${side === "any" ? "arguments" : TITLES[side].toLowerCase()}`);
  if (unsided) found.push(`${count(unsided)} without a stance`);
  const notes = first.notes.length ? ` Note: ${first.notes.join("; ")}.` : "";
  say(`${found.join(", ")}, in ${time.toFixed(1)} ms, configuration ${first.config}.${notes}`);
  $("jump").hidden = sides.length < 2;
  document.title = `${state.q} · argsearch`;
}

function columnElement(side, answer, state, unsided = 0) {
  const column = $("column").content.cloneNode(true).firstElementChild;
  column.classList.add(side);
  const title = column.querySelector("h2");
  title.textContent = TITLES[side];
  title.id = `title-${side}`;
  column.setAttribute("aria-labelledby", title.id);
  column.querySelector(".count").textContent = `${count(answer.total)} found${answer.total ? CLAIMS[side] : ""}`;
  const list = column.querySelector("ol");
  list.append(...answer.hits.map((hit) => hitElement(hit, side, state)));
  const links = column.querySelector(".export");
  links.hidden = answer.hits.length === 0;
  links.addEventListener("toggle", () => links.querySelector("ul").replaceChildren(...exportElements(side, state)));
  const empty = column.querySelector(".empty");
  empty.hidden = answer.hits.length > 0;
  empty.textContent = emptyText(side, unsided);
  const button = column.querySelector(".more");
  button.addEventListener("click", () => loadMore(side, list, button));
  offerMore(button, list, answer.total, side);
  return column;
}

function emptyText(side, unsided) {
  if (side === "any") return "No argument has any of these words. Try other words.";
  const none = `No argument ${TITLES[side].toLowerCase()} has any of these words`;
  return unsided ? `${none}; see those without a stance below.` : `${none}. Try other words, or “One list, any stance”.`;
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

function start() {
  for (const question of EXAMPLES) {
    const link = make("a", "", question);
    link.href = `/?${new URLSearchParams({ q: question })}`;
    $("examples").append(make("li", "", link));
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (readForm().q) go(readForm());
  });
  const again = () => { if (shown && readForm().q) go(readForm()); };
  form.querySelectorAll("[name=stance]").forEach((radio) => radio.addEventListener("change", again));
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
}

start();
