// Suggestions while typing: a combobox with a list of the corpus' conclusions (ARIA 1.2, list autocomplete).
import { api, ask } from "./ask.js";
import { $, count, make, quoted } from "./make.js";

const COMBOBOX = {
  role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": "suggestions",
  "aria-haspopup": "listbox",
};
const MOST = 8;
const WAIT = 60; // milliseconds after a keystroke, so that a fast typist asks once

let asked = null;
let timer = 0;
let typed = ""; // what was typed, which Escape and moving past the ends bring back

const box = () => $("q");
const options = () => [...$("suggestions").children];
const isOpen = () => !$("suggestions").hidden;
const current = () => options().findIndex((option) => option.getAttribute("aria-selected") === "true");

export function close() {
  clearTimeout(timer);
  asked?.abort();
  $("suggestions").hidden = true;
  box().setAttribute("aria-expanded", "false");
  box().removeAttribute("aria-activedescendant");
}

async function suggest() {
  asked?.abort();
  asked = new AbortController();
  typed = box().value;
  if (!typed.trim()) return close();
  try {
    const { suggestions } = await ask(api("suggest", { q: typed.slice(-2000), k: MOST }), asked.signal);
    if (document.activeElement === box()) show(suggestions);
  } catch (error) {
    if (error.name !== "AbortError") close(); // what was typed can be asked without suggestions
  }
}

function show(suggestions) {
  $("suggestions").replaceChildren(...suggestions.map(({ text, arguments: number }, i) => {
    const option = make("li", "", quoted(text), " ", make("span", "number", count(number), make("span", "hidden", " arguments")));
    option.id = `suggestion-${i}`;
    option.setAttribute("role", "option");
    option.setAttribute("aria-selected", "false");
    option.text = text;
    return option;
  }));
  $("suggestions").hidden = suggestions.length === 0;
  box().setAttribute("aria-expanded", String(suggestions.length > 0));
  box().removeAttribute("aria-activedescendant");
  $("suggested").textContent = suggestions.length ? `${suggestions.length} suggestions, arrow keys to choose` : "";
}

// -1 is the box itself with what was typed, which may be ahead of the list.
function mark(place) {
  if (current() < 0) typed = box().value;
  clearTimeout(timer);
  asked?.abort();
  options().forEach((option, i) => option.setAttribute("aria-selected", String(i === place)));
  box().value = place < 0 ? typed : options()[place].text;
  if (place < 0) return box().removeAttribute("aria-activedescendant");
  box().setAttribute("aria-activedescendant", options()[place].id);
  options()[place].scrollIntoView({ block: "nearest" });
}

function onKey(event) {
  if (event.isComposing || event.ctrlKey || event.metaKey) return;
  const down = event.key === "ArrowDown";
  if (down || event.key === "ArrowUp") {
    event.preventDefault();
    if (!isOpen()) return void suggest();
    const number = options().length + 1; // the box is one of the places
    mark(((current() + 1 + (down ? 1 : number - 1)) % number) - 1);
  } else if (event.key === "Escape" && isOpen()) {
    event.preventDefault(); // the first press closes the list, it does not empty the box
    mark(-1);
    close();
  } else if (event.key === "Tab" || event.key === "Enter") {
    close(); // Enter asks for what is in the box
  }
}

export function prepareSuggestions() {
  const input = box();
  for (const [name, value] of Object.entries(COMBOBOX)) input.setAttribute(name, value);
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(suggest, WAIT);
  });
  input.addEventListener("keydown", onKey);
  input.addEventListener("blur", close);
  $("suggestions").addEventListener("mousedown", (event) => event.preventDefault()); // the box keeps the focus
  $("suggestions").addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (!option) return;
    input.value = option.text;
    close();
    $("search").requestSubmit();
  });
}
