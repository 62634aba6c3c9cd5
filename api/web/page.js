// The search page: state in the address, two queries (for, against), text only ever as text.
"use strict";

const PAGE = 10;
const EXAMPLES = [
  "Should students have to wear school uniforms?",
  "Should teachers get tenure?",
  "Should we build more nuclear power plants?",
  "Should there be a universal basic income?",
  "Should zoos be abolished?",
];
const COLUMNS = { both: ["pro", "con"], pro: ["pro"], con: ["con"], any: ["any"] };
const TITLES = { pro: "For", con: "Against", any: "All arguments" };
const CLAIMS = { pro: ", for the claim in bold", con: ", against the claim in bold", any: "" };
const FORMATS = [["csv", "CSV", "csv"], ["json", "JSON", "json"], ["markdown", "Markdown", "md"], ["bibtex", "BibTeX", "bib"]];
const WEIGHTS = ["w_cluster", "w_quality"];
const FACTORS = [
  ["predicted_quality", "Quality", "Predicted quality of the argument", () => 1],
  ["cluster_similarity", "Topic", "Closeness of the argument’s topic to the question", (hit) => (isShifted(hit.explanation) ? 2 : 1)],
];

const $ = (id) => document.getElementById(id);
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
    n: Math.min(1000, Math.max(PAGE, Math.trunc(number("n") || PAGE))),
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

function request(state, column, more) {
  const query = new URLSearchParams({ q: state.q, config: state.config, ...more });
  if (column !== "any") query.set("stance", column);
  for (const name of WEIGHTS) if (state[name] !== null) query.set(name, state[name]);
  return `/api/search?${query}`;
}

async function fetchAnswer(url, signal) {
  let answer;
  try {
    answer = await fetch(url, { signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server cannot be reached. Is it still running?");
  }
  if (answer.ok) return answer;
  const { detail } = await answer.json().catch(() => ({}));
  throw new Error(detail || `The server answered with an error (${answer.status}).`);
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
    const answers = await Promise.all(
      sides.map(async (side) => {
        const url = request(state, side, { k: state.n, page: 1, explain: true });
        return (await fetchAnswer(url, signal)).json();
      }),
    );
    show(state, sides, answers);
  } catch (error) {
    if (error.name === "AbortError") return;
    clear();
    fail(error.message);
  }
  columns.removeAttribute("aria-busy");
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
const say = (text) => { $("status").textContent = text; };
const fail = (text) => { $("error").textContent = text; if (text) say(""); };
const count = (number) => number.toLocaleString("en");

function make(tag, className, ...content) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...content);
  return element;
}

function clear() {
  $("columns").replaceChildren();
  $("columns").removeAttribute("aria-busy");
  $("jump").hidden = true;
}

function show(state, sides, answers) {
  shown = { ...state };
  $("columns").classList.toggle("two", sides.length === 2);
  $("columns").replaceChildren(...sides.map((side, i) => columnElement(side, answers[i], shown)));
  const [first] = answers;
  for (const name of WEIGHTS) {
    if (state[name] === null) setWeight(name, first[name], false);
  }
  const time = Math.max(...answers.map((answer) => answer.milliseconds));
  const found = sides.map((side, i) => `${count(answers[i].total)} ${side === "any" ? "arguments" : TITLES[side].toLowerCase()}`);
  const notes = first.notes.length ? ` Note: ${first.notes.join("; ")}.` : "";
  say(`${found.join(", ")}, in ${time.toFixed(1)} ms, configuration ${first.config}.${notes}`);
  $("jump").hidden = sides.length < 2;
  document.title = `${state.q} · argsearch`;
}

function columnElement(side, answer, state) {
  const column = $("column").content.cloneNode(true).firstElementChild;
  column.classList.add(side);
  const title = column.querySelector("h2");
  title.textContent = TITLES[side];
  title.id = `title-${side}`;
  column.setAttribute("aria-labelledby", title.id);
  column.querySelector(".count").textContent = `${count(answer.total)} found${CLAIMS[side]}`;
  const list = column.querySelector("ol");
  list.append(...answer.hits.map((hit) => hitElement(hit, side, state)));
  const links = column.querySelector(".export");
  links.hidden = answer.hits.length === 0;
  links.addEventListener("toggle", () => links.querySelector("ul").replaceChildren(...exportElements(side, state)));
  const empty = column.querySelector(".empty");
  empty.hidden = answer.hits.length > 0;
  empty.textContent = side === "any"
    ? "No argument has any of these words. Try other words."
    : `No argument ${side === "pro" ? "for" : "against"} has any of these words. Try other words, or “One list, any stance”.`;
  const button = column.querySelector(".more");
  button.addEventListener("click", () => loadMore(side, list, button));
  offerMore(button, list, answer.total, side);
  return column;
}

