// The state of the open tab in the page's address, #tab?text=...&run=..., so that a page can be sent and opened again.

// The tab that an address names, and its state.
export function read() {
  const [tab, state] = location.hash.slice(1).split("?");
  return {tab, state: new URLSearchParams(state)};
}

// Put a tab's state into the address: its fields that are not as they were at first, its runs, and more [name, value] pairs.
export function write(tab, panel, runs, more) {
  const state = new URLSearchParams();
  for (const field of fields(panel)) if (field.value !== first(field)) state.append(field.name, field.value);
  for (const pair of [...runs.map(name => ["run", name]), ...more]) state.append(...pair);
  const told = state.toString().replaceAll("%2F", "/");
  history.replaceState(null, "", "#" + tab + (told && "?" + told));
}

// Fill in the fields that an address has something for.
export function fillIn(panel, state) {
  for (const field of fields(panel)) if (state.has(field.name)) field.value = state.get(field.name);
}

const fields = panel => panel.querySelectorAll("[name]");
const first = field => field.options ? field.options[0]?.value : field.defaultValue;
