// The tab "Runs": learning curves, results and settings of the chosen runs, side by side.

import {title, usual} from "./choose.js";
import {drawCurves} from "./curves.js";
import {ask, find, latest, make, table, whenShown} from "./dom.js";
import {saving} from "./save.js";

export function runsTab(panel, train, given) {
  const list = find(panel, ".list"), found = find(panel, ".found"), filter = find(panel, "input[type=search]");
  const answering = latest(find(panel, ".problem")), chosen = new Set(given.getAll("run"));
  const changed = whenShown(panel, refresh);
  let runs = [];

  function update(state) {
    runs = state.runs;
    for (const name of chosen) if (!runs.some(run => run.name === name)) chosen.delete(name);
    if (!chosen.size) toBeginWith(runs).forEach(name => chosen.add(name));
    draw();
    changed();
  }

  function draw() {
    const wanted = filter.value.trim().toLowerCase();
    const shown = runs.filter(run => chosen.has(run.name) || (run.name + " " + run.label).toLowerCase().includes(wanted));
    list.replaceChildren(...shown.map(run => {
      const box = make("input", {type: "checkbox", on: {change: () => {
        if (box.checked) chosen.add(run.name); else chosen.delete(run.name);
        refresh();
      }}});
      box.checked = chosen.has(run.name);
      return make("label", {}, box, " ", run.label, " ", make("small", {text: run.name + (run.trained ? "" : " (not trained)")}));
    }));
    if (!shown.length) list.replaceChildren(make("p", {class: "hint", text: runs.length ? "No run has such a name."
      : "No runs yet: train a model on another tab."}));
  }

  function refresh() {
    found.hidden = true;
    if (!chosen.size) {
      answering.cancel();
      find(panel, ".problem").textContent = runs.length ? "Choose a run above." : "";
      return;
    }
    answering(() => ask("compare", {runs: names()}), show);
  }

  function names() { return runs.map(run => run.name).filter(name => chosen.has(name)); }

  function show({runs: shown, settings, curves, results}) {
    found.hidden = false;
    const compared = shown.map(name => runs.find(run => run.name === name)), titles = compared.map(run => title(run, compared));
    const [picture, ...legend] = drawCurves(titles, curves), place = find(panel, ".curves");
    place.replaceChildren(picture, ...legend);
    find(panel, ".of-curves").replaceChildren(saving("learning-curves", () => [["run", "epoch", "train perplexity", "dev perplexity"],
      ...curves.flatMap((curve, run) => curve.map(one => [shown[run], one.epoch, one.train_perplexity, one.dev_perplexity]))], place));
    showResults(shown, titles, results);
    showSettings(titles, settings);
  }

  function showResults(shown, titles, results) {
    const columns = [...new Set(results.flatMap(one => Object.entries(one).flatMap(([split, numbers]) =>
      Object.keys(numbers).map(name => `${split} ${name}`))))].sort();
    const rows = results.map(one => columns.map(column => one[column.split(" ")[0]]?.[column.split(" ")[1]]));
    const plain = columns.map(name => name.replaceAll("_", " "));
    find(panel, ".results").replaceChildren(columns.length ? table(["", ...plain], titles.map((name, run) =>
      [name, rows[run].map(value => value?.toFixed(2) ?? "–")])) : "None of these runs has finished.");
    find(panel, ".of-results").replaceChildren(columns.length ? saving("results", () =>
      [["run", ...plain], ...rows.map((row, run) => [shown[run], ...row])]) : "");
  }

  // What differs is shown; what is the same in all runs, or a setting of some chapters only, is folded away.
  function showSettings(titles, settings) {
    const drawn = rows => table(["", ...titles], rows.map(row => [row.name.replaceAll("_", " "), row.values.map(told)]));
    const folded = (rows, text) => rows.length ? make("details", {}, make("summary", {text: `${rows.length} ${text}`}), drawn(rows)) : "";
    const differing = settings.filter(row => row.differs), equal = settings.filter(row => !row.differs && row.shared);
    const partial = settings.filter(row => !row.differs && !row.shared);
    find(panel, ".settings").replaceChildren(...(titles.length === 1 ? [drawn(settings)]
      : [differing.length ? drawn(differing) : "No setting differs.", folded(equal, "equal in all"),
        folded(partial, "of some chapters only")]));
    find(panel, ".of-settings").replaceChildren(saving("settings", () => [["setting", ...names()],
      ...settings.map(row => [row.name, ...row.values])]));
  }

  filter.addEventListener("input", draw);
  return {update, names, state: () => []};
}

const told = value => value === null ? "–" : value === true ? "yes" : value === false ? "no" : String(value) || "(none)";

// The usual run of each chapter, on the corpus of the first.
function toBeginWith(runs) {
  const trained = runs.filter(run => run.trained);
  const [chapters, others] = usual(trained.filter(run => run.corpus === trained[0].corpus));
  return [...chapters, ...others].slice(0, 6);
}
