// Key points: what is said on each side, by how many, in their words; read like a briefing of one page.
import { api, ask, index, pageOf } from "./ask.js";
import { replaceResults, titleList } from "./cards.js";
import { count, disclosure, make, makeLink, quoted, say, some } from "./make.js";
import { treeElement } from "./reasons.js";

const SAVED = [["markdown", "As Markdown", "points.md"], ["argdown", "As an argument map", "points.argdown"], ["cards", "As debate cards", "points.html"]];
const TITLES = { for: "For", against: "Against", all: "Points" };

function addressOf(state, more = {}) {
  const query = new URLSearchParams({ q: state.q, config: state.config, ...more });
  if (state.stance) query.set("stance", state.stance);
  for (const clause of state.where) query.append("where", clause);
  if (!state.collapse && index.has("near_duplicates")) query.set("collapse", false);
  return api("points", query);
}

export async function showPoints(state, signal) {
  const answer = await ask(addressOf(state), signal);
  const explain = explanations(state, answer.fingerprint, signal);
  const sides = answer.sides.filter(({ total }) => total);
  const columns = make("div", sides.length === 2 ? "columns two" : "columns", ...sides.map((side) => sideElement(side, state, explain)));
  const saved = SAVED.map(([format, label, name]) => {
    const link = makeLink("open", addressOf(state, { format, fingerprint: answer.fingerprint }), label);
    link.download = name;
    return link;
  });
  const shown = sides.length ? [columns, make("p", "actions", ...saved)] : [make("p", "empty", "Nothing was found for your question.")];
  replaceResults(...shown);
  const unclear = answer.unclear ? ` ${count(answer.unclear)} take no clear side.` : "";
  const notes = answer.notes.length ? ` Note: ${answer.notes.join("; ")}.` : "";
  const read = answer.read < answer.total ? "The first" : "All";
  say(`${read} ${some(answer.read, "argument")} were read.${unclear}${notes}`);
}

// Why quotes belong to their points, by side, point and place; fetched when it is first asked for.
function explanations(state, fingerprint, signal) {
  let answer = null;
  return async (side, point, place) => {
    answer ??= ask(addressOf(state, { explain: true, fingerprint }), signal).catch((error) => { answer = null; throw error; });
    return (await answer).sides.find((one) => one.side === side).points[point].quotes[place].explanation;
  };
}

function sideElement(side, state, explain) {
  const title = TITLES[side.side];
  const head = make("header", "", titleList(make("h2"), title, side.total));
  const share = `${count(side.grouped)} of ${some(side.total, "argument")} make one of these points.`;
  const list = make("ol", "points", ...side.points.map((point, i) => make("li", "", pointElement(point, state, (place) => explain(side.side, i, place)))));
  const said = side.points.length ? [make("p", "source", share), list] : [make("p", "empty", "No two arguments make the same point.")];
  const section = make("section", `column ${side.side}`, head, ...said, ...ungroupedElements(side, state));
  section.setAttribute("aria-label", title);
  return section;
}

function pointElement(point, state, explain) {
  const from = `${some(point.debates, "debate", "different debates")}${point.years ? `, ${[...new Set(point.years)].join(" to ")}` : ""}`;
  const quotes = disclosure("members", `At least ${some(point.arguments, "argument")} from ${from}`, (list) =>
    list.append(...point.quotes.map((quote, place) => quoteElement(quote, state, () => explain(place)))), "ul");
  const first = originElement(point.quotes[0], state); // the heading is its sentence
  return make("article", "hit point", make("h3", "", quoted(point.heading)), first, make("div", "actions", quotes));
}

// The card of a quote, as quote.html makes it.
function quoteElement(quote, state, explain) {
  const said = make("p", "sentence", `“${quote.text}”`);
  said.dir = "auto";
  const why = disclosure("why", `Why here? It ${quote.reason}`, async (box) => box.append(treeElement([await explain()], "tree")));
  return make("li", "quote", said, originElement(quote, state), why);
}

function originElement({ id, conclusion, source }, state) {
  const title = quoted(source.title);
  const from = source.url ? makeLink("", source.url, title) : title;
  if (source.url) from.rel = "noopener noreferrer external";
  const on = conclusion && conclusion !== source.title ? [" on “", quoted(conclusion), "”"] : [];
  return make("p", "source", "Source: ", from, " ", makeLink("open", pageOf(id, state), "Whole argument", ...on));
}

function ungroupedElements({ ungrouped }, state) {
  if (!ungrouped.length) return [];
  const title = `${some(ungrouped.length, "argument makes", "arguments make")} none of these points`;
  return [disclosure("members", title, (list) => list.append(...ungrouped.map((one) =>
    make("li", "", makeLink("", pageOf(one.id, state), quoted(one.conclusion ?? one.id)), " ", make("span", "source", quoted(one.source.title))))), "ul")];
}
