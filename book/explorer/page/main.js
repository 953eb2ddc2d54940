// The page: its tabs, and the training runs that it begins.

import {ask, find, make} from "./dom.js";
import {lookTab} from "./look.js";
import {nextTab} from "./next.js";
import {runsTab} from "./runs.js";
import {translateTab} from "./translate.js";

const EVERY = 1000;  // milliseconds between two questions how far a training run is
const alertPlace = document.getElementById("alert"), jobsPlace = document.getElementById("jobs");
const buttons = [...document.querySelectorAll("[role=tab]")];
const tabs = [[nextTab, "next"], [lookTab, "look"], [translateTab, "translate"], [runsTab, "runs"]]
  .map(([begin, id]) => begin(document.getElementById(id), train));
let watching = false, running = new Set();

function open(id, focus) {
  for (const button of buttons) {
    const chosen = button.getAttribute("aria-controls") === id;
    button.setAttribute("aria-selected", chosen);
    button.tabIndex = chosen ? 0 : -1;
    const panel = document.getElementById(button.getAttribute("aria-controls"));
    panel.hidden = !chosen;
    if (chosen) panel.dispatchEvent(new Event("shown"));
    if (chosen && focus) button.focus();
  }
  if (location.hash !== "#" + id) history.replaceState(null, "", "#" + id);
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

async function guarded(work) {
  try {
    const found = await work();
    alertPlace.hidden = true;
    return found;
  } catch (error) {
    alertPlace.textContent = error.message;
    alertPlace.hidden = false;
  }
}

// Ask for the runs that are there, and hand them to all tabs.
async function refresh() {
  await guarded(async () => {
    const state = await ask("runs");
    tabs.forEach(tab => tab.update(state));
    follow(state.jobs);
  });
}

async function train(chapter) {
  await guarded(async () => follow((await ask("train", {chapter})).jobs));
}

// Show the training runs, and go on asking as long as one is open. Its end may bring a new model.
function follow(jobs) {
  const open = new Set(jobs.filter(job => ["waiting", "running"].includes(job.state)).map(job => job.number));
  const ended = [...running].some(number => !open.has(number));
  running = open;
  jobsPlace.hidden = !jobs.length;
  jobsPlace.replaceChildren(...jobs.slice(-4).reverse().map(jobView));
  if (ended) refresh();
  if (open.size && !watching) {
    watching = true;
    setTimeout(async () => {
      watching = false;
      await guarded(async () => follow((await ask("jobs")).jobs));
    }, EVERY);
  }
}

function jobView(job) {
  const open = ["waiting", "running"].includes(job.state);
  const progress = job.state === "running" ? make("progress", {
    "aria-label": "epochs", max: job.epochs || null, value: job.epochs_done || null}) : null;
  const far = job.epochs_done ? `, epoch ${job.epochs_done} of ${job.epochs} done` : "";
  return make("article", {class: "job"},
    make("h3", {text: `Training chapter ${job.chapter.replace(/^0/, "").replaceAll("_", " ")}: ${job.state}${far}`}),
    open ? make("button", {type: "button", text: "stop", on: {click: () =>
      guarded(async () => follow((await ask("stop", {number: job.number})).jobs))}}) : make("span"),
    progress,
    job.message ? make("p", {class: "bad", text: job.message}) : null,
    open && job.lines.length ? make("pre", {text: job.lines.join("\n")}) : null);
}

open(buttons.map(button => button.getAttribute("aria-controls")).find(id => "#" + id === location.hash) ?? "next");
refresh();
