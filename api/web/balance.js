// How the best arguments stand to the question: which lists are shown, and what is said of them.
import { count, make } from "./make.js";

// The lists for a choice of sides: none for an empty one of two, all in one where nothing is classified.
export function sidesOf(chosen, { balance: { counts } }) {
  if (counts.for + counts.against === 0 && chosen[0] !== "unclear") return ["any"];
  return chosen.length > 1 ? chosen.filter((side) => counts[side] > 0) : chosen;
}

// What is on no side: because that is not clear, or because it speaks of something else.
export function unclearText({ counts, off_question: off = 0 }) {
  const unclear = counts.unclear - off ? [`${count(counts.unclear - off)} unclear`] : [];
  return [...unclear, ...(off ? [`${count(off)} not about your question`] : [])].join(", ") || "0 unclear";
}

// Never more than was read: the sides of the other arguments are not known. `unclear` may be a button.
export function balanceElements({ total, balance: { read, counts, claim, directed, sided, question, concluded, ...balance } }, unclear) {
  const of = read < total ? `the first ${count(read)} arguments` : `the ${count(read)} argument${read === 1 ? "" : "s"} found`;
  if (!sided) return ["Your question has no sides; what was found is one list."];
  if (counts.for + counts.against === 0) {
    return [`The side of your question is clear for none of ${of}; they are one list.`];
  }
  const sides = `Of ${of} ${counts.for} ${counts.for === 1 ? "is" : "are"} for, ${counts.against} against, `;
  const parts = [make("span", "", sides, unclear || unclearText({ counts, ...balance }), ". ")];
  const why = concluded ? "Your question is in other words than these arguments: for" : "For";
  if (question) parts.push(make("span", "asked", `${why} and against are read for “`, make("bdi", "", question), "”. "));
  if (!directed) parts.push(make("span", "claim", "Your question names no direction: “for” means that ", make("bdi", "", claim), ". "));
  return parts;
}
