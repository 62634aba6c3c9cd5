// Whole arguments: a list for each side of the question, those that are unclear on demand, more on demand.
import { ask, index, request, WEIGHTS } from "./ask.js";
import { balanceElements, sidesOf } from "./balance.js";
import { appendHits, exportElements, TITLES } from "./hits.js";
import { $, clone, count, fail, make, makeButton, makeLink, onFirstOpen, say, some } from "./make.js";
import { helpElements } from "./nothing.js";
import { address, changed, COLUMNS, PAGE } from "./state.js";
import { setWeight } from "./weights.js";

const UNREAD = { sided: true, read: 0, counts: { for: 0, against: 0, unclear: 0 } };

let shown = null; // the state whose results are on the page, and what ends its requests
let running = null;

export async function showArguments(state, signal) {
  const { whole, ...lists } = await (state.side === "both" ? bothOf : listOf)(state, signal);
  const sides = sidesOf(COLUMNS[state.side], whole);
  if (sides[0] === "any") lists.any ??= await answerOf(state, "any", { k: state.n }, signal);
  [shown, running] = [{ ...state }, signal];
  show(state, sides, sides.map((side) => lists[side]), whole);
}

// Both sides by one request, which also says how many match on any side.
async function bothOf(state, signal) {
  const whole = await answerOf(state, "both", { k: state.n }, signal);
  const of = (side) => ({ ...whole, ...whole.lists[side], hits: whole.hits.filter((hit) => hit.side.value === side) });
  return { whole, for: of("for"), against: of("against") };
}

async function listOf(state, signal) {
  const list = answerOf(state, state.side, { k: state.n }, signal);
  const all = state.side === "any" ? list : answerOf(state, "any", { k: 1, sides: false }, signal);
  const [listed, whole] = await Promise.all([list, all]);
  return { whole: { ...whole, balance: listed.balance }, [state.side]: listed };
}

// Sides are read where they are shown: it takes longer than the search.
async function answerOf(state, side, more, signal) {
  const how = more.k > 1 ? { explain: true } : {};
  const sides = index.ready.two_sided || state.side !== "any";
  return { balance: UNREAD, ...(await ask(request(state, side, { page: 1, sides, ...how, ...more }), signal)) };
}

// Whether hits say their side: not where an index, or what was found in it, has only one.
const isLabelled = (state, { counts }) =>
  counts.for + counts.against > 0 && (index.ready.two_sided || state.side !== "any");

function show(state, sides, answers, whole) {
  const labelled = isLabelled(state, whole.balance);
  $("columns").className = sides.length === 2 ? "columns two" : "columns";
  $("columns").replaceChildren(...sides.map((side, i) => columnElement(side, answers[i], shown, labelled)));
  showBalance(state, whole, labelled);
  for (const name of WEIGHTS) {
    if (state[name] === null) setWeight(name, whole[name], false);
  }
  showMeant(state, whole);
  say(totalText(whole, Math.max(...answers.map((answer) => answer.milliseconds))));
  $("jump").hidden = sides.length < 2;
  if (!answers.some((answer) => answer.hits.length)) offerHelp(state, whole);
}

function showBalance(state, whole, labelled) {
  const { counts, read } = whole.balance;
  const apart = labelled && ["both", "for", "against"].includes(state.side);
  const all = makeLink("", address(changed(state, { side: "any" })), `All ${count(whole.total)} in one list`);
  const balance = balanceElements(whole, apart && counts.unclear ? unclearButton(counts.unclear) : null);
  $("balance").replaceChildren(...balance, ...(labelled && state.side !== "any" ? [all] : []));
  $("balance").hidden = read === 0 || (!index.ready.two_sided && state.side === "any");
}

function showMeant(state, { suggestion }) {
  $("meant").hidden = !suggestion;
  if (!suggestion) return;
  const link = makeLink("", address(changed(state, { q: suggestion })), make("bdi", "", suggestion));
  $("meant").replaceChildren("Did you mean ", link, "?");
}

// Both totals: what matches at all, and what has a word that tells what is asked for.
function totalText({ total, by_meaning: more = 0, discriminative, groups = total, notes, config }, time) {
  const apart = groups < total ? ` (${count(groups)} without near-duplicates)` : "";
  const beside = more ? `, ${count(total - more)} by words and ${count(more)} more by meaning` : "";
  const found = `${some(total, "argument matches", "arguments match")}${beside}${apart}`;
  const words = discriminative < total - more ? `, ${count(discriminative)} of them by a word that tells what you ask` : "";
  const said = notes.length ? ` Note: ${notes.join("; ")}.` : "";
  return `${found}${words}, in ${time.toFixed(1)} ms, configuration ${config}.${said}`;
}

