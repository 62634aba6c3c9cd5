// The choice between the indexes of a server: a link each, the open one marked.
import { ask, home, INDEX, index, ROOT } from "./ask.js";
import { $, make, makeLink } from "./make.js";
import { address, changed } from "./state.js";

// The same question in the other index; what can be narrowed by is each index's own.
export function showIndexes(state) {
  const kept = changed(state, { stance: "", where: [], sort: "" });
  show(index.ready.indexes, INDEX || index.ready.indexes[0], (name) => address(kept, name));
}

// For an address whose index is not there: the others. Whether it is that which is wrong.
export async function offerOthers() {
  const { indexes } = await ask(`${ROOT}ready`);
  if (!INDEX || indexes.includes(INDEX)) return false;
  const { search } = location;
  show(indexes, INDEX, (name) => {
    const query = new URLSearchParams(search);
    query.set("index", name);
    return home(query);
  });
  return true;
}

function show(names, current, addressOf) {
  const links = names.map((name) => {
    const link = makeLink("", addressOf(name), name);
    if (name === current) link.setAttribute("aria-current", "page");
    return make("li", "", link);
  });
  $("indexes").querySelector("ul").replaceChildren(...links);
  $("indexes").hidden = names.filter((name) => name !== current).length === 0;
}
