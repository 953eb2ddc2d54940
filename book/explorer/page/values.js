// The value of a mark in a picture (an element with data-value), shown beside it when the mouse is over it or the
// keyboard reaches it: the tab key goes to the first mark of a picture, the arrow keys from there; Escape hides it.

import {make} from "./dom.js";

const STEPS = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]};
const GAP = 8;
const tip = make("div", {id: "value", role: "tooltip", hidden: true});
document.body.append(tip);
let shown = null;  // the mark whose value is shown

// Make the marks of a picture that was just drawn reachable by keyboard.
export function readable(picture) {
  const marks = [...picture.querySelectorAll("[data-value]")];
  marks.forEach((mark, place) => mark.setAttribute("tabindex", place ? -1 : 0));
  show(null);
  picture.onkeydown = event => {
    const next = STEPS[event.key] && marks.includes(event.target) && neighbour(marks, event.target, STEPS[event.key]);
    if (!next) return;
    event.preventDefault();
    marks.forEach(mark => mark.setAttribute("tabindex", mark === next ? 0 : -1));
    next.focus();
  };
}

// The nearest mark in a direction; what lies straight ahead counts as nearer.
function neighbour(marks, from, [right, down]) {
  const [x, y] = centre(from);
  const distance = mark => {
    const [dx, dy] = [centre(mark)[0] - x, centre(mark)[1] - y], ahead = dx * right + dy * down;
    return ahead > 1 ? ahead + 4 * Math.abs(dx * down + dy * right) : Infinity;
  };
  const nearest = marks.reduce((best, mark) => distance(mark) < distance(best) ? mark : best, from);
  return nearest === from ? null : nearest;
}

function centre(mark) {
  const {left, top, width, height} = mark.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}

function show(mark) {
  shown = mark;
  tip.hidden = !mark;
  if (!mark) return;
  tip.textContent = mark.dataset.value;
  const {left, top, bottom} = mark.getBoundingClientRect(), {width, height} = tip.getBoundingClientRect();
  tip.style.left = Math.max(GAP, Math.min(left, document.documentElement.clientWidth - width - GAP)) + "px";
  tip.style.top = (bottom + GAP + height < innerHeight ? bottom + GAP : top - GAP - height) + "px";
}

const markAt = event => event.target.closest?.("[data-value]");

document.addEventListener("mouseover", event => show(markAt(event)));
document.addEventListener("focusin", event => {
  show(markAt(event));
  markAt(event)?.setAttribute("aria-describedby", tip.id);
});
document.addEventListener("focusout", event => {
  show(null);
  markAt(event)?.removeAttribute("aria-describedby");
});
document.addEventListener("keydown", event => { if (event.key === "Escape") show(null); });
document.addEventListener("scroll", () => show(shown), true);
