// The page: its tabs, their state in the address, and the training runs that it begins.

import {fillIn, read, write} from "./address.js";
import {ask, find, later, make, sentence} from "./dom.js";
import {lookTab} from "./look.js";
import {nextTab} from "./next.js";
import {runsTab} from "./runs.js";
import {translateTab} from "./translate.js";

const EVERY = 1000;  // milliseconds between two questions how far a training run is
const SHOWN_ENDED = 4;
const views = new Map();  // by the number of a job: its article, which stays, so that its button keeps the focus
const alertPlace = document.getElementById("alert"), jobsPlace = document.getElementById("jobs");
const buttons = [...document.querySelectorAll("[role=tab]")];
const address = read(), panelOf = button => document.getElementById(button.getAttribute("aria-controls"));
const tabs = new Map([[nextTab, "next"], [lookTab, "look"], [translateTab, "translate"], [runsTab, "runs"]].map(([begin, id]) => {
  const panel = document.getElementById(id), given = id === address.tab ? address.state : new URLSearchParams();
  fillIn(panel, given);
  return [panel, begin(panel, train, given)];
}));
const remember = later(200, () => {
  const panel = [...tabs.keys()].find(panel => !panel.hidden), tab = tabs.get(panel);
  if (loaded) write(panel.id, panel, tab.names(), tab.state());
});
let watching = false, running = new Set(), loaded = false;

function open(id, focus) {
  for (const button of buttons) {
    const chosen = button.getAttribute("aria-controls") === id;
    button.setAttribute("aria-selected", chosen);
    button.tabIndex = chosen ? 0 : -1;
    const panel = panelOf(button);
    panel.hidden = !chosen;
    if (chosen) panel.dispatchEvent(new Event("shown"));
    if (chosen && focus) button.focus();
  }
  remember();
}

buttons.forEach((button, place) => {
  button.addEventListener("click", () => open(button.getAttribute("aria-controls")));
  button.addEventListener("keydown", event => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    event.preventDefault();
    open(buttons.at((place + step) % buttons.length).getAttribute("aria-controls"), true);
  });
});

// Run `work` and say what is wrong with it; whether all went well. What goes well takes away only what was said of the
// same `kind`, so that a question every second does not hide the answer to a click.
async function guarded(work, kind = "asked") {
  try {
    await work();
    if (alertPlace.dataset.kind === kind) alertPlace.hidden = true;
    return true;
  } catch (error) {
    alertPlace.textContent = sentence(error.message);
    alertPlace.dataset.kind = kind;
    alertPlace.hidden = false;
    return false;
  }
}

// Ask for the runs that are there, and hand them to all tabs.
async function refresh() {
  await guarded(async () => {
    const state = await ask("runs");
    tabs.forEach(tab => tab.update(state));
    follow(state.jobs);
    const missing = loaded ? [] : address.state.getAll("run").filter(name => !state.runs.some(run => run.name === name));
    loaded = true;
    remember();
    if (missing.length) throw new Error(`not in this folder of runs: ${missing.join(", ")}; other models are shown`);
  });
}

// Whether it could be begun.
function train(chapter) {
  return guarded(async () => follow((await ask("train", {chapter})).jobs));
}

function isOpen(job) {
  return ["waiting", "running"].includes(job.state);
}

// Show the training runs that are open and the last that were, and go on asking as long as one is open. Its end may
// bring a new model.
function follow(jobs) {
  const open = new Set(jobs.filter(isOpen).map(job => job.number));
  const someEnded = [...running].some(number => !open.has(number));
  running = open;
  const shown = [...jobs.filter(isOpen), ...jobs.filter(job => !isOpen(job)).slice(-SHOWN_ENDED).reverse()];
  jobsPlace.hidden = !shown.length;
  const articles = shown.map(jobView);
  for (const old of [...jobsPlace.children]) if (!articles.includes(old)) old.remove();
  articles.forEach((article, place) => {
    if (jobsPlace.children[place] !== article) jobsPlace.insertBefore(article, jobsPlace.children[place] ?? null);
  });
  if (someEnded) refresh();
  if (open.size) watch();
}

function watch() {
  if (watching) return;
  watching = true;
  setTimeout(async () => {
    watching = false;
    if (!await guarded(async () => follow((await ask("jobs")).jobs), "polled")) watch();
  }, EVERY);
}

function jobView(job) {
  const name = `chapter ${job.chapter.replace(/^0/, "").replaceAll("_", " ")}`;
  if (!views.has(job.number)) {
    const stop = make("button", {type: "button", text: "stop", "aria-label": `stop training ${name}`, on: {click: () =>
      guarded(async () => follow((await ask("stop", {number: job.number})).jobs))}});
    const heading = make("h3", {"aria-live": "polite"}), about = make("div");
    views.set(job.number, {article: make("article", {class: "job"}, heading, stop, about), heading, stop, about});
  }
  const {article, heading, stop, about} = views.get(job.number);
  const far = job.epochs_done ? `, epoch ${job.epochs_done} of ${job.epochs} done` : "";
  const told = `Training ${name}: ${job.state}${far}`;
  if (heading.textContent !== told) heading.textContent = told;
  stop.hidden = !isOpen(job);
  const progress = job.state === "running" ? make("progress", {
    "aria-label": "epochs", max: job.epochs || null, value: job.epochs_done || null}) : null;
  about.replaceChildren(...[progress, job.message ? make("p", {class: "bad", text: job.message}) : null,
    isOpen(job) && job.lines.length ? make("pre", {text: job.lines.join("\n")}) : null].filter(Boolean));
  return article;
}

for (const change of ["input", "change", "click", "focusin"]) find(document, "main").addEventListener(change, remember);
addEventListener("hashchange", () => location.reload());  // another address was opened in this window
open([...tabs.keys()].find(panel => panel.id === address.tab)?.id ?? "next");
refresh();
