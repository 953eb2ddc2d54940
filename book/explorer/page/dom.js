// Making elements, asking the server, and small things that all tabs need.

const SVG = "http://www.w3.org/2000/svg";

// An element. What is given by name: text (never as HTML), class, on (listeners), vars (CSS variables), else attributes.
export function make(tag, given = {}, ...children) {
  const element = tag.startsWith("svg:") ? document.createElementNS(SVG, tag.slice(4)) : document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") element.textContent = value;
    else if (name === "on") Object.entries(value).forEach(pair => element.addEventListener(...pair));
    else if (name === "vars") Object.entries(value).forEach(([key, one]) => element.style.setProperty("--" + key, one));
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

// A message with one full stop; one that ends with quoted punctuation needs no other.
export const sentence = text => /[.!?]”$/.test(text) ? text : text.replace(/[.\s]+$/, "") + ".";

export const quoted = words => [words].flat().map(word => `“${word}”`).join(", ");

// A number with four digits that count.
export const exact = value => value === null ? "infinite" : Number(value.toPrecision(4)).toString();

export const find = (within, selector) => within.querySelector(selector);

// The answer to a question (POST with JSON). An error is a sentence for people.
export async function ask(question, body) {
  const asked = body === undefined ? {} : {
    method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body),
  };
  let answer;
  try {
    answer = await fetch("/api/" + question, asked);
  } catch {
    throw new Error("the explorer does not answer: is it still running in its terminal?");
  }
  const found = await answer.json().catch(() => ({error: "no readable answer (" + answer.status + ")"}));
  if (!answer.ok) throw new Error(found.error);
  return found;
}

const waitedFor = new Map();  // how many answers each panel waits for

function busy(panel, more) {
  waitedFor.set(panel, (waitedFor.get(panel) ?? 0) + more);
  if (waitedFor.get(panel)) panel.setAttribute("aria-busy", "true"); else panel.removeAttribute("aria-busy");
}

// Run `work`, and show in `place` what is wrong. Answers to earlier questions that come late are dropped, and after
// `cancel` those that are still to come.
export function latest(place) {
  const panel = place.closest("[role=tabpanel]");
  let current = 0;
  const run = async (work, show, failed) => {
    const own = ++current;
    busy(panel, 1);
    try {
      const found = await work();
      if (own !== current) return;
      place.textContent = "";
      show(found);
    } catch (error) {
      if (own !== current) return;
      place.classList.remove("note");
      place.textContent = sentence(error.message);
      failed?.();
    } finally {
      busy(panel, -1);
    }
  };
  run.cancel = () => { current++; };
  return run;
}

// What a tab does when something has changed: at once where it is open, else when it is opened.
export function whenShown(panel, work) {
  let waiting = false;
  panel.addEventListener("shown", () => { if (waiting) work(); waiting = false; });
  return () => { if (panel.hidden) waiting = true; else work(); };
}

export function later(wait, work) {
  let timer;
  return () => { clearTimeout(timer); timer = setTimeout(work, wait); };
}

export const words = text => text.split(/[ \t\n\r]+/).filter(Boolean);

export const percent = prob => prob >= 0.0995 ? (100 * prob).toFixed(0) + "%"
  : prob >= 0.001 ? (100 * prob).toFixed(1) + "%" : prob > 0 ? "<0.1%" : "0";

export const nats = (value, digits = 2) => value === null ? "∞" : value.toFixed(digits);

// A table from its head (texts) and rows of [head, cells], where a cell is a text or an element.
export function table(head, rows) {
  return make("table", {},
    make("thead", {}, make("tr", {}, ...head.map(text => text ? make("th", {scope: "col", text}) : make("td")))),
    make("tbody", {}, ...rows.map(([name, cells, kind]) => make("tr", {class: kind},
      make("th", {scope: "row", text: name}),
      ...cells.map(cell => cell instanceof Element ? cell : make("td", {text: cell}))))));
}

// Buttons that write a sentence into a field.
export function offerExamples(place, texts, take) {
  place.replaceChildren(...(texts.length ? ["Try: "] : []),
    ...texts.map(text => make("button", {type: "button", text, on: {click: () => take(text)}})));
}

// Left and right move between the buttons of a line; only one of them is a stop of the tab key.
export function roving(line) {
  const buttons = [...line.querySelectorAll("button")];
  buttons.forEach((button, place) => { button.tabIndex = place ? -1 : 0; });
  line.onkeydown = event => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    const next = step && buttons[buttons.indexOf(document.activeElement) + step];
    if (!next) return;
    event.preventDefault();
    buttons.forEach(button => { button.tabIndex = button === next ? 0 : -1; });
    next.focus();
  };
}
