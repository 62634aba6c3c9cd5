// What every part of the page is made with.
export const $ = (id) => document.getElementById(id);
export const say = (text) => { $("status").textContent = text; };
export const fail = (text) => { $("error").textContent = text; if (text) say(""); };
export const count = (number) => number.toLocaleString("en");

export function make(tag, className, ...content) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...content);
  return element;
}
