// Maps of attention as tables: a row for each target word, a column for each word attended to.

import {exact, make} from "./dom.js";
import {readable} from "./values.js";

const TOLD = 0.05;  // smaller weights have colour only, and their number where the mouse or the keys are

// gates: for each row the share of the word context. links: [column, row] pairs that are true, ringed.
export function heatTable(columns, rows, weights, caption, {links = [], gates = null} = {}) {
  const ringed = new Set((links ?? []).map(pair => pair.join()));
  const cell = (weight, column, row) => make("td", {
    class: "shaded cell" + (ringed.has([column, row].join()) ? " true" : ""), vars: {share: weight},
    "data-value": `${rows[row]} attends to ${columns[column]}: ${exact(weight)}`
      + (ringed.has([column, row].join()) ? ", its true source" : ""),
    text: weight >= TOLD ? weight.toFixed(2).replace(/^0/, "") : ""});
  const gate = row => make("td", {class: "share", "data-value": `${rows[row]}: share of the word context ${exact(gates[row])}`},
    make("span", {class: "track"}, make("div", {class: "fill", vars: {share: gates[row]}})), gates[row].toFixed(2));
  const table = make("table", {"aria-label": caption},
    make("thead", {}, make("tr", {}, make("td"),
      ...columns.map(text => make("th", {scope: "col"}, make("span", {text}))),
      gates ? make("th", {scope: "col", class: "share"}, make("span", {text: "word context"})) : null)),
    make("tbody", {}, ...rows.map((text, row) => make("tr", {}, make("th", {scope: "row", text}),
      ...columns.map((_, column) => cell(weights[row][column], column, row)), gates ? gate(row) : null))));
  readable(table);
  return make("div", {class: "map", tabindex: 0, role: "group", "aria-label": caption}, table);
}
