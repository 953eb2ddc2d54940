// What all live figures share: their data, how they are put onto the page, and the elements that they are made of.
"use strict";

const live = { data: {}, figures: {} };

// Draw the figure of each <div class="live" data-figure="NAME" data-chapter="NN"> when it comes near the screen.
document.addEventListener("DOMContentLoaded", () => {
  const observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      filled(target, { role: "group", "aria-label": `live figure: ${target.dataset.figure}` }, []);
      live.figures[target.dataset.figure](target, target.dataset.chapter);
    }
  }, { rootMargin: "50%" });
  document.querySelectorAll("div.live").forEach((box) => observer.observe(box));
});

// An element of HTML: element("p", { class: "note" }, "some text", otherElement).
function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

// An element of SVG.
function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

// A labelled range input, with its value beside it; change(value) is called while it is dragged.
function slider(name, { min, max, step, value, digits = 2 }, change) {
  const output = element("output", {}, value.toFixed(digits));
  const input = element("input", {
    type: "range", min, max, step, value, "aria-label": name,
    oninput: () => {
      output.textContent = Number(input.value).toFixed(digits);
      change(Number(input.value));
    },
  });
  return element("label", { class: "slider" }, element("span", {}, name), input, output);
}

// Change what a slider shows without telling its figure.
function setSlider(label, value, digits = 2) {
  label.querySelector("input").value = value;
  label.querySelector("output").textContent = value.toFixed(digits);
}

// A row of a bar chart: a name, then for each value a bar and a number.
function barRow(name, values, largest, format = (value) => value.toFixed(3)) {
  const bars = values.map(({ kind, value }) =>
    element("span", { class: `bar ${kind}`, style: `--share: ${(100 * Math.max(value, 0)) / largest}%` },
      element("i"), element("b", {}, format(value))));
  return element("div", { class: "bar-row" }, name, element("span", { class: "bars" }, ...bars));
}

// A function of x as the points of an SVG path; x and y are functions from values to places in the drawing.
function path(points, x, y) {
  return points.map(([a, b], index) => `${index ? "L" : "M"}${x(a).toFixed(2)} ${y(b).toFixed(2)}`).join(" ");
}

// A function that takes [from, to] linearly onto [start, end].
function scale([from, to], [start, end]) {
  return (value) => start + ((value - from) / (to - from)) * (end - start);
}

// How wide a drawing is, so that its text has the size of the page's.
function drawingWidth(box) {
  const style = getComputedStyle(box);
  return Math.max(260, Math.min(640, box.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)));
}

// Two axes with numbers at some of their values.
function axes(x, y, { left, right, bottom }, acrossAt, upAt, digits = 2) {
  return [
    svg("path", { class: "axis", d: `M${left} 10V${bottom}H${right}` }),
    ...acrossAt.map((value) => svg("text", { x: x(value), y: bottom + 14, "text-anchor": "middle" }, String(value))),
    ...upAt.map((value) => svg("text", { x: left - 5, y: y(value) + 4, "text-anchor": "end" }, value.toFixed(digits))),
  ];
}
