// What is typed becomes words, and words become numbers.
"use strict";

const BOUNDARY = 0, UNKNOWN = 1, LONGEST_SENTENCE = 40;

// Lower-case words; each mark of punctuation is a word.
function tokenise(text) {
  return text.toLowerCase().match(/<unk>|[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*|[^\s\p{L}\p{N}]/gu) ?? [];
}

class Vocabulary {
  // words: </s> and <unk> first.
  constructor(words) {
    this.words = words;
    this.ids = new Map(words.map((word, number) => [word, number]));
  }

  encode(words) {
    return words.map((word) => this.ids.get(word) ?? UNKNOWN);
  }
}

// log P(next word) after <s>, after the first word, ...: an array of n + 1 distributions, and the state after each.
function readWords(model, words) {
  const steps = [];
  let state = model.start();
  for (const word of [BOUNDARY, ...model.vocab.encode(words)]) {
    const step = model.advance(state, word);
    state = step.state;
    steps.push(step);
  }
  return steps;
}

// The true probabilities in the order of a vocabulary: what it lacks is added up in <unk>.
function overVocabulary(truth, vocab) {
  const probs = new Float64Array(vocab.words.length);
  for (const [word, prob] of truth) probs[vocab.ids.get(word) ?? UNKNOWN] += prob;
  return probs;
}

// Each word read with its weight; the last one attends. In chapter 6 it has no weight, as a step attends to those before it.
function attentionStrip(words, weights) {
  return words.map((word, place) => {
    const weight = weights[place];
    return element("span", { class: place === words.length - 1 ? "read query" : "read" },
      element("span", {}, word),
      element("i", { style: `--share: ${100 * (weight ?? 0)}%` }),
      element("b", {}, weight?.toFixed(2) ?? "query"));
  });
}
