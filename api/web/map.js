// The map of the corpus: topical clusters as circles, where the question lies, and all of it as a table.
import { api, ask } from "./ask.js";
import { $, count, make, makeButton, makeLink, quoted, say, some } from "./make.js";
import { address, changed } from "./state.js";

const SVG = $("picture").content.firstElementChild.namespaceURI;
const NEAREST = 5; // clusters that are marked as the question's place, at most
const NEAR = 0.3; // the least closeness, a cosine, of such a cluster,
const AS_NEAR = 0.7; // and its least share of the nearest one's
const STEP = 1.5; // of one zoom
const MEASURE = document.createElement("canvas").getContext("2d"); // of texts
const EM = 100; // points of its letters
const LETTERS = 12; // pixels of a label's letters, at least
const SMALLER = 0.9; // of one size of letters to the next

let view = null; // what the picture shows: x, y and width, in the map's own measure
let whole = null;

export async function showMap(state, signal) {
  const { clusters } = await ask(api("map", { q: state.q }), signal);
  const near = [...clusters].sort((a, b) => b.similarity - a.similarity);
  const least = Math.max(NEAR, AS_NEAR * (near[0]?.similarity ?? 0));
  const places = state.q ? near.slice(0, NEAREST).filter((one) => one.similarity >= least) : [];
  const nearest = new Set(places.map((one) => one.cluster));
  const picture = pictureElement(clusters, nearest, state);
  $("columns").className = "columns wide";
  const map = make("div", "map", zoomElement(picture, near, nearest), picture);
  $("columns").replaceChildren(map, tableElement(state.q ? near : clusters, state));
  const place = nearest.size ? ` Your question is nearest to “${clusterName(near[0])}”.` : state.q ? " None is near your question." : "";
  say(`${some(clusters.length, "topical cluster")}; each leads to its arguments${state.q ? " for your question" : ""}.${place}`);
}

// Its most telling words: the most frequent conclusion may be about something else than the rest.
const clusterName = ({ words, conclusions, cluster }) => words.join(", ") || conclusions[0] || `Cluster ${cluster}`;

// To the arguments of a cluster: those for the question or, without one, for its name.
const leadsTo = (one, state) =>
  address(changed(state, { q: state.q || clusterName(one), view: "arguments", where: [`cluster = ${one.cluster}`] }));

function draw(tag, attributes, ...content) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...content);
  return element;
}

function pictureElement(clusters, nearest, state) {
  const links = clusters.map((one) => {
    const link = draw("a", { href: leadsTo(one, state), class: nearest.has(one.cluster) ? "near" : "", tabindex: -1 });
    const title = draw("title", {}, `${clusterName(one)}: ${some(one.arguments, "argument")}`);
    link.append(title, draw("circle", { cx: one.x, cy: one.y, r: one.r }));
    return Object.assign(link, { of: one });
  });
  const labels = draw("g", { class: "labels" }); // over all circles
  const picture = draw("svg", { "aria-hidden": true }, ...links, labels); // the table has the same, for all
  const ends = (axis, sign) => clusters.map((one) => one[axis] + sign * one.r);
  const bounds = ["x", "y"].map((axis) => [Math.min(...ends(axis, -1)), Math.max(...ends(axis, 1))]);
  const width = Math.max(...bounds.map(([low, high]) => high - low)) * 1.04;
  whole = { x: (bounds[0][0] + bounds[0][1] - width) / 2, y: (bounds[1][0] + bounds[1][1] - width) / 2, width };
  look(picture, whole);
  new ResizeObserver(() => label(picture)).observe(picture);
  picture.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return; // the page goes on scrolling
    event.preventDefault();
    zoom(picture, event.deltaY < 0 ? 1 / STEP : STEP, pointOf(picture, event));
  }, { passive: false });
  dragging(picture);
  return picture;
}

// Draw labels for the current zoom: inside circles that have room for readable letters, else over circles where no
// other label is. Circles near the question and large ones come first; zooming in makes room for the others.
function label(picture) {
  const scale = picture.getScreenCTM()?.a;
  if (!scale) return;
  MEASURE.font = `${EM}px ${getComputedStyle(document.body).fontFamily}`;
  const links = [...picture.querySelectorAll("a")].sort((a, b) => b.matches(".near") - a.matches(".near") || b.of.r - a.of.r);
  const placed = new Map();
  const place = (link, lines) => {
    const others = [...placed].flatMap(([other, its]) => (other === link ? [] : its));
    if (!lines.some((line) => others.some((other) => isOver(line, other)))) placed.set(link, lines);
  };
  const least = LETTERS / scale;
  for (const link of links) place(link, linesIn(link.of, least) ?? linesOver(link.of, least, 1));
  for (const link of links) if (placed.get(link)?.length === 1) place(link, linesIn(link.of, least) ?? linesOver(link.of, least, 2));
  const texts = [...placed].flatMap(([link, lines]) => lines.map(({ text, x, y, height }) =>
    draw("text", { x, y: y + height, "font-size": height, class: link.matches(".near") ? "here" : "" }, text)));
  picture.querySelector(".labels").replaceChildren(...texts);
}

