// The tab "Runs": learning curves, results and settings of the chosen runs, side by side.

import {usual} from "./choose.js";
import {drawCurves} from "./curves.js";
import {ask, find, latest, make, table, whenShown} from "./dom.js";

export function runsTab(panel) {
  const list = find(panel, ".list"), found = find(panel, ".found"), filter = find(panel, "input[type=search]");
  const answering = latest(find(panel, ".problem")), chosen = new Set();
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
      return make("label", {}, box, " ", run.name, run.trained ? "" : " (not trained)");
    }));
    if (!shown.length) list.replaceChildren(make("p", {class: "hint", text: runs.length ? "no run has such a name"
      : "no runs yet: train a model on another tab"}));
  }

  function refresh() {
    found.hidden = true;
    if (!chosen.size) {
      answering.cancel();
      find(panel, ".problem").textContent = runs.length ? "choose a run above" : "";
      return;
    }
    answering(() => ask("compare", {runs: runs.map(run => run.name).filter(name => chosen.has(name))}), show);
  }

  function show({runs: names, settings, curves, results}) {
    found.hidden = false;
    const drawn = drawCurves(names, curves);
    find(panel, ".curves").replaceChildren(...drawn);
    const told = [...new Set(results.flatMap(one => ["dev", "test"].flatMap(split =>
      Object.keys(one[split] ?? {}).map(name => `${split} ${name}`))))];
    find(panel, ".results").replaceChildren(told.length ? table(["", ...told.map(name => name.replaceAll("_", " "))],
      names.map((name, place) => [name, told.map(one => {
        const [split, what] = one.split(" ");
        return results[place][split]?.[what]?.toFixed(2) ?? "–";
      })])) : "none of these runs has finished");
    find(panel, ".settings").replaceChildren(table(["", ...names], settings.map(row =>
      [row.name, row.values.map(value => value === null ? "–" : String(value) || "(none)"), row.differs ? "differs" : row.shared ? "" : "partial"])));
  }

  filter.addEventListener("input", draw);
  return {update};
}

// The usual run of each chapter, on the corpus of the first.
function toBeginWith(runs) {
  const trained = runs.filter(run => run.trained);
  const [chapters, others] = usual(trained.filter(run => run.corpus === trained[0].corpus));
  return [...chapters, ...others].slice(0, 6);
}
