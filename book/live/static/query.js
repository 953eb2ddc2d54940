// Chapter 6: drag the query and the states of the example by hand; scores, weights and the context follow.
"use strict";

const RANGE = 1.5;

// The combined score by hand: the sum over tanh(h_i + 2 q).
function combinedScores(states, query) {
  return states.map((state) => state.reduce((total, value, place) => total + Math.tanh(value + 2 * query[place]), 0));
}

function attend(states, query) {
  const scores = combinedScores(states, query), weights = softmax(scores);
  return { scores, weights, context: Array.from(weightedSum(weights, states)) };
}

// Where each state enters the tanh of one unit, which the query shifts: a panel `width` wide, from `left` on.
function tanhPanel(states, query, unit, left, width) {
  const most = 3 * RANGE, x = scale([-most, most], [left + 10, left + width - 10]), y = scale([-1, 1], [120, 15]);
  const line = Array.from({ length: 91 }, (_, step) => (step / 45 - 1) * most).map((value) => [value, Math.tanh(value)]);
  const shift = 2 * query[unit];
  return [
    svg("path", { class: "axis", d: `M${x(-most)} ${y(0)}H${x(most)}` }),
    svg("path", { class: "axis shift", d: `M${x(shift)} 10V125` }),
    svg("path", { class: "line curve", d: path(line, x, y) }),
    ...states.map((state, kind) => svg("circle", {
      class: `dot kind-${kind}`, cx: x(state[unit] + shift), cy: y(Math.tanh(state[unit] + shift)), r: 5,
    })),
    svg("text", { x: left + width / 2, y: 145, "text-anchor": "middle" }, `unit ${unit + 1}: ${shift < 0 ? "−" : "+"} ` +
      Math.abs(shift).toFixed(2)),
  ];
}

live.figures["query"] = (box) => {
  const { words, states, query } = live.data.query;
  const vectors = [...states.map((state) => [...state]), [...query]], names = [...words, "query"];
  const drawing = svg("svg", { role: "img", "aria-label": "states, query and context as points of a plane" });
  const slope = svg("svg", { role: "img", "aria-label": "the states on the tanh of each unit, shifted by the query" });
  const rows = element("div", { class: "bar-rows" }), told = element("p", { role: "status" });
  let chosen = names.length - 1;
  const choice = element("select", { "aria-label": "vector to move", onchange: () => choose(Number(choice.value)) },
    ...names.map((name, place) => element("option", { value: place, selected: place === chosen }, name)));
  const sliders = ["first number", "second number"].map((name, axis) =>
    slider(name, { min: -RANGE, max: RANGE, step: 0.05, value: vectors[chosen][axis] },
      (value) => { vectors[chosen][axis] = value; show(); }));

  function choose(place) {
    chosen = place;
    choice.value = place;
    sliders.forEach((label, axis) => setSlider(label, vectors[place][axis]));
    show();
  }

  // The pointer on the drawing moves the point that it has taken hold of.
  function follow(event) {
    const { left, top, width, height } = drawing.getBoundingClientRect();
    const place = [(event.clientX - left) / width, 1 - (event.clientY - top) / height];
    vectors[chosen] = place.map((share) => Math.max(-RANGE, Math.min(RANGE, (2 * share - 1) * RANGE)));
    choose(chosen);
  }

  function show() {
    const { scores, weights, context } = attend(vectors.slice(0, -1), vectors.at(-1));
    const size = Math.min(drawingWidth(box), 340), x = scale([-RANGE, RANGE], [0, size]);
    const y = scale([-RANGE, RANGE], [size, 0]);
    const point = (name, vector, kind, place) => svg("g", { class: kind, "data-place": place },
      svg("circle", { class: "dot", cx: x(vector[0]), cy: y(vector[1]), r: 9 }),
      svg("text", { x: x(vector[0]) + 12, y: y(vector[1]) + 4 }, name));
    drawing.setAttribute("viewBox", `0 0 ${size} ${size}`);
    drawing.replaceChildren(
      svg("path", { class: "axis", d: `M0 ${y(0)}H${size}M${x(0)} 0V${size}` }),
      svg("rect", { class: "axis", x: 0.5, y: 0.5, width: size - 1, height: size - 1 }),
      ...words.map((word, place) => point(word, vectors[place], "state", place)),
      point("query", vectors.at(-1), "asks", words.length), point("context", context, "context", null));
    const half = drawingWidth(box) / 2;
    slope.setAttribute("viewBox", `0 0 ${2 * half} 150`);
    slope.replaceChildren(...[0, 1].flatMap((unit) =>
      tanhPanel(vectors.slice(0, -1), vectors.at(-1), unit, unit * half, half)));
    rows.replaceChildren(...words.map((word, place) =>
      barRow(element("span", {}, `${word}, score ${scores[place].toFixed(3)}`),
        [{ kind: "model", value: weights[place] }], 1)));
    told.textContent = `context (${context.map((value) => value.toFixed(3)).join(", ")})`;
  }

  drawing.addEventListener("pointerdown", (event) => {
    const taken = event.target.closest("g[data-place]");
    if (!taken) return;
    event.preventDefault();
    choose(Number(taken.dataset.place));
    drawing.setPointerCapture(event.pointerId);
    drawing.addEventListener("pointermove", follow);
  });
  drawing.addEventListener("pointerup", () => drawing.removeEventListener("pointermove", follow));
  box.append(drawing, element("div", { class: "controls" }, element("label", {}, "move ", choice), ...sliders),
    element("p", { class: "legend" }, "What enters the tanh of each unit: ", ...words.flatMap((word, kind) =>
      [element("span", { class: `key kind-${kind}` }, word), " "]), "(dotted: the shift by the query)"),
    slope, rows, told);
  window.addEventListener("resize", show);
  show();
};
