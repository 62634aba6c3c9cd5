// Arguments in a list: each as an element, with its citations and near-duplicates. Text only ever as text.
import { fetchAnswer, index, pageOf, request } from "./ask.js";
import { cardElement, leadElement, whyElement } from "./cards.js";
import { disclosure, fail, make, makeButton, makeLink, marked, quoted, say, some } from "./make.js";
import { briefReason, reasonElement, treeElement } from "./reasons.js";
import { keepElement, labelElement } from "./store.js";

export const TITLES = { for: "For", against: "Against", unclear: "Unclear", any: "All arguments" };
const WEAK = "From here on, arguments have little to do with your question";
const OWN = { PRO: "Supports", CON: "Opposes" }; // its own conclusion, a claim or a topic
const QUESTION = /^(am|are|can|could|did|do|does|had|has|have|is|may|might|must|ought|shall|should|was|were|will|would)\b|\?$/i; // as in cards.py
const ANSWERS = { PRO: "Says yes to", CON: "Says no to" }; // a conclusion that is a question
const BEGINNING = 12; // words of a text that stand for a missing title
const MOST_EXPLAINED = 100; // hits of one request with explain
const FORMATS = [["csv", "CSV", "csv"], ["json", "JSON", "json"], ["markdown", "Markdown", "md"], ["bibtex", "BibTeX", "bib"]];
const MAPS = [["argdown", "Argument map (Argdown)", "argdown"], ["cards", "Debate cards", "html"]]; // of both sides where both are shown
const ABOUT = 0.5; // least probability of being about the question
const SURE = 80; // percent from which a side is not called probable

// What a card says. `labelled`: whether hits say their side; they do not where none of the list was classified.
export const saidElements = (hit, labelled) => [
  ...standElements(hit, labelled),
  leadElement("h3", "", ...titleElements(hit, labelled)),
  make("p", "sentence", ...(hit.sentence.text ? marked(hit.sentence) : [make("span", "none", "No premise is given.")])),
  ...(hit.sentence.beginning ? [make("p", "beginning", "This is the beginning of the text, as no sentence clearly states its point.")] : []),
  make("p", "source", ...originElements(hit)),
];

function argumentElement(hit, side, state, { labelled, rerank }) {
  const stands = labelled && hit.side ? { value: hit.side.value, probability: hit.side.probability, on_question: hit.side.on_question } : null;
  const why = whyElement((box) => {
    const trees = [treeElement([hit.explanation], "tree")]; // numbers come after the sentences
    box.append(reasonElement(hit, shownBeside(item), rerank));
    if (labelled && hit.side?.explanation) {
      const side = `Its side of your question: ${hit.side.value} (${Math.round(100 * hit.side.probability)} % sure).`;
      box.append(make("p", "reason", side));
      trees.push(treeElement([hit.side.explanation], "tree"));
    }
    box.append(...trees);
  }, `Why here? ${briefReason(hit)}`);
  const own = pageOf(hit.id, state);
  const item = cardElement(hit, saidElements(hit, labelled), [
    why,
    disclosure("text", "Full text", (box) => box.append(...premiseElements(hit))),
    ...(index.has("counter") ? [makeLink("counter open", `${own}#counter`, "Counter-arguments")] : []),
    keepElement({ ...hit, begins: beginningOf(hit) }, stands, state.q),
    rareElement(hit, [
      disclosure("cite", "Cite", (box) => box.append(...citeElements(hit, side, state))),
      makeLink("own-page open", own, "Argument’s page"),
      ...nearDuplicateElements(hit, state),
      ...(["for", "against"].includes(stands?.value) ? [labelElement(hit, stands.value, state.q)] : []),
      pickElement(hit),
    ]),
  ]);
  item.retell = () => {
    why.querySelector(".reason")?.replaceWith(reasonElement(hit, shownBeside(item), rerank));
  };
  return item;
}

// One control, "More", that opens those that few readers need.
function rareElement({ rank }, controls) {
  const title = make("summary", "", "More", make("span", "hidden", ` for number ${rank}`));
  return make("details", "rare", title, make("div", "actions", ...controls));
}

// What is picked is exported alone.
export function pickElement({ id, rank }) {
  const box = make("input", "pick");
  box.type = "checkbox";
  box.value = id;
  return make("label", "picking", box, "Pick", make("span", "hidden", ` number ${rank}`));
}

const shownBeside = (item) => [...item.parentElement.children].map((other) => other.hit);

// Adds hits to a list; the ranks of all in it are told anew. The first weak match of it says so.
export function appendHits(list, hits, side, state, how) {
  const fresh = hits.map((hit) => argumentElement(hit, side, state, how));
  // Where all are weak, the line above the list says so.
  const weak = how.first_weak_rank && !how.off && fresh.find((item) => item.hit.rank >= how.first_weak_rank);
  if (weak && !list.querySelector(".weak")) weak.prepend(make("p", "weak", WEAK));
  list.append(...fresh);
  for (const item of list.children) item.retell();
}

