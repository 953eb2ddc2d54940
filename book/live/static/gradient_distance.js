// Chapters 5 and 6: how long a gradient is that has run back so many steps, on models before and after training.
"use strict";

const ATTENTIVE = "lstm, attention";

// The curves of a chapter by time and by cell; in chapter 6 the LSTM with attention is among them.
function gradientCurves(chapter) {
  const { cells, norms } = live.data["gradient-distance"];
  if (chapter === "05") return { cells, norms };
  const attentive = live.data[`gradients ${chapter}`];
  return {
    cells: ["lstm", ATTENTIVE, "rnn"],
    norms: Object.fromEntries(Object.entries(norms).map(([when, curves]) =>
      [when, { ...curves, [ATTENTIVE]: attentive[when] }])),
  };
}

live.figures["gradient-distance"] = (box, chapter) => {
  const { cells, norms } = gradientCurves(chapter);
  const steps = norms.before[cells[0]].length;
  const drawing = svg("svg", { role: "img", "aria-label": "norm of the gradient by distance" });
  const rows = element("div", { class: "bar-rows" }), told = element("p", { role: "status" });
  const when = element("select", { "aria-label": "before or after training", onchange: () => show() },
    ...Object.keys(norms).map((name) => element("option", { value: name, selected: name === "after" }, `${name} training`)));
  let distance = 5;
  const slide = slider("steps back", { min: 0, max: steps - 1, step: 1, value: distance, digits: 0 }, (value) => {
    distance = value;
    show();
  });

  function show() {
    const curves = norms[when.value], width = drawingWidth(box);
    const all = Object.values(norms).flatMap((part) => Object.values(part).flat());
    const lowest = Math.floor(Math.min(...all));
    const x = scale([0, steps - 1], [60, width - 15]), y = scale([lowest, Math.max(...all)], [190, 15]);
    const powers = Array.from({ length: 1 - lowest }, (_, place) => -place);
    drawing.setAttribute("viewBox", `0 0 ${width} 230`);
    drawing.replaceChildren(
      ...axes(x, y, { left: 60, right: width - 15, bottom: 200 }, [0, 5, 10, 15], []),
      ...powers.map((power) => svg("text", { x: 55, y: y(power) + 4, "text-anchor": "end" }, String(10 ** power))),
      svg("text", { x: width / 2, y: 227, "text-anchor": "middle" }, "steps back"),
      svg("path", { class: "axis", d: `M${x(distance)} 10V200` }),
      ...cells.flatMap((cell, place) => [
        svg("path", { class: `line kind-${place}`, d: path(curves[cell].map((value, step) => [step, value]), x, y) }),
        svg("circle", { class: `dot kind-${place}`, cx: x(distance), cy: y(curves[cell][distance]), r: 5 }),
      ]));
    const values = cells.map((cell) => 10 ** curves[cell][distance]);
    rows.replaceChildren(...cells.map((cell, place) => barRow(element("span", {}, cell),
      [{ kind: `kind-${place}`, value: values[place] }], Math.max(...values), (value) => value.toPrecision(2))));
    told.textContent = `norm of one loss's gradient with respect to the state ${distance} steps back, ${when.value} training`;
  }

  box.append(element("div", { class: "controls" }, slide, when), drawing, told, rows);
  window.addEventListener("resize", show);
  show();
};
