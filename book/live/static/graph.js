// Chapter 3: a small network as a graph with numbers; values run forward, derivatives of the loss run back.
"use strict";

// h = tanh(W x + b), y = w h + b_y, loss = (label - y)^2.
function forwardPass({ W_xh, b_h, w_hy, b_y }, x, label) {
  const inner = W_xh.map((weights, unit) => dot(weights, x) + b_h[unit]);
  const h = inner.map(Math.tanh), y = dot(w_hy, h) + b_y;
  return { inner, h, y, loss: (label - y) ** 2 };
}

// The derivative of the loss with respect to each value and each weight.
function backwardPass({ W_xh, w_hy }, x, label, { h, y }) {
  const d_y = 2 * (y - label);
  const d_h = w_hy.map((weight) => d_y * weight), d_w_hy = h.map((value) => d_y * value);
  const d_inner = d_h.map((derivative, unit) => derivative * (1 - h[unit] ** 2));
  const d_W_xh = d_inner.map((derivative) => x.map((value) => derivative * value));
  const d_x = x.map((_, input) => d_inner.reduce((total, derivative, unit) => total + derivative * W_xh[unit][input], 0));
  return { d_y, d_h, d_w_hy, d_inner, d_W_xh, d_x };
}

live.figures["graph"] = (box) => {
  const { network, x, label } = live.data.graph;
  const input = [...x];
  let wanted = label;
  const drawing = svg("svg", { role: "img", "aria-label": "the network with its values and derivatives" });
  const table = element("table"), signs = element("select", {
    "aria-label": "label", onchange: () => { wanted = Number(signs.value); show(); },
  }, ...[-1, 1].map((sign) => element("option", { value: sign, selected: sign === label }, sign)));
  const sliders = input.map((value, place) => slider(`x${place + 1}`, { min: -2, max: 2, step: 0.1, value, digits: 1 },
    (moved) => { input[place] = moved; show(); }));

  function show() {
    const values = forwardPass(network, input, wanted), back = backwardPass(network, input, wanted, values);
    const width = drawingWidth(box), columns = [0.12, 0.38, 0.64, 0.88].map((share) => share * width);
    const rows = [55, 165], middle = 110;
    const nodes = [
      ...input.map((value, place) => node(columns[0], rows[place], `x${place + 1}`, value, back.d_x[place])),
      ...values.h.map((value, place) => node(columns[1], rows[place], `h${place + 1}`, value, back.d_h[place])),
      node(columns[2], middle, "y", values.y, back.d_y), node(columns[3], middle, "loss", values.loss, 1),
    ];
    const edge = (x1, y1, x2, y2) => svg("line", { class: "axis", x1, y1, x2, y2 });
    drawing.setAttribute("viewBox", `0 0 ${width} 220`);
    drawing.replaceChildren(
      ...rows.flatMap((from) => rows.map((to) => edge(columns[0], from, columns[1], to))),
      ...rows.map((from) => edge(columns[1], from, columns[2], middle)), edge(columns[2], middle, columns[3], middle),
      ...nodes);
    table.replaceChildren(...weightRows(network, back));
  }

  box.append(
    element("div", { class: "controls" }, ...sliders, element("label", {}, "label ", signs)),
    drawing, element("p", {}, "Upper number: the value. Lower number: the derivative of the loss with respect to it."),
    table);
  window.addEventListener("resize", show);
  show();
};

function node(x, y, name, value, derivative) {
  return svg("g", { class: "node" },
    svg("rect", { x: x - 34, y: y - 34, width: 68, height: 68, rx: 8 }),
    svg("text", { x, y: y - 16, "text-anchor": "middle" }, name),
    svg("text", { class: "value", x, y: y + 4, "text-anchor": "middle" }, value.toFixed(3)),
    svg("text", { class: "derivative", x, y: y + 24, "text-anchor": "middle" }, derivative.toFixed(3)));
}

function weightRows({ W_xh, w_hy }, { d_W_xh, d_w_hy }) {
  const cells = (tag, texts) => element("tr", {}, ...texts.map((text) => element(tag, {}, text)));
  const numbers = (values) => values.map((value) => value.toFixed(3));
  return [
    cells("th", ["unit", "weights of x", "their derivatives", "weight of h", "its derivative"]),
    ...W_xh.map((weights, unit) => cells("td", [String(unit + 1), numbers(weights).join(", "),
      numbers(d_W_xh[unit]).join(", "), w_hy[unit].toFixed(3), d_w_hy[unit].toFixed(3)])),
  ];
}
