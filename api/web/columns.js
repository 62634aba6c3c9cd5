// Whole arguments: a list for each side of the question, those that are unclear on demand, more on demand.
import { ask, index, request, WEIGHTS } from "./ask.js";
import { balanceElements, countsText, isTold, sidesOf, unclearText } from "./balance.js";
import { titleList } from "./cards.js";
import { appendHits, exportElements, TITLES } from "./hits.js";
import { $, clone, count, fail, make, makeButton, makeLink, onFirstOpen, say, some } from "./make.js";
import { helpElements } from "./nothing.js";
import { orderText } from "./narrowing.js";
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
  const { sided, read, off_question: away } = whole.balance;
  const off = !labelled && sided && numberOf(whole, state) > 1 && (answers[0].first_weak_rank === 1 || away === read);
  $("columns").className = sides.length === 2 ? "columns two" : "columns";
  $("columns").replaceChildren(...sides.map((side, i) => columnElement(side, answers[i], shown, { labelled, off })));
  showBalance(state, whole, labelled);
  if (off) $("balance").hidden = true; // that no side is clear needs no other reason
  for (const name of WEIGHTS) {
    if (state[name] === null) setWeight(name, whole[name], false);
  }
  showMeant(state, whole);
  say(totalText(whole, state, off));
  tellResearchers(whole, Math.max(...answers.map((answer) => answer.milliseconds)));
  if (sides.length > 1) sides.forEach((side, i) => showWayAcross(side, sides[1 - i]));
  if (!answers.some((answer) => answer.hits.length)) offerHelp(state, whole);
}

function showBalance(state, whole, labelled) {
  const { counts, read } = whole.balance;
  const apart = labelled && ["both", "for", "against"].includes(state.side);
  const balance = balanceElements(whole, apart && counts.unclear ? unclearButton(unclearText(whole.balance)) : null);
  if (whole.notes.some((note) => note.includes("about the question are sorted"))) {
    balance.unshift(makeLink("", address(changed(state, { sort: "" })), "See all results, best match first"), ". ");
  }
  $("balance").replaceChildren(...balance);
  $("balance").hidden = !balance.length || read === 0 || (!index.ready.two_sided && state.side === "any");
  showBeyond(state, whole, labelled && state.side !== "any");
}

// Below the lists: what else there is, a click away.
function showBeyond(state, whole, apart) {
  const number = numberOf(whole, state);
  const beyond = apart && number ? [makeLink("", address(changed(state, { side: "any" })), `All ${count(number)} in one list`)] : [];
  const other = state.discriminative ? whole.common : whole.total - whole.discriminative - (whole.by_meaning ?? 0);
  if (other > 0 && other < whole.total + (whole.common ?? 0)) {
    const words = changed(state, { discriminative: !state.discriminative });
    const [told, does] = state.discriminative ? ["more", "show these too"] : ["of them", "leave these out"];
    const link = makeLink("", address(words), does);
    beyond.push(make("span", "", `${count(other)} ${told} share only common words with your question: `, link, "."));
  }
  $("beyond").replaceChildren(...beyond);
  $("beyond").hidden = !beyond.length;
}

function showMeant(state, { suggestion }) {
  $("meant").hidden = !suggestion;
  if (!suggestion) return;
  const link = makeLink("", address(changed(state, { q: suggestion })), make("bdi", "", suggestion));
  $("meant").replaceChildren("Did you mean ", link, "?");
}

// How many there are, near-duplicates once where they are collapsed.
const numberOf = ({ total, groups = total }, state) => (state.collapse ? groups : total);

// What a reader wants to know of it; the rest is for researchers, and which question sides are read for stands below.
function totalText(whole, state, off) {
  const order = state.sort ? ` Order: ${orderText(state.sort)}.` : "";
  const notes = whole.notes.filter((note) => !isTold(note, whole) && !(off && note.startsWith("none of these results")));
  const said = notes.length ? ` Note: ${notes.join("; ")}.` : "";
  const number = numberOf(whole, state);
  const sides = index.ready.two_sided ? countsText(whole, number) : ".";
  const { read } = whole.balance;
  const those = read < number ? `the first ${count(read)} of ${count(number)}` : `the ${count(number)}`;
  const found = off ? `None of ${those} arguments found is clearly about your question`
    : number || !whole.balance.question ? `${some(number, "argument")} found` : "No argument has the words of your question";
  return `${found}${sides}${order}${said}`;
}

