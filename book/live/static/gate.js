// Chapter 9: the gate of the example by hand; move the decoder's state, and both attentions and the gate follow.
"use strict";

// tanh(state + 2 memory) . (2, -2): how well each memory answers the state.
function matchScores(memory, state) {
  return memory.map((row) => 2 * Math.tanh(state[0] + 2 * row[0]) - 2 * Math.tanh(state[1] + 2 * row[1]));
}

// Both attentions and contexts under one state, the gate, and what it lets through of each context.
function gateStep(annotations, embeddings, last, state) {
  const weights = [annotations, embeddings].map((memory) => softmax(matchScores(memory, state)));
  const [c_h, c_x] = [weightedSum(weights[0], annotations), weightedSum(weights[1], embeddings)].map((c) => Array.from(c));
  const o = last.map((value, place) => logistic(0.5 * value + state[place] + c_h[place] - c_x[place]));
  const read = [c_h.map((value, place) => o[place] * value), c_x.map((value, place) => (1 - o[place]) * value)];
  return { weights, c_h, c_x, o, read };
}

live.figures["gate"] = (box) => {
  const { words, annotations, embeddings, last, state } = live.data.gate;
  const current = [...state], rows = element("div", { class: "bar-rows" }), table = element("table");
  const sliders = ["first", "second"].map((name, axis) =>
    slider(`state, ${name} number`, { min: -2, max: 2, step: 0.05, value: state[axis] },
      (value) => { current[axis] = value; show(); }));

  function show() {
    const { weights, c_h, c_x, o, read } = gateStep(annotations, embeddings, last, current);
    rows.replaceChildren(...words.map((word, place) => barRow(element("span", {}, word),
      [{ kind: "kind-0", value: weights[0][place] }, { kind: "kind-1", value: weights[1][place] }], 1)));
    const cells = (tag, texts) => element("tr", {}, ...texts.map((text) => element(tag, {}, text)));
    const line = (name, values) => cells("td", [name, ...values.map((value) => value.toFixed(3))]);
    table.replaceChildren(cells("th", ["", "first", "second"]), line("context of annotations", c_h),
      line("context of words", c_x), line("gate o", o), line("read of annotations", read[0]),
      line("read of words", read[1]));
  }

  box.append(element("div", { class: "controls" }, ...sliders),
    element("p", { class: "legend" }, element("span", { class: "key kind-0" }, "attention to annotations"), " ",
      element("span", { class: "key kind-1" }, "attention to words")), rows, table);
  show();
};
