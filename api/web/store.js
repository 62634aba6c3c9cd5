// What a reader keeps in this browser, for the index of this page: arguments, and labels of their sides.
import { INDEX, ROOT } from "./ask.js";
import { $, disclosure, make, makeButton } from "./make.js";

const UNSTORED = "This browser cannot store it: its storage is blocked or full.";
const SAID = { for: "For", against: "Against", neither: "Neither" };
let lists = {}; // as they are stored

const nameOf = (what) => `argsearch.${what}.1 ${ROOT} ${INDEX}`; // 1: the form of its items

export function stored(what) {
  try {
    lists[what] ??= [...JSON.parse(localStorage.getItem(nameOf(what)) ?? "[]")];
  } catch {
    lists[what] = []; // blocked, or no list
  }
  return lists[what];
}

// Whether the list could be stored; else it is said after an element.
export function store(what, list, element) {
  try {
    localStorage.setItem(nameOf(what), JSON.stringify(list));
    lists[what] = list;
    tellKept();
    return true;
  } catch {
    const said = make("span", "unstored", UNSTORED);
    said.setAttribute("role", "alert");
    if (!element.nextElementSibling?.matches(".unstored")) element.after(said);
    return false;
  }
}

// The link to the list, with how many are kept; another tab may keep some too.
export function tellKept() {
  $("kept").hidden = false;
  $("kept").querySelector("a").textContent = `Kept (${stored("kept").length})`;
}

addEventListener("storage", () => { lists = {}; tellKept(); });

export const isSame = (one) => (other) => one.id === other.id && one.q === other.q;

// `side` is null where the card says none.
export function keepElement({ id, rank, conclusion, begins, stance, sentence, source }, side, q) {
  const kept = { id, q, conclusion, begins, stance, sentence, source, side };
  const name = make("span", "", stored("kept").some(isSame(kept)) ? "Kept" : "Keep");
  const button = makeButton("keep", () => {
    const others = stored("kept").filter((one) => !isSame(kept)(one));
    const keep = !stored("kept").some(isSame(kept)); // the list may have changed since this was drawn
    if (store("kept", keep ? [...others, kept] : others, button)) name.textContent = keep ? "Kept" : "Keep";
  }, name, make("span", "hidden", ` number ${rank}`));
  return button;
}

function choice(type, name, label, checked) {
  const input = make("input");
  Object.assign(input, { type, name, value: name, checked });
  return [input, make("label", "check", input, label)];
}

// A label of the side where an argument is shown, as a judge of `studies/reader` gives it.
export function labelElement({ id, rank }, shown, q) {
  return disclosure("wrong", "Wrong side?", (box) => {
    const said = stored("labels").find(isSame({ id, q })) ?? { right: shown === "for" ? "against" : "for", usable: true, snippet: true };
    const radios = Object.entries(SAID).map(([side, label]) => {
      const [input, element] = choice("radio", `right-${shown}-${rank}`, label, side === said.right);
      input.value = side;
      return [input, element];
    });
    const [usable, usableLabel] = choice("checkbox", "usable", "It is about the question and gives a reason", said.usable);
    const [snippet, snippetLabel] = choice("checkbox", "snippet", "The sentence shown is its main point", said.snippet);
    const button = makeButton("", () => {
      const right = radios.find(([input]) => input.checked)[0].value;
      const label = { id, q, side: shown, right, usable: usable.checked, snippet: snippet.checked };
      const others = stored("labels").filter((one) => !isSame(label)(one));
      if (store("labels", [...others, label], button)) button.textContent = "Saved: see “Kept”";
    }, "Save label");
    box.addEventListener("change", () => { button.textContent = "Save label"; });
    const sides = make("fieldset", "", make("legend", "", "This argument is"), ...radios.map(([, element]) => element));
    box.append(sides, usableLabel, snippetLabel, button);
  });
}
