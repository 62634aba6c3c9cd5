// The view of a unit that has none of its own: a card a hit, in a list for each stance where there are several.
import { api, ask, index } from "./ask.js";
import { cardElement, columnsElement, emptyElement, explainedLater, explanations, leadElement, moreElement, replaceResults, wholeLink } from "./cards.js";
import { count, make, quoted, say, some } from "./make.js";

// What is said of a pair: a claim and the premise that carries it.
const PAIRS = {
  titles: { PRO: "For the claim", CON: "Against the claim", null: "Neither" },
  carries: { PRO: "because:", CON: "against it:" },
  links: ["Argument of the claim", "Argument of the premise"],
  none: "No pair of sentences is near your question.",
};
const OTHERS = {
  titles: { PRO: "For their conclusions", CON: "Against their conclusions", null: "Neither" },
  carries: {},
  links: ["First argument", "Second argument"],
  none: "Nothing was found for your question.",
};

export async function showUnit(state, signal) {
  const words = state.view === "pairs" ? PAIRS : OTHERS;
  const { singular, name } = index.ready.units.find((unit) => unit.name === state.view);
  const url = api(name, { q: state.q, k: state.n });
  const answer = await ask(url, signal);
  const explain = explanations(url, signal);
  const columns = columnsElement(answer.hits, words.titles, (hit) => unitElement(hit, state, words, explain), { unit: singular });
  const more = moreElement(state, state.n, answer.total, (next) => showUnit(next, signal));
  replaceResults(...(answer.hits.length ? [columns] : [emptyElement(words.none, state)]), ...more);
  const notes = answer.notes.length ? ` Note: ${answer.notes.join("; ")}.` : "";
  const found = `${some(answer.hits.length, singular, name)} of ${count(answer.total)} shown`;
  say(`${found}.${notes}`);
}

function unitElement(hit, state, { carries, links }, explain) {
  const [lead, ...others] = hit.texts ?? [hit.conclusion, ...hit.premises.map(({ text }) => text)];
  const own = carries[hit.stance] ? [make("span", "own", carries[hit.stance]), " "] : [];
  const texts = others.map((text) => make("p", "sentence", ...own, quoted(text)));
  const ids = [...new Set(hit.arguments ?? [hit.id])].slice(0, 2);
  const whole = ids.map((id, i) => wholeLink(id, state, ids.length > 1 ? links[i] : undefined));
  return cardElement(hit, [leadElement("h3", "", quoted(lead)), ...texts], [explainedLater(hit, explain), ...whole]);
}
