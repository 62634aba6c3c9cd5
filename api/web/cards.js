// What all views of hits share: a card for each, columns of cards, their reasons on demand, more on demand.
import { ask, pageOf } from "./ask.js";
import { $, count, disclosure, fail, make, makeButton, makeLink } from "./make.js";
import { treeElement } from "./reasons.js";
import { address, MOST, PAGE } from "./state.js";

export const NAMES = { PRO: "for", CON: "against" };

// The explanations of an answer, by rank; fetched when the first one is asked for.
export function explanations(url, signal) {
  let answer = null;
  return async (rank) => {
    answer ??= ask(`${url}&explain=true`, signal).catch((error) => { answer = null; throw error; });
    return (await answer).hits.find((hit) => hit.rank === rank).explanation;
  };
}

// The card of a hit of any unit: its rank, what it says, and what can be opened below.
export function cardElement(hit, said, actions) {
  const rank = make("p", "rank", make("span", "hidden", "Rank "), String(hit.rank));
  const card = make("article", "hit", rank, ...said, make("div", "actions", ...actions));
  card.dataset.rank = hit.rank;
  const item = make("li", "", card);
  item.hit = hit;
  return item;
}

// What a card says first, which takes the focus where the card is a new one.
export function leadElement(tag, className, ...content) {
  const lead = make(tag, `${className} lead`.trim(), ...content);
  lead.tabIndex = -1;
  return lead;
}

export const whyElement = (fill, title = "Why here?") => disclosure("why", title, fill);

// The same for a hit that came without its explanation.
export const explainedLater = ({ rank }, explain) =>
  whyElement(async (box) => box.append(treeElement([await explain(rank)], "tree")));

export const wholeLink = (id, state, name = "Whole argument") => makeLink("open", pageOf(id, state), name);

// Fill the heading of a list: its title and the number of its items.
export function titleList(heading, title, number, unit = "argument") {
  const noun = make("span", "noun", unit && ` ${number === 1 ? unit : `${unit}s`}`);
  heading.replaceChildren(make("span", "title", title), make("span", "count", ": ", count(number), noun));
  return heading;
}

// A list with a heading; without one where there is nothing to tell apart.
function listElement(name, title, items, { level, of, unit }) {
  const list = make("ol", "", ...items);
  if (!title) return make("div", "column", list); // the results' own section has it
  const heading = titleList(make(level), title, items.length, unit);
  // within a claim's section they are parts of it, not places of the page to jump to
  const section = make(of ? "div" : "section", `column ${name}`, make("header", "", heading), list);
  section.setAttribute("aria-label", `${title}${of}`);
  if (of) section.setAttribute("role", "group");
  return section;
}

// For and against beside each other; one list where all stand alike. `of` tells alike headings apart.
export function columnsElement(hits, titles, element, { level = "h2", of = "", unit } = {}) {
  const all = ["PRO", "CON", null].map((stance) => [stance, hits.filter((hit) => hit.stance === stance)]);
  const parts = all.filter(([, its]) => its.length);
  const titled = parts.length > 1 || titles.always;
  const lists = parts.map(([stance, its]) =>
    listElement(NAMES[stance] || "", titled ? titles[stance] : "", its.map(element), { level, of, unit }));
  return make("div", parts.length === 2 ? "columns two" : "columns", ...lists);
}

// `have`: how many are shown, of `total`; the first of the new ones gets the focus.
export function moreElement(state, have, total, reload) {
  const left = Math.min(total, MOST) - have;
  if (left <= 0) return [];
  const button = makeButton("more", async () => {
    button.disabled = true;
    state.n = Math.min(MOST, state.n + PAGE);
    history.replaceState(null, "", address(state));
    try {
      await reload(state);
      const cards = [...document.querySelectorAll("#results article")];
      cards.find((card) => Number(card.dataset.rank) > have)?.querySelector(".lead").focus();
    } catch (error) {
      if (error.name !== "AbortError") fail(error.message);
    }
    button.disabled = false;
  }, "Show more");
  return [button];
}

// Where a view finds nothing, whole arguments may be there, and what helps where they are not.
export function emptyElement(text, state) {
  const whole = makeLink("", address({ ...state, view: "arguments", n: PAGE }), "look for whole arguments");
  return make("p", "empty", `${text} You can `, whole, ".");
}

export function replaceResults(...elements) {
  $("columns").className = "columns wide";
  $("columns").replaceChildren(...elements);
}
