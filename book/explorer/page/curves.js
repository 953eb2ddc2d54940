// Learning curves as one picture: perplexity on a logarithmic axis, epoch by epoch.

import {exact, make} from "./dom.js";
import {readable} from "./values.js";

const WIDE = 680, HIGH = 340, LEFT = 52, BOTTOM = 34, RIGHT = 14, TOP = 12;
const COLOURS = ["#3a86d0", "#d97c1e", "#2f9e6e", "#a06cd5", "#d6516b", "#8c8c3a", "#1fa3b5"];
const SHAPES = [(x, y) => `M${x - 4} ${y}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0`, (x, y) => `M${x - 4} ${y - 4}h8v8h-8z`,
  (x, y) => `M${x} ${y - 5}l5 9h-10z`, (x, y) => `M${x} ${y - 5}l5 5l-5 5l-5 -5z`];

// The picture and its legend. Colour is not alone: each run has its own shape of dots, too.
export function drawCurves(names, curves) {
  const values = curves.flat().flatMap(record => [record.dev_perplexity, record.train_perplexity])
    .filter(value => value > 0 && Number.isFinite(value));
  if (!values.length) return [make("p", {class: "hint", text: "None of these runs has finished an epoch."})];
  const [low, high] = [Math.min(...values) * 0.95, Math.max(...values) * 1.05];
  const epochs = Math.max(...curves.map(curve => curve.length));
  const x = epoch => LEFT + (epochs > 1 ? (epoch - 1) / (epochs - 1) : 0.5) * (WIDE - LEFT - RIGHT - 10) + 5;
  const y = value => TOP + (HIGH - TOP - BOTTOM) * Math.log(high / value) / Math.log(high / low);
  const picture = make("svg:svg", {width: WIDE, height: HIGH, viewBox: `0 0 ${WIDE} ${HIGH}`, role: "group",
    "aria-label": "perplexity by epoch; the best of each run is in the list below"},
    ...ticks(low, high).map(value => make("svg:g", {},
      make("svg:line", {class: "axis", x1: LEFT, x2: WIDE - RIGHT, y1: y(value), y2: y(value)}),
      make("svg:text", {class: "faint", x: LEFT - 8, y: y(value) + 4, "text-anchor": "end", text: value}))),
    ...steps(epochs).map(epoch =>
      make("svg:text", {class: "faint", x: x(epoch), y: HIGH - 14, "text-anchor": "middle", text: epoch})),
    make("svg:text", {class: "faint", x: WIDE - RIGHT, y: HIGH - 1, "text-anchor": "end", text: "epoch"}),
    ...curves.flatMap((curve, run) => [line(curve, "train_perplexity", "train", run, x, y),
      line(curve, "dev_perplexity", "dev", run, x, y), dots(curve, names[run], run, x, y)]));
  readable(picture);
  return [picture, make("ul", {class: "legend"}, ...names.map((name, run) => make("li", {}, key(run), name, best(curves[run]))))];
}

const ink = run => ({ink: COLOURS[run % COLOURS.length]});
const shape = run => SHAPES[run % SHAPES.length];

function line(curve, name, kind, run, x, y) {
  const points = curve.filter(record => record[name] > 0).map(record => `${x(record.epoch)} ${y(record[name])}`);
  return make("svg:path", {class: kind, vars: ink(run), d: points.length ? "M" + points.join("L") : "M0 0"});
}

function dots(curve, name, run, x, y) {
  return make("svg:g", {}, ...curve.filter(record => record.dev_perplexity > 0).map(record => {
    const value = `${name}, epoch ${record.epoch}: dev ${exact(record.dev_perplexity)}`
      + (record.train_perplexity > 0 ? `, train ${exact(record.train_perplexity)}` : "");
    return make("svg:path", {class: "dot", vars: ink(run), d: shape(run)(x(record.epoch), y(record.dev_perplexity)),
      role: "img", "aria-label": value, "data-value": value});
  }));
}

const key = run => make("svg:svg", {width: 26, height: 12, viewBox: "0 0 26 12", "aria-hidden": "true"},
  make("svg:path", {vars: ink(run), d: "M0 6H26"}), make("svg:path", {class: "dot", vars: ink(run), d: shape(run)(13, 6)}));

function best(curve) {
  const dev = curve.map(record => record.dev_perplexity).filter(value => value > 0);
  return dev.length ? `: best on dev ${Math.min(...dev).toFixed(2)} after epoch ${dev.indexOf(Math.min(...dev)) + 1} of ${dev.length}`
    : ": not finished";
}

// Round numbers between two, about five of them.
function ticks(low, high) {
  const all = [-1, 0, 1, 2, 3, 4, 5, 6].flatMap(power => [1, 1.5, 2, 3, 5, 7].map(step => Number((step * 10 ** power).toPrecision(2))));
  const within = all.filter(value => value >= low && value <= high), every = Math.ceil(within.length / 6);
  return within.filter((_, place) => place % every === 0);
}

function steps(epochs) {
  const every = Math.ceil(epochs / 12);
  return Array.from({length: epochs}, (_, place) => place + 1).filter(epoch => (epoch - 1) % every === 0);
}