function offerMore(button, list, total, side) {
  const left = total - list.children.length;
  button.hidden = left <= 0;
  button.textContent = `Show ${count(Math.min(PAGE, left))} more${side === "any" ? "" : ` ${TITLES[side].toLowerCase()}`}`;
}

function hitElement(hit, side, state) {
  const item = $("hit").content.cloneNode(true).firstElementChild;
  const part = (name) => item.querySelector(name);
  part(".rank").append(make("span", "hidden", "Rank "), String(hit.rank));
  part("h3").append(hit.conclusion || "(no conclusion given)");
  if (side === "any" && hit.stance) {
    part("h3").append(" ", make("span", `chip ${hit.stance.toLowerCase()}`, TITLES[hit.stance.toLowerCase()].toLowerCase()));
  }
  part(".sentence").append(...(hit.sentence.text ? marked(hit.sentence) : [make("span", "none", "No premise is given.")]));
  part(".factors").append(...factorElements(hit));
  part(".source").append(...sourceElements(hit));
  onFirstOpen(part(".text"), (box) => box.append(...premiseElements(hit)));
  onFirstOpen(part(".why"), (box) => box.append(treeElement([hit.explanation], "tree")));
  onFirstOpen(part(".cite"), (box) => box.append(...citeElements(hit, side, state)));
  return item;
}

function onFirstOpen(details, fill) {
  const box = details.querySelector("div");
  details.addEventListener("toggle", () => {
    if (details.open && !box.hasChildNodes()) fill(box);
  });
}

function marked({ text, marks }) {
  const letters = Array.from(text); // marks count code points
  const pieces = [];
  let at = 0;
  for (const [begin, end] of marks) {
    pieces.push(letters.slice(at, begin).join(""), make("mark", "", letters.slice(begin, end).join("")));
    at = end;
  }
  return [...pieces, letters.slice(at).join("")];
}

// Whether C is 1 + cos, in [0, 2], as some configurations read it.
function isShifted(node) {
  return node.description.startsWith("C, 1 + cos") || node.details.some(isShifted);
}

function factorElements(hit) {
  const values = hit.factors || {};
  const bars = FACTORS.filter(([name]) => name in values).map(([name, label, title, most]) => {
    const value = values[name];
    const fill = make("span", "fill");
    fill.style.width = `${100 * Math.min(1, Math.max(0, value / most(hit)))}%`;
    const track = make("span", "track", fill);
    track.setAttribute("aria-hidden", "true");
    const item = make("li", "", label, track, value.toFixed(2) + (most(hit) > 1 ? ` of ${most(hit)}` : ""));
    item.title = title;
    return item;
  });
  return [...bars, make("li", "", `Score ${hit.score.toPrecision(4)}`)];
}

function sourceElements(hit) {
  if (!hit.source.url) return [`Source: ${hit.source.title}`];
  const link = make("a", "", hit.source.title);
  link.href = hit.source.url;
  link.rel = "noopener noreferrer external";
  return ["Source: ", link];
}

function premiseElements(hit) {
  const texts = hit.premises.filter((premise) => premise.text.trim());
  return texts.length ? texts.map((premise) => make("p", "", premise.text)) : [make("p", "none", "No premise is given.")];
}

function treeElement(nodes, className, depth = 0) {
  const list = make("ul", className);
  for (const node of nodes) {
    const line = [make("b", "", Number(node.value.toPrecision(5)).toString()), `  ${node.description}`];
    if (!node.details.length) {
      list.append(make("li", "", ...line));
      continue;
    }
    const branch = make("details", "", make("summary", "", ...line), treeElement(node.details, "", depth + 1));
    branch.open = depth < 2;
    list.append(make("li", "", branch));
  }
  return list;
}

function citeElements(hit, side, state) {
  const text = make("pre", "");
  text.hidden = true;
  const buttons = [["bibtex", "Copy BibTeX"], ["markdown", "Copy Markdown"]].map(([format, label]) => {
    const button = make("button", "", label);
    button.type = "button";
    button.addEventListener("click", async () => {
      try {
        const url = request(state, side, { k: 1, page: hit.rank, format });
        text.textContent = await (await fetchAnswer(url)).text();
        text.hidden = false;
        say((await copy(text.textContent)) ? "Copied." : "Copying is not allowed here; the text is shown below the button.");
      } catch (error) {
        fail(error.message);
      }
    });
    return button;
  });
  return [...buttons, text];
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function exportElements(side, state) {
  return FORMATS.map(([format, label, ending]) => {
    const link = make("a", "", label);
    link.href = request(state, side, { k: state.n, page: 1, format, explain: format === "json" });
    link.download = `arguments${side === "any" ? "" : `-${side}`}.${ending}`;
    return make("li", "", link);
  });
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
