// What an answer is made of: the request for it, its hits as elements, its exports. Text only ever as text.
import { $, fail, make, say } from "./make.js";
import { factorElements, reasonElement, treeElement } from "./reasons.js";

export const TITLES = { for: "For", against: "Against", unclear: "Unclear", any: "All arguments" };
const OWN = { PRO: "Argues for", CON: "Argues against" }; // its own conclusion
const MOST_EXPLAINED = 100; // hits of one request with explain
export const WEIGHTS = ["w_cluster", "w_quality", "w_premises"];
const FORMATS = [["csv", "CSV", "csv"], ["json", "JSON", "json"], ["markdown", "Markdown", "md"], ["bibtex", "BibTeX", "bib"]];
const SURE = [[90, "almost surely"], [75, "very likely"], [0, "likely"]]; // least percent

export function request(state, column, more) {
  const query = new URLSearchParams({ q: state.q, config: state.config, ...more });
  if (column !== "any") query.set("side", column);
  if (state.stance) query.set("stance", state.stance);
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

// `labelled`: whether hits say their side; they do not where none of the list was classified.
export function hitElement(hit, side, state, { labelled, rerank }) {
  const item = $("hit").content.cloneNode(true).firstElementChild;
  const part = (name) => item.querySelector(name);
  item.hit = hit;
  part(".rank").append(make("span", "hidden", "Rank "), String(hit.rank));
  if (labelled && hit.side) part(".towards").append(...sideElements(hit.side));
  else part(".towards").remove();
  part("h3").append(...ownElements(hit));
  part(".sentence").append(...(hit.sentence.text ? marked(hit.sentence) : [make("span", "none", "No premise is given.")]));
  part(".source").append(...sourceElements(hit));
  part(".open").href = `/arguments/${encodeURIComponent(hit.id)}?${new URLSearchParams({ q: state.q })}`;
  onFirstOpen(part(".text"), (box) => box.append(...premiseElements(hit)));
  onFirstOpen(part(".why"), (box) => {
    box.append(reasonElement(hit, shownBeside(item), rerank), treeElement([hit.explanation], "tree"));
    if (labelled && hit.side?.explanation) {
      box.append(make("p", "reason", "Its side of your question:"), treeElement([hit.side.explanation], "tree"));
    }
  });
  onFirstOpen(part(".cite"), (box) => box.append(...citeElements(hit, side, state)));
  item.retell = () => {
    part(".factors").replaceChildren(...factorElements(hit, shownBeside(item)));
    part(".why .reason")?.replaceWith(reasonElement(hit, shownBeside(item), rerank));
  };
  return item;
}

const shownBeside = (item) => [...item.parentElement.children].map((other) => other.hit);

// Adds hits to a list; the ranks of all in it are told anew.
export function appendHits(list, hits, side, state, how) {
  list.append(...hits.map((hit) => hitElement(hit, side, state, how)));
  for (const item of list.children) item.retell();
}

function sideElements({ value, probability }) {
  const percent = Math.round(100 * probability);
  if (value === "unclear") return [make("span", "side", "Unclear:"), ` the likelier side has ${percent} %`];
  const [, sure] = SURE.find(([least]) => percent >= least);
  return [make("span", `side ${value}`, `${TITLES[value]}:`), ` ${sure} (${percent} %)`];
}

// Its stance towards its own conclusion, which may be the opposite of what was asked.
function ownElements(hit) {
  const own = make("span", "own", `${OWN[hit.stance] || "On"}:`);
  return hit.conclusion ? [own, " “", make("bdi", "", hit.conclusion), "”"] : [own, " (no conclusion given)"];
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
