// The balance of the best arguments: the lists to show, and the sentences about them.
import { count, make } from "./make.js";

const MANY = 5; // arguments on a side, from which on
const LONE = 0.125; // of them on the other side are nearly none

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

// How many are for, against and neither, of those that were read: the sides of others are unknown. A full stop where no side is clear.
export function countsText({ balance: { read, counts }, little }, total) {
  const [few, many] = [counts.for, counts.against].sort((a, b) => a - b);
  if (!many) return ".";
  // Search by meaning may have read more than the words find.
  const which = read < total ? "first" : "nearest";
  const where = read === total ? ": " : `. Of the ${which} ${count(read)}: `;
  const neither = counts.unclear ? `, ${counts.unclear} neither` : "";
  const lone = many >= MANY && few <= LONE * many ? ` Nearly all with a clear side are ${counts.for > counts.against ? "for" : "against"}.` : "";
  return `${little ? ", but few are on a side" : ""}${where}${counts.for} for, ${counts.against} against${neither}.${lone}`;
}

// Notes that say no more than the counts, the lists or `balanceElements`.
export const isTold = (note, { balance: { question } }) =>
  note.startsWith("the question has no sides") || (question && note.includes(question)) ||
  note.startsWith("little was found");

// What a reader has to know beside the counts. `unclear` may be a button.
export function balanceElements({ total, balance: { read, counts, claim, directed, sided, question, ...balance } }, unclear) {
  const of = read < total ? `the first ${count(read)} arguments` : `the ${count(read)} argument${read === 1 ? "" : "s"} found`;
  if (!sided) return ["Your question has no sides, so all results are in one list. Ask if something should be, or is good, to see both sides."];
  if (counts.for + counts.against === 0) {
    return [`No side is clear for ${of}, so they are in one list.`];
  }
  const parts = counts.unclear ? [make("span", "", "Neither: ", unclear || unclearText({ counts, ...balance }), question || !directed ? ". " : "")] : [];
  if (question) parts.push(make("span", "asked", "For and against refer to “", make("bdi", "", question), "”. "));
  if (!directed) parts.push(make("span", "claim", "Your question does not name a side: “for” means that ", make("bdi", "", claim), ". "));
  return parts;
}
