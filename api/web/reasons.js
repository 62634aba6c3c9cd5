// Why a hit stands where it stands, in words and as a tree.
import { make } from "./make.js";

const TELLING = 0.15; // share of the relevance from which a word is a reason
const MOST_WORDS = 4;
const NEAR = 0.25; // closeness of the topic, a cosine, from which it is near, and from which it is the same
const SAME = 0.5;
const LEAST = 0.005; // what a factor adds to be a reason
const COMMON = new Set(document.querySelector("main").dataset.common.split(" "));

const find = (node, symbol) => {
  if (node.symbol === symbol) return node;
  for (const detail of node.details) {
    const found = find(detail, symbol);
    if (found) return found;
  }
  return null;
};

// C is 1 + cos, in [0, 2], as some configurations read it, else in [0, 1].
function closeness(hit) {
  const node = find(hit.explanation, "C");
  return node && (node.description.startsWith("C, 1 + cos") ? node.value - 1 : node.value);
}

const percent = (factor) => `+${Math.round(100 * (factor - 1))} %`;

// How many of the hits shown are argued worse, and better, than this one.
function standing(hit, hits) {
  const quality = hit.factors?.predicted_quality;
  const count = (test) => hits.filter((other) => test(other.factors?.predicted_quality)).length;
  return { worse: count((other) => other < quality), better: count((other) => other > quality), others: hits.length - 1 };
}

// The matching words with the largest scores, in the order of the question, without common words such as "how".
function matchedWords(hit) {
  const relevance = find(hit.explanation, "R");
  const words = (relevance?.details || [])
    .filter(({ value, description }) => description.includes(": ") && value > 0 && value >= TELLING * relevance.value)
    .map(({ value, description }) => ({ value, word: description.split(": ")[0] }))
    .filter(({ word }) => !COMMON.has(word));
  const most = [...words].sort((a, b) => b.value - a.value).slice(0, MOST_WORDS);
  return words.filter((one) => most.includes(one)).map(({ word }) => word);
}

// The rank of a hit among those found by words, or by meaning, where both were asked.
const rankTerm = (hit, list) => find(hit.explanation, `1 / (κ + rank by ${list})`)?.value;

// The first reason in a few words.
export function briefReason(hit) {
  const words = matchedWords(hit);
  const card = new Set(`${hit.conclusion ?? ""} ${hit.sentence.text}`.toLowerCase().match(/[\p{L}\p{N}'’]+/gu));
  const [seen, unseen] = [true, false].map((there) => words.filter((word) => card.has(word) === there));
  const quotes = (some) => listed(some.map((word) => [`“${word}”`])).join("");
  const told = [seen.length && `It says ${quotes(seen)}`, unseen.length && `${seen.length ? "its" : "Its"} full text says ${quotes(unseen)}`];
  if (words.length) return told.filter(Boolean).join("; ");
  return rankTerm(hit, "meaning") ? "It is near your question by meaning" : "It has common words of your question";
}

// Pieces of text and elements as a list in words.
function listed(pieces) {
  return pieces.flatMap((piece, i) => (i ? [i === pieces.length - 1 ? " and " : ", ", ...piece] : piece));
}

function some(number, others) {
  if (number < others) return `${number} of the ${others} others shown`;
  return others === 1 ? "the other one shown" : `all ${others} others shown`;
}

export function reasonElement(hit, hits, rerank) {
  const { factors } = hit;
  const reasons = [];
  const words = matchedWords(hit);
  if (words.length) reasons.push(["matches ", ...listed(words.map((word) => [make("em", "", word)]))]);
  const close = closeness(hit);
  if (factors.cluster >= 1 + LEAST && close >= NEAR) {
    reasons.push([`is ${close >= SAME ? "about" : "near"} your subject (${percent(factors.cluster)})`]);
  }
  if (factors.premises >= 1 + LEAST) reasons.push([`has premises on your question (${percent(factors.premises)})`]);
  const { worse, better, others } = standing(hit, hits);
  const weighed = factors.quality >= 1 + LEAST;
  const good = weighed && worse > 0 && worse >= better;
  if (good) reasons.push([`is better argued than ${some(worse, others)} (${percent(factors.quality)})`]);
  if (rankTerm(hit, "meaning")) {
    reasons.push([`is near your question by meaning${rankTerm(hit, "words") ? " too" : ", whatever its words"}`]);
  }
  const text = make("p", "reason", "It ranks here because it ", ...(reasons.length ? listed(reasons) : ["has common words of your question"]));
  if (weighed && better > 0 && !good) text.append(`, although ${some(better, others)} ${better === 1 ? "is" : "are"} better argued`);
  text.append(rerank === "none" ? "." : `; then re-ranked (${rerank}).`);
  return text;
}

export function treeElement(nodes, className, depth = 0) {
  const list = make("ul", className);
  for (const node of nodes) {
    const line = [make("b", "", Number(node.value.toPrecision(5)).toString()), `  ${node.description}`];
    if (!node.details.length) {
      list.append(make("li", "", ...line));
      continue;
    }
    const branch = make("details", "", make("summary", "", ...line), treeElement(node.details, "", depth + 1));
    branch.open = depth < 3;
    list.append(make("li", "", branch));
  }
  return list;
}
