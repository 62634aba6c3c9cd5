// The state of the page is its address: whoever has the one has the other.
import { home, INDEX, NAMED, ROOT, WEIGHTS, index } from "./ask.js";

export const PAGE = 10;
export const MOST = 100; // of a list, when a page is opened
export const COLUMNS = { both: ["for", "against"], for: ["for"], against: ["against"], unclear: ["unclear"], any: ["any"] };
const VIEWS = { arguments: "Arguments", points: "Key points", pairs: "Two sentences", premises: "Reasons by claim", map: "Map", kept: "Kept arguments" };

// The lists that are shown where the address says nothing: one where no argument can be on the other side.
export const usual = ({ stance }) => (stance || !index.ready.two_sided ? "any" : "both");

// The configuration where the address names none, as the server takes it.
export const usualConfig = () => (index.has("meaning") ? "meaning" : "default");

// A view for each unit of the index; counter-arguments are asked for on the cards of arguments.
export function viewsThere() {
  const units = index.ready.units.map(({ name }) => name).filter((name) => name !== "counters");
  const known = Object.keys(VIEWS).filter((view) => view === "points" || units.includes(view));
  return [...known, ...units.filter((name) => !VIEWS[name]), ...(index.ready.map ? ["map"] : [])];
}

export const viewTitle = (view) => VIEWS[view] ?? view[0].toUpperCase() + view.slice(1);

/* Older addresses say "any" and "both" by the stance; "pro" and "con" are towards an argument's own conclusion. */
export function readAddress() {
  const given = new URLSearchParams(location.search);
  const number = (name) => {
    const text = given.get(name);
    return text !== null && text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : null;
  };
  const stance = ["pro", "con"].includes(given.get("stance")) ? given.get("stance") : "";
  const sort = given.get("sort") || "";
  const side = given.get("side") ?? (given.get("stance") === "any" ? "any" : "");
  const chosen = Object.hasOwn(COLUMNS, side);
  return {
    q: given.get("q") || "",
    view: [...viewsThere(), "kept"].includes(given.get("view")) ? given.get("view") : "arguments",
    side: chosen ? side : usual({ stance }),
    chosen, // whether the address says so: it is kept, whatever the usual lists come to be
    stance,
    where: given.getAll("where").filter((clause) => clause.trim()),
    sort,
    discriminative: given.get("discriminative") !== "no",
    collapse: (given.get("collapse") ?? given.get("fold")) !== "no",
    config: given.get("config") || usualConfig(),
    ...Object.fromEntries(WEIGHTS.map((name) => [name, number(name)])),
    n: Math.min(MOST, Math.max(PAGE, Math.trunc(number("n") || PAGE))),
  };
}

export const HOME = INDEX ? home(NAMED) : ROOT;

export function address(state, name = INDEX) {
  const query = new URLSearchParams();
  if (name) query.set("index", name);
  if (state.q) query.set("q", state.q);
  if (state.view !== "arguments") query.set("view", state.view);
  if (state.chosen) query.set("side", state.side);
  if (state.stance) query.set("stance", state.stance);
  for (const clause of state.where) query.append("where", clause);
  if (state.sort) query.set("sort", state.sort);
  if (!state.discriminative) query.set("discriminative", "no");
  if (!state.collapse) query.set("collapse", "no");
  if (state.config !== usualConfig()) query.set("config", state.config);
  for (const name of WEIGHTS) if (state[name] !== null) query.set(name, state[name]);
  if (state.n !== PAGE) query.set("n", state.n);
  return query.size ? home(query) : ROOT;
}

/* The same question with other narrowing; how many were shown is forgotten. The usual lists stay the usual ones,
   and are not said; what was chosen is, unless it is what is usual with and without narrowing. */
export function changed(state, change) {
  const next = { ...state, n: PAGE, ...change };
  if ("side" in change) next.chosen = [{}, next].some((one) => usual(one) !== next.side);
  else if (!next.chosen) next.side = usual(next);
  return next;
}

export const narrowed = (state) => Boolean(state.stance || state.where.length);
