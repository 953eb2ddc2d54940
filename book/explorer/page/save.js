// Saving a picture of the page as an SVG file, and its numbers as a CSV file.

import {make} from "./dom.js";
import {asSvg} from "./picture.js";

// Two buttons. name: of the files. table: a function that gives rows, the head first. picture: the element that is
// drawn; without one there are only numbers.
export function saving(name, table, picture) {
  const button = (kind, what, content, type) => make("button", {type: "button", text: kind,
    "aria-label": `${kind}: save ${what} of ${name.replaceAll("-", " ")}`, title: `save ${what}`,
    on: {click: () => save(`${name}.${kind.toLowerCase()}`, content(), type)}});
  return make("span", {class: "save"},
    picture ? button("SVG", "the picture", () => asSvg(picture), "image/svg+xml") : null,
    button("CSV", "the numbers", () => asCsv(table()), "text/csv"));
}

// The name of a run, without what file names cannot have.
export const fileName = run => run.replaceAll(/[^\w.-]+/g, "-");

function save(name, content, type) {
  const address = URL.createObjectURL(new Blob([content], {type}));
  make("a", {href: address, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

// Rows as text (RFC 4180); nothing for null.
export function asCsv(rows) {
  const cell = value => /[",\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : value ?? "";
  return rows.map(row => row.map(cell).join(",") + "\r\n").join("");
}
