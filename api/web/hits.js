// Arguments in a list: each as an element, with its citations and near-duplicates. Text only ever as text.
import { fetchAnswer, index, pageOf, request } from "./ask.js";
import { cardElement, leadElement, whyElement } from "./cards.js";
import { disclosure, fail, make, makeButton, makeLink, marked, quoted, say, some } from "./make.js";
import { qualityElements, reasonElement, treeElement } from "./reasons.js";

export const TITLES = { for: "For", against: "Against", unclear: "Unclear", any: "All arguments" };
const WEAK = "From here on, arguments have little to do with your question";
const OWN = { PRO: "Argues for", CON: "Argues against" }; // its own conclusion
const MOST_EXPLAINED = 100; // hits of one request with explain
const FORMATS = [["csv", "CSV", "csv"], ["json", "JSON", "json"], ["markdown", "Markdown", "md"], ["bibtex", "BibTeX", "bib"]];
const MAPS = [["argdown", "Argument map (Argdown)", "argdown"], ["cards", "Debate cards", "html"]]; // of both sides where both are shown
const ABOUT = 0.5; // least probability of being about the question
const SURE = [[90, "almost surely"], [75, "very likely"], [0, "likely"]]; // least percent

// `labelled`: whether hits say their side; they do not where none of the list was classified.
function argumentElement(hit, side, state, { labelled, rerank }) {
  const said = [
    ...(labelled && hit.side ? [make("p", "towards", ...sideElements(hit.side))] : []),
    leadElement("h3", "", ...ownElements(hit, index.ready.two_sided)),
    make("p", "sentence", ...(hit.sentence.text ? marked(hit.sentence) : [make("span", "none", "No premise is given.")])),
    ...(hit.sentence.beginning ? [make("p", "beginning", "This is the beginning of the text, as no sentence clearly states its point.")] : []),
    ...qualityElements(hit),
    make("p", "source", ...sourceElements(hit)),
  ];
  const why = whyElement((box) => {
    box.append(reasonElement(hit, shownBeside(item), rerank), treeElement([hit.explanation], "tree"));
    if (labelled && hit.side?.explanation) {
      box.append(make("p", "reason", "Its side of your question:"), treeElement([hit.side.explanation], "tree"));
    }
  });
  const own = pageOf(hit.id, state);
  const item = cardElement(hit, said, [
    disclosure("text", "Full text", (box) => box.append(...premiseElements(hit))),
    why,
    disclosure("cite", "Cite", (box) => box.append(...citeElements(hit, side, state))),
    ...nearDuplicateElements(hit, state),
    ...(index.has("counter") ? [makeLink("counter open", `${own}#counter`, "Counter-arguments")] : []),
    makeLink("own-page open", own, "Own page"),
    pickElement(hit),
  ]);
  item.retell = () => {
    why.querySelector(".reason")?.replaceWith(reasonElement(hit, shownBeside(item), rerank));
  };
  return item;
}

// What is picked is exported alone.
function pickElement({ id, rank }) {
  const box = make("input", "pick");
  box.type = "checkbox";
  box.value = id;
  return make("label", "picking", box, "Pick", make("span", "hidden", ` number ${rank}`));
}

const shownBeside = (item) => [...item.parentElement.children].map((other) => other.hit);

// Adds hits to a list; the ranks of all in it are told anew. The first weak match of it says so.
export function appendHits(list, hits, side, state, how) {
  const fresh = hits.map((hit) => argumentElement(hit, side, state, how));
  const weak = how.first_weak_rank && fresh.find((item) => item.hit.rank >= how.first_weak_rank);
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

function sideElements({ value, probability, on_question: on }) {
  const percent = Math.round(100 * probability);
  if (value === "unclear" && on < ABOUT) {
    return [make("span", "side", "Not about your question,"), ` as far as can be told (${Math.round(100 * (1 - on))} %)`];
  }
  if (value === "unclear") {
    const why = probability ? `the likelier side has ${percent} %` : "it only repeats the question’s words";
    return [make("span", "side", "Unclear:"), ` ${why}`];
  }
  const [, sure] = SURE.find(([least]) => percent >= least);
  return [make("span", `side ${value}`, `${TITLES[value]}:`), ` ${sure} (${percent} %)`];
}

// Its stance towards its own conclusion, which may be the opposite of what was asked.
function ownElements(hit, labelled) {
  const own = labelled ? [make("span", "own", `${OWN[hit.stance] || "On"}:`), " "] : [];
  return hit.conclusion ? [...own, "“", quoted(hit.conclusion), "”"] : [...own, "(no conclusion given)"];
}

function sourceElements(hit) {
  if (!hit.source.url) return [`Source: ${hit.source.title}`];
  const link = makeLink("", hit.source.url, hit.source.title);
  link.rel = "noopener noreferrer external";
  return ["Source: ", link];
}

function premiseElements(hit) {
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
