// Chapter 5: how long a gradient is that has run back so many steps, measured on models before and after training.
"use strict";

live.figures["gradient-distance"] = (box) => {
  const { cells, norms } = live.data["gradient-distance"];
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
    const x = scale([0, steps - 1], [60, width - 15]), y = scale([Math.floor(Math.min(...all)), 0.2], [190, 15]);
    const powers = Array.from({ length: 1 - Math.floor(Math.min(...all)) }, (_, place) => -place);
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
      [{ kind: `kind-${place}`, value: values[place] }], 1, (value) => value.toPrecision(2))));
    told.textContent = `norm of one loss's gradient with respect to the state ${distance} steps back, ${when.value} training`;
  }

  box.append(element("div", { class: "controls" }, slide, when), drawing, told, rows);
  window.addEventListener("resize", show);
  show();
};
