// The beam search as a tree: a column for each step, what competed in it below each other, the best above.

import {exact, make} from "./dom.js";
import {readable} from "./values.js";

const WIDE = 118, HIGH = 40, BOX = 92, TALL = 32, LEFT = 62, TOP = 8;
const MARKS = {pruned: " ✕", ended: " ✓", kept: ""};

// nodes: of `beam_trees.Node`, parents before children. path: the numbers of the chosen translation's nodes.
export function drawTree(nodes, path) {
  const rows = [], places = new Map([[-1, {x: 4, y: TOP}]]);
  nodes.forEach((node, number) => {
    rows[node.step] = (rows[node.step] ?? 0) + 1;
    places.set(number, {x: LEFT + (node.step - 1) * WIDE, y: TOP + (rows[node.step] - 1) * HIGH});
  });
  const chosen = new Set(path);
  const width = LEFT + (rows.length - 1) * WIDE, height = TOP + Math.max(...rows.filter(Boolean)) * HIGH;
  const kind = number => nodes[number].fate + (chosen.has(number) ? " chosen" : "");
  const order = nodes.map((_, number) => number).sort((a, b) => chosen.has(a) - chosen.has(b));
  const tree = make("svg:svg", {width, height, viewBox: `0 0 ${width} ${height}`, role: "group",
    "aria-label": `beam search: ${nodes.length} beginnings in ${rows.length - 1} steps`},
    ...order.map(number => edge(places.get(nodes[number].parent), places.get(number), nodes[number], kind(number))),
    make("svg:text", {x: 4, y: TOP + TALL / 2 + 4, text: "<s>"}),
    ...nodes.map((node, number) => box(places.get(number), node, kind(number))));
  readable(tree);
  return tree;
}

function edge(from, to, node, kind) {
  const start = from.x + (node.parent < 0 ? 26 : BOX), middle = (start + to.x) / 2;
  const [above, below] = [from.y + TALL / 2, to.y + TALL / 2];
  return make("svg:path", {class: "edge " + kind, d: `M${start} ${above}C${middle} ${above} ${middle} ${below} ${to.x} ${below}`});
}

function box({x, y}, node, kind) {
  const text = node.word.length > 12 ? node.word.slice(0, 11) + "…" : node.word;
  const value = `${node.word}: ${exact(node.log_prob)} nats, ${node.fate} in step ${node.step}`;
  return make("svg:g", {class: "node " + kind, role: "img", "aria-label": value, "data-value": value},
    make("svg:rect", {x, y, width: BOX, height: TALL, rx: 6}),
    make("svg:text", {x: x + 6, y: y + 14, text: text + MARKS[node.fate]}),
    make("svg:text", {x: x + 6, y: y + 27, class: "faint", text: node.log_prob.toFixed(2)}));
}