// Near-duplicates that are collapsed into a hit, as links to their own pages.
function nearDuplicateElements({ near_duplicates: others }, state) {
  if (!others?.length) return [];
  const links = () => others.map((id) => make("li", "", makeLink("", pageOf(id, state), quoted(id))));
  return [disclosure("near-duplicates", `${some(others.length, "more", "more")} like this`, (list) => list.append(...links()), "ul")];
}

// For or against the question, where sides are known.
const standElements = (hit, labelled) =>
  labelled && hit.side ? [make("p", "towards", make("span", `side ${hit.side.value}`, sideText(hit.side)))] : [];

// The title: the conclusion, marked if the argument disagrees with it, or else the beginning of the text.
function titleElements(hit, labelled) {
  const { conclusion, stance } = hit;
  if (!conclusion) return [make("span", "own", "No title; begins: "), "“", quoted(hit.begins ?? beginningOf(hit)), "”"];
  const own = index.ready.two_sided && (stance === "CON" || !labelled) && (QUESTION.test(conclusion.trim()) ? ANSWERS : OWN)[stance];
  return own ? [make("span", "own", `${own}: `), "“", quoted(conclusion), "”"] : [quoted(conclusion)];
}

function beginningOf({ conclusion, premises, sentence }) {
  if (conclusion) return undefined;
  const words = (premises?.map(({ text }) => text).join(" ") || sentence.text).trim().split(/\s+/);
  return words.length > BEGINNING ? `${words.slice(0, BEGINNING).join(" ")} …` : words.join(" ");
}

function sideText({ value, probability, on_question: on }) {
  if (value !== "unclear") return Math.round(100 * probability) >= SURE ? TITLES[value] : `Probably ${value}`;
  if (on < ABOUT) return "Probably not about your question";
  return probability ? "Side unclear" : "Side unclear: it only repeats the question’s words";
}

// The source: author, debate, website and year as far as the collection gives them, and what it does not give.
function originElements({ conclusion, source: { title, author, name, portal, date, url } }) {
  const link = make(url ? "a" : "span");
  if (url) Object.assign(link, { href: url, rel: "noopener noreferrer external" });
  const site = link.hostname?.replace(/^www\./, "") || portal;
  const debate = name === conclusion ? "a debate with this title" : `the debate “${name}”`;
  const known = [author, name && debate, site, date?.slice(0, 4)].filter(Boolean);
  const missing = [...(site ? [] : ["website"]), ...(date ? [] : ["year"])].join(" or ");
  link.append(quoted(known.join(", ") || `only an id is given, ${title}`));
  return ["Source: ", link, missing && known.length ? `; no ${missing} given` : ""];
}

export function premiseElements(hit) {
  const texts = hit.premises.filter((premise) => premise.text.trim());
  return texts.length ? texts.map((premise) => make("p", "", premise.text)) : [make("p", "none", "No premise is given.")];
}

function citeElements(hit, side, state) {
  const text = make("pre", "");
  text.hidden = true;
  const buttons = [["bibtex", "Copy BibTeX"], ["markdown", "Copy Markdown"]].map(([format, label]) => {
    return makeButton("", async () => {
      try {
        const url = request(state, side, { k: 1, page: hit.rank, format });
        text.textContent = await (await fetchAnswer(url)).text();
        text.hidden = false;
        say((await copy(text.textContent)) ? "Copied." : "Copying is not allowed here; the text is shown below the button.");
      } catch (error) {
        fail(error.message);
      }
    }, label);
  });
  return [...buttons, text];
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

// Links to what is shown in a list, or to what is picked of it; told anew when something is picked.
export function exportElements(side, state, list) {
  const links = [...FORMATS, ...MAPS].map(([format, label, ending]) => {
    const both = state.side === "both" && side !== "unclear" && MAPS.some(([map]) => map === format);
    const of = both ? "both" : side;
    const link = makeLink("", "#", both ? `${label}, both sides` : label);
    link.download = `arguments${of === "any" ? "" : `-${of}`}.${ending}`;
    link.tell = () => {
      const explain = format === "json" && state.n <= MOST_EXPLAINED;
      const picked = [...(both ? list.closest(".columns") : list).querySelectorAll(".pick:checked")];
      const only = picked.map((box) => `&only=${encodeURIComponent(box.value)}`).join("");
      link.href = request(state, of, { k: Math.max(state.n, list.children.length), page: 1, format, explain }) + only;
    };
    return link;
  });
  const said = make("p", "picked");
  const tell = () => {
    links.forEach((link) => link.tell());
    const picked = list.closest(".columns, .rest").querySelectorAll(".pick:checked").length;
    said.textContent = picked ? `Only picked arguments: ${picked}` : "";
    said.hidden = !picked;
  };
  list.closest(".columns, .rest").addEventListener("change", tell);
  new MutationObserver(tell).observe(list, { childList: true });
  tell();
  return [said, ...links].map((one) => make("li", "", one));
}
