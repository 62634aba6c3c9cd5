// What is asked of the server: the one place that knows its addresses.
// They begin with the folder of this file, such as /args/ where a proxy shows the server there.
export const ROOT = new URL(".", import.meta.url).pathname;

export const WEIGHTS = ["w_cluster", "w_quality", "w_premises"];

// Which of a server's indexes the page is of; "" is the first one. Another one is another page.
export const INDEX = new URLSearchParams(location.search).get("index") || "";
export const NAMED = INDEX ? { index: INDEX } : {};

// The address of the search page with a query.
export const home = (query) => `${ROOT}?${new URLSearchParams(query)}`;

// An address of the API, for the index of this page.
export function api(path, query = {}) {
  const asked = new URLSearchParams(query);
  return `${ROOT}api/${INDEX ? `${encodeURIComponent(INDEX)}/` : ""}${path}${asked.size ? `?${asked}` : ""}`;
}

export async function fetchAnswer(url, signal, sent = {}) {
  let answer;
  try {
    answer = await fetch(url, { signal, ...sent });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server cannot be reached. Is it still running?");
  }
  if (answer.ok) return answer;
  const { detail, missing } = await answer.json().catch(() => ({}));
  throw Object.assign(new Error(detail || `The server answered with an error (${answer.status}).`), { missing });
}

export const ask = async (url, signal) => (await fetchAnswer(url, signal)).json();

// The search for one list: of a side, of the unclear ones, or of any.
export function request(state, side, more) {
  const query = new URLSearchParams({ q: state.q, config: state.config, ...more });
  if (side !== "any") query.set("side", side);
  if (state.stance) query.set("stance", state.stance);
  for (const clause of state.where) query.append("where", clause);
  for (const name of WEIGHTS) if (state[name] !== null) query.set(name, state[name]);
  if (state.sort) query.set("sort", state.sort);
  query.set("spread", true);
  if (state.discriminative) query.set("discriminative", true);
  if (state.collapse && index.has("near_duplicates")) query.set("collapse", true);
  return api("search", query);
}

export function pageOf(id, state) {
  const query = new URLSearchParams({ ...NAMED, q: state.q });
  return `${ROOT}arguments/${encodeURIComponent(id)}?${query}`;
}

/* What the open index is and has. Until it is known it has nothing, and everything waits for it. */
export const index = {
  ready: null,
  has: (part) => Boolean(index.ready?.parts.includes(part)),
  // A column with one value, such as an unknown date, narrows and orders nothing.
  knows: (column) => Boolean(index.ready?.varied.includes(column)),
  async learn() {
    index.ready = await ask(INDEX ? api("ready") : `${ROOT}ready`);
    return index.ready;
  },
};
