// Narrowing: facets with counts, the order, near-duplicates; what is chosen stands above the results.
import { ask, index, request } from "./ask.js";
import { $, count, fail, make, makeButton, quoted, some } from "./make.js";
import { changed, narrowed } from "./state.js";

const FACETS = {
  stance: "Stance to its own conclusion", source: "Source", date: "Year", words: "Length, in words",
  quality: "Predicted quality, 0 to 1",
};
const ORDERS = {
  "": "Best match first", "-quality": "Best argued first", "-date": "Newest first", "date": "Oldest first",
  "words": "Shortest first", "-words": "Longest first",
};
export const orderText = (sort) => (ORDERS[sort] ?? `in the order of ${sort}`).toLowerCase();
const RANGES = ["date", "words", "quality"];
const OWN = { PRO: "argues for it", CON: "argues against it" };
const MOST = 12; // values of a facet

let asked = null; // ends the counting for an older search
let counted = ""; // the request whose counts are shown

// A label stands in double quotes, as it may hold commas; a double quote in it is written twice.
const clauseOf = (column, value) =>
  `${column} = ${RANGES.includes(column) ? value : `"${String(value).replaceAll('"', '""')}"`}`;
const valueOf = (clause) => {
  const text = clause.replace(/^[^=]*=\s*/, "");
  return /^".*"$/s.test(text) ? text.slice(1, -1).replaceAll('""', '"') : text;
};
const columnOf = (clause) => clause.split(/[=<>!]/, 1)[0].trim();
const without = (state, column) =>
  column === "stance" ? { ...state, stance: "" } : { ...state, where: state.where.filter((one) => columnOf(one) !== column) };
const chosen = (state, column) =>
  column === "stance" ? state.stance.toUpperCase() : state.where.filter((one) => columnOf(one) === column).map(valueOf)[0];

function choose(state, column, value) {
  if (column === "stance") return changed(state, { stance: value.toLowerCase() });
  const { where } = without(state, column);
  return changed(state, { where: value ? [...where, clauseOf(column, value)] : where });
}

// A value in words; a range holds its lower end, not its upper one.
function valueText(column, value) {
  if (column === "stance") return OWN[value] || value;
  const [low, high] = String(value).split("..");
  if (!RANGES.includes(column) || high === undefined) return String(value);
  if (column === "date") return low.slice(0, 4);
  if (!high) return `${count(Number(low))} or more`;
  const last = column === "words" ? Number(high) - 1 : Number(high);
  return Number(low) === 0 ? `up to ${count(last)}` : `${count(Number(low))} to ${count(last)}`;
}

const facets = () => Object.keys(FACETS).filter((column) => index.knows(column));

/* The counts of a facet leave its own choice out, so that another can be chosen in its place. */
async function countsOf(state, signal) {
  const open = facets().filter((column) => !chosen(state, column));
  const closed = facets().filter((column) => chosen(state, column));
  const questions = [[state, open], ...closed.map((column) => [without(state, column), [column]])];
  const answers = await Promise.all(questions.map(async ([of, columns]) => {
    if (!columns.length) return {};
    const url = request({ ...of, collapse: false }, of.side, { k: 1 }) + columns.map((column) => `&facet=${column}`).join("");
    const { facets: counts, values } = await ask(url, signal);
    return Object.fromEntries(columns.map((column) => [column, { values: counts[column], number: values[column] }]));
  }));
  return Object.assign({}, ...answers);
}

function facetElement(column, { values, number: all }, state, go) {
  const isRange = RANGES.includes(column);
  const usable = isRange ? [...values].sort((a, b) => a.from - b.from) : values;
  const shown = isRange ? usable.slice(-2 * MOST) : usable.slice(0, MOST); // years: the last ones
  if (shown.length < 2 && !chosen(state, column)) return null;
  const title = make("p", "facet-title", FACETS[column]);
  title.id = `facet-${column}`;
  const buttons = shown.map(({ value, count: number }) => {
    const isChosen = chosen(state, column) === String(value);
    const button = makeButton("choice", () => go(choose(state, column, isChosen ? "" : String(value))),
      quoted(valueText(column, value)), " ", make("span", "number", count(number)));
    button.setAttribute("aria-pressed", isChosen);
    button.dataset.choice = clauseOf(column, value);
    return make("li", "", button);
  });
  if (all > shown.length) buttons.push(make("li", "none", `and ${count(all - shown.length)} more`));
  const list = make("ul", "choices", ...buttons);
  list.setAttribute("aria-labelledby", title.id);
  return make("div", "facet", title, list);
}

// Counted only while the panel is open: nobody else waits for it.
export async function countFacets(state, go) {
  const key = request(state, "any", {});
  if (!$("narrow").open || counted === key || !state.q) return;
  asked?.abort();
  asked = new AbortController();
  $("facets").setAttribute("aria-busy", "true");
  try {
    const counts = await countsOf(state, asked.signal);
    const elements = facets().map((column) => facetElement(column, counts[column], state, go));
    const { choice } = document.activeElement.dataset; // the keyboard stays where it was
    $("facets").replaceChildren(...elements.filter(Boolean));
    counted = key;
    if (choice) [...$("facets").querySelectorAll("button")].find((button) => button.dataset.choice === choice)?.focus();
  } catch (error) {
    if (error.name === "AbortError") return;
    fail(error.message);
  }
  $("facets").removeAttribute("aria-busy");
}

function chipElements(state, go) {
  const chip = (label, next) => {
    const button = makeButton("chip", () => go(next), quoted(label), make("span", "", " ×"));
    button.setAttribute("aria-label", `Remove the filter ${label}`);
    return make("li", "", button);
  };
  const chips = state.where.map((clause) => {
    const column = columnOf(clause);
    const value = chosen(state, column);
    const isFacet = FACETS[column] && [clauseOf(column, value), `${column} = ${value}`].includes(clause);
    const label = isFacet ? `${FACETS[column].split(",")[0]}: ${valueText(column, value)}` : clause;
    return chip(label, changed(state, { where: state.where.filter((one) => one !== clause) }));
  });
  if (state.stance) chips.unshift(chip(OWN[state.stance.toUpperCase()], changed(state, { stance: "" })));
  if (chips.length > 1) {
    chips.push(make("li", "", makeButton("chip", () => go(changed(state, { where: [], stance: "" })), "Remove all")));
  }
  return chips;
}

export function showNarrowing(state, go) {
  $("chips").replaceChildren(...(state.view === "arguments" ? chipElements(state, go) : []));
  $("discriminative").checked = state.discriminative;
  $("chips").hidden = !narrowed(state) || state.view !== "arguments";
  const chosenNow = state.where.length + Number(Boolean(state.stance));
  $("narrow").querySelector("summary").textContent = chosenNow ? `Narrow down (${some(chosenNow, "filter")})` : "Narrow down";
  if (![...$("sort").options].some((option) => option.value === state.sort)) $("sort").add(new Option(state.sort));
  $("sort").value = state.sort;
  $("collapse").checked = state.collapse;
}

// What this index can be narrowed by; called once, when it is known.
export function prepareNarrowing() {
  const there = Object.entries(ORDERS).filter(([order]) => !order || index.knows(order.replace("-", "")));
  $("sort").replaceChildren(...there.map(([order, text]) => new Option(text, order)));
  $("collapse").closest("label").hidden = !index.has("near_duplicates");
  $("sides").hidden = !index.ready.two_sided;
}
