// Chapter 2: scores as sliders; the probabilities of their softmax, the loss, and its gradient.
"use strict";

// Of -log p[next] with respect to each score: p - 1 for the word that came, p for all others.
function lossGradient(probs, next) {
  return probs.map((prob, word) => prob - (word === next ? 1 : 0));
}

live.figures["softmax"] = (box) => {
  const { words, scores, next } = live.data.softmax;
  const current = [...scores];
  const rows = element("div", { class: "bar-rows" }), told = element("p", { role: "status" });
  const choice = element("select", { "aria-label": "the next word", onchange: () => show() },
    ...words.map((word, place) => element("option", { value: place, selected: place === next }, word)));
  const sliders = words.map((word, place) => slider(word, { min: -4, max: 4, step: 0.1, value: scores[place], digits: 1 },
    (score) => { current[place] = score; show(); }));

  function show() {
    const probs = softmax(current), gradient = lossGradient(probs, Number(choice.value));
    rows.replaceChildren(...words.map((word, place) =>
      barRow(element("span", {}, word), [
        { kind: "model", value: probs[place] },
        { kind: gradient[place] < 0 ? "truth negative" : "truth", value: Math.abs(gradient[place]) },
      ], 1, (value) => value.toFixed(3))));
    rows.querySelectorAll(".bar.negative b").forEach((number) => { number.textContent = `−${number.textContent}`; });
    told.textContent = `loss −log p(${words[choice.value]}) = ${(-Math.log(probs[choice.value])).toFixed(3)} nats`;
  }

  box.append(
    element("div", { class: "controls" }, ...sliders),
    element("div", { class: "controls" }, element("label", {}, "next word ", choice)),
    element("p", { class: "legend" }, element("span", { class: "key model" }, "probability"), " ",
      element("span", { class: "key truth" }, "gradient of the loss")),
    rows, told);
  show();
};
