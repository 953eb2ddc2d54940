// Chapter 11: what a position does to an inner product, and where each head of the trained model attends.
"use strict";

const FARTHEST = 30, LATEST = 60;

// The sinusoidal vector of a position, (size,).
function positionVector(position, size) {
  return Float64Array.from({ length: size }, (_, i) => wave(position, i, size));
}

// A vector with each pair of numbers of each head turned by its angle at a position, as positions.py does.
function turnedBy(vector, position, heads) {
  const size = vector.length / heads, turned = new Float64Array(vector.length);
  for (let i = 0; i < vector.length; i += 2) {
    const sine = wave(position, i % size, size), cosine = wave(position, (i % size) + 1, size);
    turned[i] = vector[i] * cosine - vector[i + 1] * sine;
    turned[i + 1] = vector[i + 1] * cosine + vector[i] * sine;
  }
  return turned;
}

// Inner products of a word at a position with the same word some steps before it, divided by the number of numbers.
function innerProducts(word, position, distance, heads) {
  const size = word.length, at = (place) => positionVector(place, size), before = position - distance;
  return {
    "sinusoidal: word plus position": dot(add(word, at(position)), add(word, at(before))) / size,
    "rotary: word turned by position": dot(turnedBy(word, position, heads), turnedBy(word, before, heads)) / size,
    "sinusoidal: positions alone": dot(at(position), at(before)) / size,
  };
}

live.figures["positions"] = (box, chapter) => {
  const data = live.data[`model ${chapter}`], model = new TransformerLM(data), words = ["hen", "mira", "follows", "the"];
  const drawing = svg("svg", { role: "img", "aria-label": "inner products by distance" });
  const products = element("div", { class: "bar-rows" }), told = element("p", { role: "status" });
  const choice = element("select", { "aria-label": "word", onchange: () => show() },
    ...words.map((word) => element("option", { value: word }, word)));
  let distance = 3, position = 30;
  const distances = slider("distance", { min: 0, max: FARTHEST, step: 1, value: distance, digits: 0 }, (value) => {
    distance = value;
    show();
  });
  const positions = slider("position", { min: FARTHEST, max: LATEST, step: 1, value: position, digits: 0 }, (value) => {
    position = value;
    show();
  });

  function show() {
    const word = layerNorm(row(model.embedding, model.vocab.ids.get(choice.value)));
    const curves = Array.from({ length: FARTHEST + 1 }, (_, steps) => innerProducts(word, position, steps, data.heads));
    const names = Object.keys(curves[0]), width = drawingWidth(box);
    const x = scale([0, FARTHEST], [45, width - 15]), y = scale([-0.5, 2], [190, 15]);
    drawing.setAttribute("viewBox", `0 0 ${width} 230`);
    drawing.replaceChildren(
      ...axes(x, y, { left: 45, right: width - 15, bottom: 200 }, [0, 10, 20, 30], [0, 1, 2], 0),
      svg("text", { x: width / 2, y: 227, "text-anchor": "middle" }, "distance between the two positions"),
      svg("path", { class: "axis", d: `M${x(distance)} 10V200` }),
      ...names.flatMap((name, kind) => [
        svg("path", { class: `line kind-${kind}`, d: path(curves.map((values, steps) => [steps, values[name]]), x, y) }),
        svg("circle", { class: `dot kind-${kind}`, cx: x(distance), cy: y(curves[distance][name]), r: 5 }),
      ]));
    products.replaceChildren(...names.map((name, kind) => barRow(element("span", {}, name),
      [{ kind: `kind-${kind}`, value: curves[distance][name] }], 2)));
    told.textContent = `“${choice.value}” at position ${position} and at position ${position - distance}`;
  }

  box.append(element("div", { class: "controls" }, distances, positions, element("label", {}, "word ", choice)),
    drawing, told, products, ...headsOf(model));
  window.addEventListener("resize", show);
  show();
};

// The elements that show, for a word of a sentence, where a head attends from it, and how much every head attends to
// the word that is pointed at.
function headsOf(model) {
  const input = element("input", {
    type: "text", value: "the hen of mira follows mira .", spellcheck: "false", autocomplete: "off",
    autocapitalize: "off", "aria-label": "a sentence", oninput: () => read(),
  });
  const buttons = element("div", { class: "controls", role: "group", "aria-label": "the word that attends" });
  const strip = element("div", { class: "attention" }), rows = element("div", { class: "bar-rows" });
  let sentence, steps, place, head = "block 1, head 3";

  function read() {
    sentence = ["<s>", ...tokenise(input.value).slice(0, LONGEST_SENTENCE)];
    steps = readWords(model, sentence.slice(1));
    buttons.replaceChildren(...sentence.map((word, number) =>
      element("button", { type: "button", onclick: () => choose(number) }, word)));
    choose(Math.min(5, sentence.length - 1));
  }

  function choose(number) {
    place = number;
    buttons.querySelectorAll("button").forEach((button, other) =>
      button.setAttribute("aria-pressed", String(other === place)));
    show();
  }

  function show() {
    const { heads } = steps[place];
    strip.replaceChildren(...attentionStrip(sentence.slice(0, place + 1), heads[head]));
    rows.replaceChildren(...Object.entries(heads).map(([name, weights]) => {
      const distance = weights.reduce((sum, weight, other) => sum + weight * (place - other), 0);
      const button = element("button", {
        type: "button", "aria-pressed": String(name === head), onclick: () => { head = name; show(); pressed().focus(); },
      }, name);
      return barRow(button, [{ kind: "model", value: distance }], Math.max(place, 1), (value) => value.toFixed(2));
    }));
  }

  function pressed() {
    return rows.querySelector('button[aria-pressed="true"]');
  }

  read();
  return [
    element("p", {}, "Type a sentence, choose the word that attends, and pick a head of the trained model:"),
    element("div", { class: "controls" }, input), buttons, strip,
    element("p", {}, "How many words back each head attends, on average:"), rows,
  ];
}
