// The balance of the best arguments: the lists to show, and the sentences about them.
import { count, make } from "./make.js";

// The lists for a choice of sides: no list for an empty side, a single list if no side is known.
export function sidesOf(chosen, { balance: { counts } }) {
  if (counts.for + counts.against === 0 && chosen[0] !== "unclear") return ["any"];
  return chosen.length > 1 ? chosen.filter((side) => counts[side] > 0) : chosen;
}

// Arguments on no side, either unclear or off the subject.
export function unclearText({ counts, off_question: off = 0 }) {
  const unclear = counts.unclear - off ? [`${count(counts.unclear - off)} unclear`] : [];
  return [...unclear, ...(off ? [`${count(off)} not about your question`] : [])].join(", ") || "0 unclear";
}

// Only for the arguments that were read: the sides of others are unknown. `unclear` may be a button.
export function balanceElements({ total, balance: { read, counts, claim, directed, sided, question, ...balance } }, unclear) {
  const of = read < total ? `the first ${count(read)} arguments` : `the ${count(read)} argument${read === 1 ? "" : "s"} found`;
  if (!sided) return ["Your question has no sides, so all results are in one list."];
  if (counts.for + counts.against === 0) {
    return [`No side is clear for ${of}, so they are in one list.`];
  }
  const sides = `Of ${of} ${counts.for} ${counts.for === 1 ? "is" : "are"} for, ${counts.against} against, `;
  const parts = [make("span", "", sides, unclear || unclearText({ counts, ...balance }), ". ")];
  if (question) parts.push(make("span", "asked", "For and against refer to “", make("bdi", "", question), "”. "));
  if (!directed) parts.push(make("span", "claim", "Your question does not name a side: “for” means that ", make("bdi", "", claim), ". "));
  return parts;
}
