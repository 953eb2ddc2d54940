// Chapter 1: the weight of the unigram model in its mixture with the bigram model, on the predictions of dev.
"use strict";

// One step of EM: the mean of the unigram model's responsibilities.
function emStep(alpha, bigram, unigram) {
  let total = 0;
  for (let t = 0; t < bigram.length; t++) {
    total += (alpha * unigram[t]) / ((1 - alpha) * bigram[t] + alpha * unigram[t]);
  }
  return total / bigram.length;
}

// The mean of log((1 - alpha) b_t + alpha u_t), in nats.
function meanLogLikelihood(alpha, bigram, unigram) {
  let total = 0;
  for (let t = 0; t < bigram.length; t++) total += Math.log((1 - alpha) * bigram[t] + alpha * unigram[t]);
  return total / bigram.length;
}

live.figures["mixture"] = (box) => {
  const [bigram, unigram] = live.data.mixture.map(float32);
  const likelihood = (alpha) => meanLogLikelihood(alpha, bigram, unigram);
  const curve = Array.from({ length: 50 }, (_, place) => (place + 0.5) / 50).map((alpha) => [alpha, likelihood(alpha)]);
  const drawing = svg("svg", { role: "img", "aria-label": "mean log-likelihood of dev by the weight" });
  const told = element("p", { role: "status" });
  let alphas = [0.5];

  const weight = slider("weight α", { min: 0.001, max: 0.999, step: 0.001, value: 0.5, digits: 3 }, (alpha) => {
    alphas = [alpha];
    show();
  });

  function step() {
    alphas.push(emStep(alphas.at(-1), bigram, unigram));
    setSlider(weight, alphas.at(-1), 3);
    show();
  }

  function show() {
    const width = drawingWidth(box), values = alphas.map((alpha) => [alpha, likelihood(alpha)]);
    const lowest = Math.min(...curve.map(([, value]) => value)), highest = Math.max(...curve.map(([, value]) => value));
    const x = scale([0, 1], [60, width - 15]), y = scale([lowest, highest], [190, 20]);
    drawing.setAttribute("viewBox", `0 0 ${width} 230`);
    drawing.replaceChildren(
      ...axes(x, y, { left: 60, right: width - 15, bottom: 200 }, [0, 0.25, 0.5, 0.75, 1], [lowest, highest]),
      svg("text", { x: width / 2, y: 227, "text-anchor": "middle" }, "weight of the unigram model"),
      svg("path", { class: "line", d: path(curve, x, y) }),
      ...values.map(([alpha, value]) => svg("circle", { class: "dot", cx: x(alpha), cy: y(Math.max(value, lowest)), r: 5 })));
    const [alpha, value] = values.at(-1);
    told.textContent = `α = ${alpha.toFixed(4)} after ${alphas.length - 1} EM steps: mean log-likelihood ` +
      `${value.toFixed(4)} nats, perplexity ${Math.exp(-value).toFixed(3)}`;
  }

  box.append(element("div", { class: "controls" }, weight,
    element("button", { type: "button", onclick: step }, "one EM step")), drawing, told);
  window.addEventListener("resize", show);
  show();
};