// Every total, how long it took and by what.
function tellResearchers({ total, by_meaning: more = 0, common, discriminative, groups, config, fingerprint }, time) {
  const parts = [
    `${count(total + (common ?? 0))} match, ${count(discriminative)} by a discriminative word`,
    ...(more ? [`${count(more)} by meaning alone`] : []),
    ...(groups === undefined ? [] : [`${count(groups)} of ${count(total)} without near-duplicates`]),
    `${time.toFixed(1)} ms`, `configuration ${config}`, `index ${fingerprint.slice(0, 12)}`,
  ];
  $("numbers").textContent = `${parts.join("; ")}.`;
}

async function offerHelp(state, whole) {
  const box = $("columns").querySelector(".empty");
  try {
    box.append(...(await helpElements(state, whole, running)));
  } catch (error) {
    if (error.name !== "AbortError") fail(error.message);
  }
}

// From one column to the other, by thumb and keyboard: above the list, where its head stays in sight, and below it.
function showWayAcross(from, to) {
  const link = () => {
    const across = makeLink("across", `#title-${to}`, `See ${TITLES[to].toLowerCase()}`);
    across.addEventListener("click", (event) => {
      event.preventDefault(); // the address stays the state
      $("columns").querySelector(`.column.${to}`).scrollIntoView();
      $(`title-${to}`).focus({ preventScroll: true });
    });
    return across;
  };
  const column = $("columns").querySelector(`.column.${from}`);
  column.querySelector("h2").after(link());
  column.append(link());
}

// Unclear ones are in neither column: they are a list of their own, on demand.
function unclearButton(text) {
  const button = makeButton("", async () => {
    if ($("rest").hasChildNodes()) {
      $("rest").replaceChildren();
      button.setAttribute("aria-expanded", "false");
      return;
    }
    button.disabled = true;
    try {
      const answer = await answerOf(shown, "unclear", { k: PAGE }, running);
      $("rest").replaceChildren(columnElement("unclear", answer, shown, { labelled: true }));
      button.setAttribute("aria-expanded", "true");
      button.disabled = false;
      $("rest").querySelector("h3")?.focus();
    } catch (error) {
      if (error.name !== "AbortError") fail(error.message);
    }
    button.disabled = false;
  }, text);
  button.id = "unclear";
  button.setAttribute("aria-expanded", "false");
  return button;
}

function columnElement(side, answer, state, known) {
  const how = { ...known, rerank: answer.rerank, first_weak_rank: answer.first_weak_rank };
  const column = clone("column");
  column.classList.add(side);
  const title = column.querySelector("h2");
  const one = side === "any"; // whose title names the unit
  titleList(title, TITLES[side], one ? numberOf(answer, state) : answer.total, one ? "" : "argument");
  // Such a claim, from Claim.reading, is a question of yes or no.
  const said = answer.balance.claim?.startsWith("yes to ") && { for: "yes", against: "no" }[side];
  if (said) title.append(make("span", "said", ` ${answer.total === 1 ? "says" : "say"} ${said}`));
  title.id = `title-${side}`;
  title.tabIndex = -1;
  column.setAttribute("aria-label", TITLES[side]);
  const list = column.querySelector("ol");
  appendHits(list, answer.hits, side, state, how);
  const links = column.querySelector(".export");
  links.hidden = answer.hits.length === 0;
  onFirstOpen(links, (box) => box.append(...exportElements(side, state, list)));
  const empty = column.querySelector(".empty");
  empty.hidden = answer.hits.length > 0;
  empty.textContent = emptyText(side, answer);
  const button = column.querySelector(".more");
  const place = { side, list, button, seen: new Set(answer.hits.map((hit) => hit.id)) };
  button.addEventListener("click", () => loadMore(place, how));
  offerMore(place, leftOf(side, answer));
  return column;
}

function emptyText(side, { total, common, balance: { read } }) {
  if (side === "any" || read === 0) {
    return total || common ? "Arguments share only common words with your question. " : "No argument has any of these words. ";
  }
  const are = side === "unclear" ? "is unclear" : `is clearly ${TITLES[side].toLowerCase()} it`;
  return `None of the ${count(read)} arguments read ${are}. `;
}

async function loadMore({ side, list, button, seen }, how) {
  const state = shown;
  const have = list.children.length;
  button.disabled = true;
  try {
    const answer = await answerOf(state, side, { k: PAGE, page: Math.floor(have / PAGE) + 1 }, running);
    const fresh = answer.hits.filter((hit) => hit.rank > have && !seen.has(hit.id));
    fresh.forEach((hit) => seen.add(hit.id));
    // Each page has its own first weak rank: stronger hits on this one move the mark below them.
    if (fresh.length && (answer.first_weak_rank ?? Infinity) > fresh[0].rank) list.querySelector(".weak")?.remove();
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
