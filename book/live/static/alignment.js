// Chapter 8: choose a target word; how much attention each source word gets for it, beside the true alignment.
"use strict";

// The source words that a target word is truly aligned with.
function alignedWords(links, target) {
  return links.filter(([, place]) => place === target).map(([source]) => source);
}

// For each source word a row with its weights; a ring marks those that are truly aligned.
function attentionRows(source, kinds, weights, aligned) {
  return source.map((word, place) => barRow(
    element("span", { class: aligned.includes(place) ? "aligned" : "" }, word),
    kinds.map((kind, system) => ({ kind: `kind-${system}`, value: weights[system][place] })), 1, (value) => value.toFixed(2)));
}

live.figures["alignment"] = (box) => {
  const weights = Object.fromEntries(["dot", "mlp", "local"].map((kind) =>
    [kind, live.data[`model 08-${kind}`].weights]));
  const { source, target, links } = live.data["model 08-dot"];
  const systems = Object.keys(weights), words = [...target, "</s>"];
  const rows = element("div", { class: "bar-rows" }), told = element("p", { role: "status" });
  const buttons = words.map((word, place) => element("button", {
    type: "button", onmouseenter: () => choose(place), onfocus: () => choose(place), onclick: () => choose(place),
  }, word));

  function choose(place) {
    buttons.forEach((button, other) => button.setAttribute("aria-pressed", String(other === place)));
    const aligned = alignedWords(links, place);
    rows.replaceChildren(...attentionRows(source, systems, systems.map((system) => weights[system][place]), aligned));
    const truth = aligned.length ? `aligned with ${aligned.map((word) => source[word]).join(", ")}` : "aligned with no word";
    told.textContent = `${words[place]}: ${truth}`;
  }

  box.append(
    element("div", { class: "controls", role: "group", "aria-label": "target words" }, ...buttons), told,
    element("p", { class: "legend" }, ...systems.map((system, place) =>
      element("span", { class: `key kind-${place}` }, system)), " ", element("span", { class: "aligned" }, "true alignment")),
    rows);
  choose(0);
};
