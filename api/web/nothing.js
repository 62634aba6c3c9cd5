// Where nothing was found: what can help, tried before it is offered.
import { ask, request } from "./ask.js";
import { count, make, makeLink } from "./make.js";
import { address, changed, narrowed } from "./state.js";

export async function helpElements(state, { suggestion, unknown, total }, signal) {
  const help = [];
  if (unknown.length && total) help.push(`No argument has ${unknown.map((word) => `“${word}”`).join(", ")}. `);
  if (suggestion) {
    const meant = changed(state, { q: suggestion });
    help.push("Did you mean ", makeLink("", address(meant), make("bdi", "", suggestion)), "? ");
  }
  if (narrowed(state)) {
    const wide = changed(state, { stance: "", where: [] });
    const { total: all } = await ask(request(wide, "any", { k: 1 }), signal);
    if (all) help.push(makeLink("", address(wide), `Without your filters: ${count(all)}`), ". ");
  }
  return help;
}
