// "Try it" on the documentation page: sends what a form holds and shows the answer as it came.

const LONGEST = 20000; // characters of an answer that are shown

for (const box of document.querySelectorAll("details.try")) {
  box.hidden = false; // without scripts there is nothing to try
  box.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    await send(event.currentTarget);
  });
}

async function send(form) {
  const { method, path } = form.dataset;
  const query = new URLSearchParams();
  let address = path;
  let body;
  for (const [name, value] of new FormData(form)) {
    if (name === "body") body = value;
    else if (path.includes(`{${name}}`)) address = address.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== "") query.append(name, value);
  }
  if (query.size) address += `?${query}`;
  const shown = form.querySelector("output");
  shown.textContent = `${method} ${address} …`;
  try {
    const headers = body === undefined ? {} : { "Content-Type": "application/json" };
    const answer = await fetch(address, { method, body, headers });
    const text = laidOut(await answer.text());
    const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}\n…` : text;
    shown.textContent = `${method} ${address}\n${answer.status} ${answer.statusText}\n\n${cut}`;
  } catch (error) {
    shown.textContent = `${method} ${address}\n${error}`;
  }
}

function laidOut(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
