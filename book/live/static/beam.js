// Chapter 7: a beam search step by step, on the scores that a trained model gave, and what a prior on length prefers.
"use strict";

// What a beam of a size keeps at each step. steps: for each the candidates [text, log P]; whoever is kept is followed
// by its recorded continuations, and a place in the beam is gone with each translation that has ended.
function beamSteps(steps, size) {
  const kept = [];
  let parents = null, places = size;
  for (const candidates of steps) {
    const reached = candidates.filter(([text]) => !parents || parents.includes(text.replace(/ \S+$/, "")));
    const best = [...reached].sort((a, b) => b[1] - a[1]).slice(0, places);
    if (!best.length) break;
    kept.push({ candidates: reached, best: best.map(([text]) => text) });
    parents = best.map(([text]) => text).filter((text) => !text.endsWith("</s>"));
    places -= best.length - parents.length;
  }
  return kept;
}

// Translations by log P plus the log-probability of their length, times a weight; a length without one has probability 0.
function withPrior(translations, logPriors, weight) {
  return translations.map(([words, logProb, text], place) => {
    const logPrior = logPriors[place] ?? -Infinity;
    return { words, text, logProb, logPrior, score: logProb + (weight && weight * logPrior) };
  });
}

function logarithm(value) {
  return Number.isFinite(value) ? value.toFixed(3) : "−∞";
}

live.figures["beam"] = (box) => {
  const { tree, by_length, log_priors } = live.data.beam;
  const list = element("ol", { class: "beam" }), told = element("p", { role: "status" });
  const prior = element("table");
  let size = tree.beam, step = 0, weight = 0;
  const steps = slider("step", { min: 1, max: tree.steps.length, step: 1, value: 1, digits: 0 }, (value) => {
    step = value - 1;
    show();
  });
  const sizes = slider("beam size", { min: 1, max: tree.beam, step: 1, value: size, digits: 0 }, (value) => {
    size = value;
    show();
  });
  const weights = slider("weight of the length prior", { min: 0, max: 1, step: 0.05, value: 0 }, (value) => {
    weight = value;
    show();
  });

  function show() {
    const searched = beamSteps(tree.steps, size), place = Math.min(step, searched.length - 1);
    const { candidates, best } = searched[place];
    list.replaceChildren(...candidates.map(([text, logProb]) =>
      element("li", { class: best.includes(text) ? "kept" : "" }, `${text} (${logProb.toFixed(3)})`)));
    const ended = searched.flatMap((one) => one.best).filter((text) => text.endsWith("</s>")).length;
    told.textContent = `step ${place + 1} of ${searched.length}: ${best.length} of ${candidates.length} candidates kept; ` +
      `${ended} translations in the end`;
    const ranked = withPrior(by_length.best, log_priors, weight), top = Math.max(...ranked.map(({ score }) => score));
    const cells = (tag, texts, chosen) => element("tr", { class: chosen ? "kept" : "" },
      ...texts.map((text) => element(tag, {}, text)));
    prior.replaceChildren(cells("th", ["words", "log P", "log P(length)", "score", "translation"]),
      ...ranked.map(({ words, logProb, logPrior, score, text }) => cells("td",
        [String(words), ...[logProb, logPrior, score].map(logarithm), text || "(empty)"], score === top)));
  }

  box.append(
    element("p", {}, `Translating “${tree.source}”: what is kept is bold, with log P in nats.`),
    element("div", { class: "controls" }, steps, sizes), told, list,
    element("p", {}, `The best translation of each length of “${by_length.source}”, found with a beam of ${by_length.beam}:`),
    element("div", { class: "controls" }, weights), element("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": "translations by length" }, prior));
  show();
};
