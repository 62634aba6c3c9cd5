// Where nothing was found: what can help, tried before it is offered.
import { ask, index, request } from "./ask.js";
import { count, make, makeLink } from "./make.js";
import { address, changed, HOME, narrowed } from "./state.js";

export async function helpElements(state, { suggestion, unknown, total, common }, signal) {
  const help = [];
  const offer = async (wide, label) => {
    const { total: all, hits } = await ask(request(wide, "any", { k: 1 }), signal);
    if (hits.length) help.push(makeLink("", address(wide), `${label}: ${count(all)}`), ". ");
  };
  if (state.side !== "any" && total) help.push(makeLink("", address(changed(state, { side: "any" })), "All of them in one list"), ". ");
  if (unknown.length && total) help.push(`No argument has ${unknown.map((word) => `“${word}”`).join(", ")}. `);
  if (suggestion) {
    const meant = changed(state, { q: suggestion });
    help.push("Did you mean ", makeLink("", address(meant), make("bdi", "", suggestion)), "? ");
  }
  if (narrowed(state)) {
    await offer(changed(state, { stance: "", where: [] }), "Without your filters");
  }
  if (common) await offer(changed(state, { discriminative: false }), "Results that share only common words");
  if (help.length) return help;
  const there = index.ready.map ? changed(state, { q: "", view: "map", stance: "", where: [], sort: "" }) : null;
  return ["Ask in other words, or see ", makeLink("", there ? address(there) : HOME, "what is in this collection"), "."];
}
