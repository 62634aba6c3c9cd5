// Two sentences a card: a claim and the premise that carries it.
import { api, ask, pageOf } from "./ask.js";
import { cardElement, columnsElement, explanations, moreElement, replaceResults } from "./cards.js";
import { count, make, makeLink, quoted, say, some } from "./make.js";

const TITLES = { PRO: "For the claim", CON: "Against the claim", null: "Neither" };
const CARRIES = { PRO: "because:", CON: "against it:", null: "" };

export async function showPairs(state, signal) {
  const url = api("pairs", { q: state.q, k: state.n });
  const answer = await ask(url, signal);
  const explain = explanations(url, signal);
  const columns = columnsElement(answer.hits, TITLES, (hit) => pairElement(hit, state, explain));
  const more = moreElement(state, state.n, answer.total, (next) => showPairs(next, signal));
  const none = make("p", "empty", "No pair of sentences is near your question.");
  replaceResults(...(answer.hits.length ? [columns] : [none]), ...more);
  const notes = answer.notes.length ? ` Note: ${answer.notes.join("; ")}.` : "";
  const found = `${some(answer.hits.length, "pair")} of ${count(answer.total)} shown`;
  say(`${found}, in ${answer.milliseconds.toFixed(1)} ms.${notes}`);
}

function pairElement(hit, state, explain) {
  const [claim, premise] = hit.texts;
  const title = make("h3", "lead", quoted(claim));
  title.tabIndex = -1;
  const carried = make("p", "sentence", make("span", "own", CARRIES[hit.stance]), " ", quoted(premise));
  const item = cardElement({ rank: hit.rank, explain }, title, carried);
  item.querySelector("article").dataset.rank = hit.rank;
  item.querySelector(".actions").append(...argumentLinks([...new Set(hit.arguments)], state));
  return item;
}

function argumentLinks(ids, state) {
  const names = ids.length > 1 ? ["Argument of the claim", "Argument of the premise"] : ["Whole argument"];
  return ids.slice(0, 2).map((id, i) => makeLink("open", pageOf(id, state), names[i]));
}
