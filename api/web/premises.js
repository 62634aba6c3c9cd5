// Reasons by claim: each claim with the premises for and against it, each meaning once.
import { api, ask, pageOf } from "./ask.js";
import { cardElement, columnsElement, explainedLater, emptyElement, explanations, leadElement, moreElement, replaceResults, wholeLink } from "./cards.js";
import { count, disclosure, make, makeLink, marked, quoted, say, some } from "./make.js";
import { MOST } from "./state.js";

const TITLES = { PRO: "For the claim", CON: "Against the claim", always: true };

export async function showPremises(state, signal) {
  const k = Math.min(MOST, 2 * state.n); // a claim has few of them
  const url = api("premises", { q: state.q, k });
  const answer = await ask(url, signal);
  const explain = explanations(url, signal);
  const sections = [...byClaim(answer.hits)].map(([claim, hits], i) => claimElement(claim, hits, i, state, explain));
  const more = moreElement(state, k, answer.total, (next) => showPremises(next, signal));
  const none = emptyElement("No claim has any of these words.", state);
  replaceResults(...(sections.length ? sections : [none]), ...more);
  const notes = answer.notes.length ? ` Note: ${answer.notes.join("; ")}.` : "";
  const found = `${some(answer.hits.length, "reason")} of ${count(answer.total)} shown`;
  say(`${some(answer.claims, "claim")} found; ${found}.${notes}`);
}

// Hits by the claim that adds most to them, in the order of the best one of each; however a claim is spelt.
function byClaim(hits) {
  const [groups, spelt] = [new Map(), new Map()];
  for (const hit of hits) {
    const { text } = hit.claims[0];
    const folded = text.toLowerCase().replace(/[\s.!]+/g, " ").trim();
    const claim = spelt.get(folded) ?? text;
    spelt.set(folded, claim);
    groups.set(claim, [...(groups.get(claim) || []), hit]);
  }
  return groups;
}

function claimElement(claim, hits, i, state, explain) {
  const title = make("h2", "", "“", quoted(claim), "”");
  title.id = `claim-${i}`;
  const place = { level: "h3", of: ` “${claim}”`, unit: "reason" };
  const columns = columnsElement(hits, TITLES, (hit) => premiseElement(hit, state, explain), place);
  const section = make("section", "claim", title, columns);
  section.setAttribute("aria-labelledby", title.id);
  return section;
}

function premiseElement(hit, state, explain) {
  const { argument } = hit.representative;
  const actions = [explainedLater(hit, explain), ...memberElements(hit, state), wholeLink(argument, state)];
  return cardElement(hit, [...shortened(hit), ...alsoElements(hit)], actions);
}

// Its gist; the whole on demand, where there is more of it.
function shortened({ sentence, representative: { text } }) {
  const lead = leadElement("p", "sentence", ...marked(sentence));
  const whole = () => disclosure("text", "Whole premise", (box) => box.append(make("p", "", quoted(text))));
  return text.trim() === sentence.text ? [lead] : [lead, whole()];
}

// The other claims that it serves.
function alsoElements({ claims }) {
  const others = claims.slice(1);
  if (!others.length) return [];
  const shown = others.slice(0, 3).flatMap(({ text }, i) => [i ? ", " : "", "“", quoted(text), "”"]);
  const more = others.length > 3 ? ` and ${others.length - 3} more` : "";
  return [make("p", "source", "Also for: ", ...shown, more)];
}

function memberElements({ members, size, representative }, state) {
  const others = members.filter((one) => one.argument !== representative.argument || one.text !== representative.text);
  if (!others.length) return [];
  const title = some(size - 1, "similar reason");
  return [disclosure("members", title, (list) => list.append(...others.map(({ argument, text }) =>
    make("li", "", quoted(text), " ", makeLink("", pageOf(argument, state), "Whole argument")))), "ul")];
}
