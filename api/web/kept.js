// The view of kept arguments: to read, to compare, to save as a file, to remove.
import { api, ask, fetchAnswer, home, NAMED, pageOf } from "./ask.js";
import { cardElement, replaceResults } from "./cards.js";
import { pickElement, premiseElements, saidElements } from "./hits.js";
import { $, count, disclosure, fail, make, makeButton, makeLink, quoted, say, some } from "./make.js";
import { isSame, store, stored } from "./store.js";

const FORMATS = { markdown: ["Markdown", "md"], bibtex: ["BibTeX", "bib"], csv: ["CSV", "csv"] };
const PLACES = { for: 0, against: 1 }; // in the list; all others come last
const LABELS = ["item", "argument", "side", "question", "usable", "right", "snippet", "exists"]; // as in studies/reader
const QUESTIONS = ["id", "kinds", "question", "subject"];

export async function showKept() {
  await null; // until the page has said that it searches
  show();
}

// By question, in the order in which they were kept.
function show() {
  const questions = questionsOf(stored("kept"));
  const place = ({ q, side }) => 3 * questions.indexOf(q) + (PLACES[side?.value] ?? 2);
  const kept = [...stored("kept")].sort((a, b) => place(a) - place(b));
  const list = make("ol", "", ...kept.map((one, i) => keptElement(one, i + 1)));
  const column = make("section", "column", toolsElement(list), list);
  column.setAttribute("aria-label", "Kept arguments");
  const none = make("p", "empty", "You have kept nothing yet. Search, and choose “Keep” below an argument.");
  replaceResults(...(kept.length ? [column] : [none]), ...labelElements());
  $("columns").className = "columns";
  say(kept.length ? `${some(kept.length, "argument")} kept in this browser, for ${some(questions.length, "question")}.` : "");
}

const questionsOf = (items) => [...new Set(items.map(({ q }) => q))];

function keptElement(one, rank) {
  const { id, q, side } = one;
  const asked = make("p", "source", "Kept for: ", makeLink("", home({ ...NAMED, q }), quoted(q)));
  const text = disclosure("text", "Full text", async (box) => {
    box.append(...premiseElements(await ask(api(`arguments/${encodeURIComponent(id)}`))));
  });
  const remove = makeButton("keep", () => {
    if (!store("kept", stored("kept").filter((other) => !isSame(one)(other)), remove)) return;
    show();
    const leads = $("columns").querySelectorAll(".lead");
    (leads[Math.min(rank, leads.length) - 1] ?? $("results")).focus();
  }, "Remove", make("span", "hidden", ` number ${rank}`));
  const page = makeLink("own-page open", pageOf(id, { q }), "Argument’s page");
  const said = [...saidElements(one, Boolean(side)), asked];
  return cardElement({ ...one, rank }, said, [text, page, pickElement({ id, rank }), remove]);
}

function toolsElement(list) {
  const picked = () => [...list.children].filter((item) => item.querySelector(".pick").checked);
  const chosen = make("p", "count");
  const compare = makeButton("", () => {
    compare.setAttribute("aria-pressed", compare.getAttribute("aria-pressed") !== "true");
    tell();
  }, "Compare picked");
  const tell = () => {
    compare.disabled = picked().length < 2;
    const on = !compare.disabled && compare.getAttribute("aria-pressed") === "true";
    compare.setAttribute("aria-pressed", on);
    $("columns").className = on ? "columns wide comparing" : "columns";
    for (const item of list.children) item.hidden = on && !picked().includes(item);
    if (on) picked().forEach((item) => { item.querySelector(".text").open = true; });
    chosen.textContent = picked().length ? `Only the picked arguments are saved: ${count(picked().length)}` : "";
  };
  const saves = Object.entries(FORMATS).map(([format, [label, ending]]) =>
    makeButton("", () => saveAs(format, `kept.${ending}`, picked().length ? picked() : [...list.children]), `Save as ${label}`));
  const clear = makeButton("", () => {
    if (confirm(`Remove all ${some(list.children.length, "kept argument")}?`) && store("kept", [], clear)) show();
  }, "Remove all");
  list.addEventListener("change", tell);
  const tools = make("header", "tools", make("h2", "hidden", some(list.children.length, "argument")), compare, ...saves, clear, chosen);
  compare.disabled = true;
  compare.setAttribute("aria-pressed", false);
  return tools;
}

async function saveAs(format, name, items) {
  const hits = items.map(({ hit }) => hit);
  try {
    fail("");
    const gone = new Set();
    const text = await exported(format, hits).catch((error) => {
      error.missing?.forEach((id) => gone.add(id));
      if (!gone.size || hits.every(({ id }) => gone.has(id))) throw error;
      return exported(format, hits.filter(({ id }) => !gone.has(id)));
    });
    save(text, name);
    const names = hits.filter(({ id }) => gone.has(id)).map(({ conclusion, id }) => `“${conclusion ?? id}”`);
    if (gone.size) fail(`Saved without what is no longer in this collection: ${names.join(", ")}.`);
  } catch (error) {
    fail(error.missing ? "None of these arguments is in this collection any more." : error.message);
  }
}

async function exported(format, hits) {
  const wanted = hits.map(({ id, q, side }) => ({ id, question: q, side: side?.value ?? "" }));
  const body = JSON.stringify({ format, arguments: wanted });
  return (await fetchAnswer(api("export"), undefined, { method: "POST", body })).blob();
}

let file = ""; // the address of what was saved last; the browser may read it until something else is saved

function save(content, name) {
  URL.revokeObjectURL(file);
  file = URL.createObjectURL(new Blob([content]));
  const link = makeLink("", file);
  link.download = name;
  link.click();
}

// Labels go nowhere but into a file: the rows, and the questions that their numbers stand for.
function labelElements() {
  const labels = stored("labels");
  if (!labels.length) return [];
  const questions = questionsOf(labels);
  const rows = labels.map(({ id, q, side, right, usable, snippet }, i) => [
    `P${questions.indexOf(q) + 1}.${i + 1}`, id, side, q, Number(usable), right === "neither" ? "n" : Number(right === side), Number(snippet), "",
  ]);
  const asked = questions.map((q, i) => [`P${i + 1}`, "", q, q]);
  const clear = makeButton("", () => {
    if (confirm(`Delete all ${some(labels.length, "label")}?`) && store("labels", [], clear)) show();
  }, "Delete labels");
  const tools = make("div", "tools",
    makeButton("", () => save(table([LABELS, ...rows]), "labels.tsv"), `Download labels (${count(labels.length)})`),
    makeButton("", () => save(table([QUESTIONS, ...asked]), "questions.tsv"), "Download their questions"), clear);
  return [tools];
}

// Tab-separated values; a cell with a quotation mark is quoted.
function table(rows) {
  const cell = (value) => {
    const text = String(value).replace(/\s+/g, " ");
    return text.includes('"') ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => `${row.map(cell).join("\t")}\n`).join("");
}