async function offerHelp(state, whole) {
  const box = $("columns").querySelector(".empty");
  try {
    box.append(...(await helpElements(state, whole, running)));
  } catch (error) {
    if (error.name !== "AbortError") fail(error.message);
  }
}

// Unclear ones are in neither column: they are a list of their own, on demand.
function unclearButton(number) {
  const button = makeButton("", async () => {
    if ($("rest").hasChildNodes()) {
      $("rest").replaceChildren();
      button.setAttribute("aria-expanded", "false");
      return;
    }
    button.disabled = true;
    try {
      const answer = await answerOf(shown, "unclear", { k: PAGE }, running);
      $("rest").replaceChildren(columnElement("unclear", answer, shown, true));
      button.setAttribute("aria-expanded", "true");
      button.disabled = false;
      $("rest").querySelector("h3")?.focus();
    } catch (error) {
      if (error.name !== "AbortError") fail(error.message);
    }
    button.disabled = false;
  }, `${count(number)} unclear`);
  button.id = "unclear";
  button.setAttribute("aria-expanded", "false");
  return button;
}

function columnElement(side, answer, state, labelled) {
  const how = { labelled, rerank: answer.rerank, first_weak_rank: answer.first_weak_rank };
  const column = clone("column");
  column.classList.add(side);
  const title = column.querySelector("h2");
  title.textContent = TITLES[side];
  title.id = `title-${side}`;
  column.setAttribute("aria-labelledby", title.id);
  const of = side === "any" ? " found" : ` of the ${count(answer.balance.read)} read`;
  column.querySelector(".count").textContent = `${count(answer.total)}${of}`;
  const list = column.querySelector("ol");
  appendHits(list, answer.hits, side, state, how);
  const links = column.querySelector(".export");
  links.hidden = answer.hits.length === 0;
  onFirstOpen(links, (box) => box.append(...exportElements(side, state)));
  const empty = column.querySelector(".empty");
  empty.hidden = answer.hits.length > 0;
  empty.textContent = emptyText(side, answer);
  const button = column.querySelector(".more");
  const place = { side, list, button, seen: new Set(answer.hits.map((hit) => hit.id)) };
  button.addEventListener("click", () => loadMore(place, how));
  offerMore(place, leftOf(side, answer));
  return column;
}

function emptyText(side, { total, balance: { read } }) {
  if (side === "any" || read === 0) {
    return total ? "Only common words of your question are in arguments. " : "No argument has any of these words. ";
  }
  const are = side === "unclear" ? "is unclear" : `is clearly ${TITLES[side].toLowerCase()} it`;
  return `None of the ${count(read)} arguments that were read ${are}. `;
}

async function loadMore({ side, list, button, seen }, how) {
  const state = shown;
  const have = list.children.length;
  button.disabled = true;
  try {
    const answer = await answerOf(state, side, { k: PAGE, page: Math.floor(have / PAGE) + 1 }, running);
    const fresh = answer.hits.filter((hit) => hit.rank > have && !seen.has(hit.id));
    fresh.forEach((hit) => seen.add(hit.id));
    appendHits(list, fresh, side, state, { ...how, first_weak_rank: answer.first_weak_rank });
    offerMore({ side, list, button }, fresh.length ? leftOf(side, answer) : 0);
    if (COLUMNS[state.side].includes(side)) {
      state.n = Math.min(1000, Math.max(state.n, list.children.length));
      history.replaceState(null, "", address(state));
    }
    list.children[have]?.querySelector("h3").focus();
    say(`${fresh.length} more arguments shown.`);
  } catch (error) {
    if (error.name !== "AbortError") fail(error.message);
  }
  button.disabled = false;
}

// How long a list can get: the groups of near-duplicates, where they are collapsed; a side's are counted collapsed.
const leftOf = (side, { total, groups = total }) => (side === "any" ? groups : total);

function offerMore({ side, list, button }, total) {
  const left = total - list.children.length;
  button.hidden = left <= 0 || !list.children.length; // none shown: only common words match
  button.textContent = `Show ${count(Math.min(PAGE, left))} more${side === "any" ? "" : ` ${TITLES[side].toLowerCase()}`}`;
}
