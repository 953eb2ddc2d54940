// Below each result of a search, the sentence of the page around the words that were looked for.
"use strict";

const LONGEST_EXCERPT = 240;

// What finds a word in a text: its stem, with or without hyphens, in British or American spelling.
function finderOf(word) {
  const stem = new Stemmer().stemWord(word), start = word.startsWith(stem) ? stem : word;
  const letters = [...start].map((letter) => letter.replace(/[.*+?^${}()|[\]\\]/, "\\$&")).join("-?");
  return new RegExp(`\\b${letters.replace(/i(-\?)?[sz]/g, "i$1[sz]")}[\\p{L}-]*`, "giu");
}

// The sentence that has most of the words, one without formulas before others; the first one where none has any.
function bestSentence(text, finders) {
  const sentences = text.split(/(?<=[.!?:;])\s+/);
  const value = (sentence) =>
    finders.filter((finder) => sentence.search(finder) >= 0).length - (sentence.includes("…") ? 0.5 : 0);
  return sentences.reduce((best, sentence) => (value(sentence) > value(best) ? sentence : best));
}

// The sentence, or a part of it from shortly before the first hit on, with all hits marked.
function excerptOf(text, finders) {
  const sentence = bestSentence(text, finders), hits = finders.map((finder) => sentence.search(finder)).filter((at) => at >= 0);
  const start = sentence.length > LONGEST_EXCERPT ? Math.max(0, Math.min(...hits, sentence.length) - LONGEST_EXCERPT / 3) : 0;
  const from = start ? sentence.indexOf(" ", start) + 1 : 0, part = sentence.slice(from, from + LONGEST_EXCERPT);
  const excerpt = document.createElement("p");
  excerpt.className = "excerpt";
  excerpt.append(from ? "… " : "", ...marked(part, finders), from + LONGEST_EXCERPT < sentence.length ? " …" : "");
  return excerpt;
}

// A text in parts: what a finder finds is in a <mark>.
function marked(text, [finder, ...others]) {
  if (!finder) return [text];
  const parts = [];
  let end = 0;
  for (const hit of text.matchAll(finder)) {
    const mark = document.createElement("mark");
    mark.textContent = hit[0];
    parts.push(...marked(text.slice(end, hit.index), others), mark);
    end = hit.index + hit[0].length;
  }
  return [...parts, ...marked(text.slice(end), others)];
}

document.addEventListener("DOMContentLoaded", () => {
  const query = new URLSearchParams(location.search).get("q") ?? "";
  const words = splitQuery(query.toLowerCase()).filter((word) => !stopwords.has(word));
  const finders = words.map(finderOf);
  new MutationObserver((changes) => {
    for (const result of changes.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node.tagName === "LI")) {
      const page = result.querySelector("a").getAttribute("href").replace(/\.html.*$/, "");
      if (PAGE_TEXTS[page]) result.append(excerptOf(PAGE_TEXTS[page], finders));
    }
  }).observe(document.getElementById("search-results"), { childList: true, subtree: true });
});
