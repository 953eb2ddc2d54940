// A part of the page as SVG: its boxes, texts and drawings where and as they are seen.

import {make} from "./dom.js";

const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-family", "font-size", "font-weight"];
const MARGIN = 8;
const pen = document.createElement("canvas").getContext("2d", {willReadFrequently: true});

export function asSvg(part) {
  const shapes = shapesOf(part), at = part.getBoundingClientRect();
  const all = make("svg:svg", {}, ...shapes);
  document.body.append(all);  // only what is in a page has a size
  const {x, y, width, height} = all.getBBox();
  all.remove();
  const box = {x: Math.min(x, at.x) - MARGIN, y: Math.min(y, at.y) - MARGIN, width: width + 2 * MARGIN, height: height + 2 * MARGIN};
  for (const [name, value] of Object.entries({width: box.width, height: box.height, viewBox: Object.values(box).join(" ")})) {
    all.setAttribute(name, value);
  }
  all.prepend(make("svg:rect", {...box, ...painted("fill", ground(part))}));
  return new XMLSerializer().serializeToString(all);
}

function shapesOf(element) {
  const style = getComputedStyle(element);
  if (!element.getClientRects().length || element.matches("button.quiet, select, summary, .save")) return [];
  if (element.matches("svg")) return [drawing(element)];
  const turn = style.transform, [right, down] = style.transformOrigin.split(" ").map(parseFloat);
  if (turn !== "none") element.style.transform = "none";  // to be measured as it stands before it is turned
  const {x, y} = element.getBoundingClientRect();
  const shapes = [boxOf(element, style), ...[...element.childNodes].flatMap(child =>
    child instanceof Text ? linesOf(child, style) : child instanceof Element ? shapesOf(child) : [])].filter(Boolean);
  element.style.transform = "";
  if (turn === "none" && style.opacity === "1") return shapes;
  const place = turn === "none" ? null : `translate(${x + right} ${y + down}) ${turn} translate(${-x - right} ${-y - down})`;
  return [make("svg:g", {transform: place, opacity: style.opacity}, ...shapes)];
}

// The background, the border and the ring of an element, if it has any.
function boxOf(element, style) {
  const {x, y, width, height} = element.getBoundingClientRect(), border = parseFloat(style.borderTopWidth);
  const ring = style.outlineStyle === "solid" && !element.matches(":focus-visible") ? parseFloat(style.outlineWidth) : 0;
  const line = border ? {...painted("stroke", style.borderTopColor), "stroke-width": border}
    : ring ? {...painted("stroke", style.outlineColor), "stroke-width": ring} : {};
  const fill = painted("fill", style.backgroundColor);
  if (fill["fill-opacity"] === 0 && !(line["stroke-opacity"] > 0)) return null;
  return make("svg:rect", {x, y, width, height, rx: Math.min(parseFloat(style.borderTopLeftRadius), height / 2), ...fill, ...line});
}

// A text, one SVG text for each line of it.
function linesOf(node, style) {
  const lines = [];
  for (const {0: word, index} of node.data.matchAll(/\S+/g)) {
    const range = document.createRange();
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    const box = range.getBoundingClientRect(), last = lines.at(-1);
    if (last?.box.y === box.y) last.text += " " + word; else lines.push({box, text: word});
  }
  pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const {fontBoundingBoxAscent: above, fontBoundingBoxDescent: below} = pen.measureText("x");
  return lines.map(({box, text}) => make("svg:text", {x: box.x, y: box.y + box.height * above / (above + below), text,
    "font-family": style.fontFamily, "font-size": style.fontSize, "font-weight": style.fontWeight, ...painted("fill", style.color)}));
}

// A drawing is SVG already; its looks, which are in a style sheet, are written into it.
function drawing(svg) {
  const copy = svg.cloneNode(true), {x, y} = svg.getBoundingClientRect();
  const parts = [...svg.querySelectorAll("*")], copies = [...copy.querySelectorAll("*")];
  parts.forEach((part, place) => {
    const style = getComputedStyle(part);
    for (const name of part.matches("g") ? ["opacity"] : STYLES) copies[place].setAttribute(name, style[name]);
    for (const paint of part.matches("g") ? [] : ["fill", "stroke"]) {
      if (style[paint] !== "none") Object.entries(painted(paint, style[paint])).forEach(pair => copies[place].setAttribute(...pair));
    }
    for (const name of ["style", "tabindex", "role", "aria-label", "class"]) copies[place].removeAttribute(name);
  });
  return make("svg:g", {transform: `translate(${x} ${y})`}, ...copy.childNodes);
}

// The colour of the ground that a part is on.
function ground(part) {
  const colour = getComputedStyle(part).backgroundColor;
  return painted("fill", colour)["fill-opacity"] || !part.parentElement ? colour : ground(part.parentElement);
}

// A colour in any notation of CSS as attributes that every program reads: fill="#rrggbb" and fill-opacity.
function painted(name, colour) {
  pen.clearRect(0, 0, 1, 1);
  pen.fillStyle = colour;
  pen.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = pen.getImageData(0, 0, 1, 1).data;
  const hex = [red, green, blue].map(part => part.toString(16).padStart(2, "0")).join("");
  return {[name]: "#" + hex, [name + "-opacity"]: Number((alpha / 255).toFixed(3))};
}
