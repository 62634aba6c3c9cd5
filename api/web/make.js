// What every part of the page is made with.
export const $ = (id) => document.getElementById(id);
export const say = (text) => { $("status").textContent = text; };
export const fail = (text) => { $("error").textContent = text; if (text) say(""); };
export const count = (number) => number.toLocaleString("en");
export const some = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

export function make(tag, className, ...content) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...content);
  return element;
}

export function makeButton(className, onClick, ...content) {
  const button = make("button", className, ...content);
  button.type = "button";
  button.addEventListener("click", onClick);
  return button;
}

export function makeLink(className, href, ...content) {
  const link = make("a", className, ...content);
  link.href = href;
  return link;
}

// Text of a corpus or a caller: what it says of its direction ends with it.
export const quoted = (text) => make("bdi", "", text);

export const clone = (id) => $(id).content.cloneNode(true).firstElementChild;

// A disclosure that is filled when it is first opened; `fill` may wait for an answer.
export function onFirstOpen(details, fill) {
  const box = details.querySelector(":scope > div, :scope > ul");
  details.addEventListener("toggle", async () => {
    if (!details.open || box.hasChildNodes()) return;
    try {
      await fill(box);
    } catch (error) {
      if (error.name !== "AbortError") fail(error.message);
    }
  });
}

export function disclosure(className, title, fill, box = "div") {
  const details = make("details", className, make("summary", "", title), make(box));
  onFirstOpen(details, fill);
  return details;
}

export function marked({ text, marks }) {
  const letters = Array.from(text); // marks count code points
  const pieces = [];
  let at = 0;
  for (const [begin, end] of marks) {
    pieces.push(letters.slice(at, begin).join(""), make("mark", "", letters.slice(begin, end).join("")));
    at = end;
  }
  return [...pieces, letters.slice(at).join("")];
}