// Measured once for each text, because zooming draws all labels again.
const widths = new Map();
function widthOf(text) {
  if (!widths.has(text)) widths.set(text, MEASURE.measureText(text).width / EM);
  return widths.get(text);
}

// A line of a label: its text, position and size.
const lineOf = (one, height, lines) => (text, i) => {
  const width = widthOf(text) * height;
  const most = whole.x + whole.width - width / 2;
  return { text, x: Math.max(whole.x + width / 2, Math.min(most, one.x)), y: one.y + (i - lines / 2) * 1.2 * height, width, height };
};
const isOver = (a, b) => 2 * Math.abs(a.x - b.x) < a.width + b.width + 0.25 * (a.height + b.height) && Math.abs(a.y - b.y) < 0.6 * (a.height + b.height);

// The first words of a name, a line each, over a circle that is too small for them.
const linesOver = (one, least, most) => {
  const words = clusterName(one).split(/,? /).slice(0, most);
  return words.map((word, i) => (i < words.length - 1 ? `${word},` : word)).map(lineOf(one, least, words.length));
};

// A name in up to three lines inside its circle, as large as there is room for; null where it cannot be read.
function linesIn(one, least) {
  for (let height = Math.max(least, one.r / 3.6); height >= least; height *= SMALLER) {
    const lines = [""];
    const fits = (text) => lineOf(one, height, 1)(text, 0).width <= 1.6 * one.r;
    for (const word of clusterName(one).split(" ")) {
      if (fits(`${lines.at(-1)} ${word}`.trim())) lines[lines.length - 1] = `${lines.at(-1)} ${word}`.trim();
      else lines.push(word);
    }
    const shown = lines.filter(Boolean);
    if (1.2 * height * shown.length <= 1.6 * one.r && shown.every(fits)) return shown.map(lineOf(one, height, shown.length));
  }
  return null;
}

function look(picture, next) {
  view = next;
  picture.setAttribute("viewBox", `${next.x} ${next.y} ${next.width} ${next.width}`);
  label(picture);
}

function zoom(picture, by, at = { x: view.x + view.width / 2, y: view.y + view.width / 2 }) {
  const width = Math.min(whole.width, view.width * by);
  const share = width / view.width;
  const next = { x: at.x - (at.x - view.x) * share, y: at.y - (at.y - view.y) * share, width };
  look(picture, width === whole.width ? whole : next);
}

function pointOf(picture, event) {
  const box = picture.getBoundingClientRect();
  const [right, down] = [(event.clientX - box.x) / box.width, (event.clientY - box.y) / box.height];
  return { x: view.x + right * view.width, y: view.y + down * view.width };
}

function dragging(picture) {
  let from = null;
  picture.addEventListener("pointerdown", (event) => {
    from = event.button === 0 ? { x: event.clientX, y: event.clientY, moved: false } : null;
  });
  picture.addEventListener("pointermove", (event) => {
    if (!from || view.width === whole.width) return;
    const scale = view.width / picture.getBoundingClientRect().width;
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    if (!from.moved && Math.hypot(dx, dy) < 5) return; // a click
    look(picture, { ...view, x: view.x - dx * scale, y: view.y - dy * scale });
    from = { x: event.clientX, y: event.clientY, moved: true };
  });
  picture.addEventListener("click", (event) => { if (from?.moved) event.preventDefault(); from = null; }, true);
  picture.addEventListener("pointerleave", () => { from = null; });
  picture.addEventListener("dragstart", (event) => event.preventDefault());
}

function zoomElement(picture, near, nearest) {
  const buttons = [
    makeButton("", () => zoom(picture, 1 / STEP), "Zoom in"),
    makeButton("", () => zoom(picture, STEP), "Zoom out"),
    makeButton("", () => look(picture, whole), "Whole map"),
  ];
  const best = near.find((one) => nearest.has(one.cluster));
  if (best) {
    const width = Math.min(whole.width, 6 * best.r + 0.15);
    const place = { x: best.x - width / 2, y: best.y - width / 2, width };
    buttons.push(makeButton("", () => look(picture, place), "My question’s place"));
  }
  const group = make("div", "zoom", ...buttons);
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", "Section of the map");
  return group;
}

function tableElement(clusters, state) {
  const cell = (tag, ...content) => make(tag, "", ...content);
  const head = ["Topic, and most frequent conclusions", "Arguments", ...(state.q ? ["Closeness"] : [])].map((name) => {
    const th = cell("th", name);
    th.scope = "col";
    return th;
  });
  const rows = clusters.map((one) => {
    const names = one.conclusions.flatMap((text, i) => [i ? "; " : ": ", quoted(text)]);
    const link = makeLink("", leadsTo(one, state), quoted(clusterName(one)));
    const close = state.q ? [cell("td", one.similarity.toFixed(2))] : [];
    return make("tr", "", cell("td", link, ...names), cell("td", count(one.arguments)), ...close);
  });
  const title = make("caption", "", "The map as a table");
  return make("table", "clusters", title, make("thead", "", make("tr", "", ...head)), make("tbody", "", ...rows));
}
