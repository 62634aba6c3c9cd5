// What an answer is made of: the request for it, its hits as elements, its exports. Text only ever as text.
export const TITLES = { pro: "For", con: "Against", any: "All arguments" };
const UNSIDED = "No stance";
const MOST_EXPLAINED = 100; // hits of one request with explain
export const WEIGHTS = ["w_cluster", "w_quality"];
const FORMATS = [["csv", "CSV", "csv"], ["json", "JSON", "json"], ["markdown", "Markdown", "md"], ["bibtex", "BibTeX", "bib"]];
const FACTORS = [
  ["predicted_quality", "Quality", "Predicted quality of the argument", () => 1],
  ["premise_similarity", "Wording", "Closeness of the argument’s own words to the question", () => 1],
  ["cluster_similarity", "Topic", "Closeness of the argument’s topic to the question", (hit) => (isShifted(hit.explanation) ? 2 : 1)],
];

export const $ = (id) => document.getElementById(id);
export const say = (text) => { $("status").textContent = text; };
export const fail = (text) => { $("error").textContent = text; if (text) say(""); };
export const count = (number) => number.toLocaleString("en");

export function make(tag, className, ...content) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...content);
  return element;
}

export function request(state, column, more) {
  const query = new URLSearchParams({ q: state.q, config: state.config, ...more });
  if (column !== "any") query.set("stance", column);
  for (const name of WEIGHTS) if (state[name] !== null) query.set(name, state[name]);
  return `/api/search?${query}`;
}

export async function fetchAnswer(url, signal) {
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

export function hitElement(hit, side, state) {
  const item = $("hit").content.cloneNode(true).firstElementChild;
  const part = (name) => item.querySelector(name);
  part(".rank").append(make("span", "hidden", "Rank "), String(hit.rank));
  const stance = (hit.stance || "").toLowerCase();
  part("h3").append(make("span", `side ${stance}`, `${TITLES[stance] || UNSIDED}:`), ` ${hit.conclusion || "(no conclusion given)"}`);
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

export function exportElements(side, state) {
  return FORMATS.map(([format, label, ending]) => {
    const link = make("a", "", label);
    link.href = request(state, side, { k: state.n, page: 1, format, explain: format === "json" && state.n <= MOST_EXPLAINED });
    link.download = `arguments${side === "any" ? "" : `-${side}`}.${ending}`;
    return make("li", "", link);
  });
}
