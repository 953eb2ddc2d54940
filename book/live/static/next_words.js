// Type the beginning of a sentence: the next words of a trained model beside the truth, and where attention goes.
"use strict";

const ROWS = 12;
const MODELS = { "01": NgramLM, "05": RecurrentLM, "06": AttentiveLM, "11": TransformerLM };

live.figures["next-words"] = (box, chapter) => {
  const model = new MODELS[chapter](live.data[`model ${chapter}`]), grammar = new Grammar(live.data.village);
  const input = element("input", {
    type: "text", value: "the hen of mira follows", spellcheck: "false", autocomplete: "off", autocapitalize: "off",
    "aria-label": "the beginning of a sentence", oninput: () => show(),
  });
  const notes = element("p", { class: "notes", role: "status" });
  const attention = element("div", { class: "attention" }), rows = element("div", { class: "bar-rows" });
  const total = element("p", { class: "total" });

  const names = Object.keys(readWords(model, []).at(-1).heads ?? {});
  const choice = element("select", { "aria-label": "attention head", onchange: () => show() },
    ...names.map((name) => element("option", { value: name }, name)));

  function write(words) {
    input.value = words.join(" ");
    show();
  }

  // The rows are new afterwards: whoever works with the keyboard goes on from the first.
  function append(words) {
    write(words);
    rows.querySelector("button")?.focus({ preventScroll: true });
  }

  function show() {
    const typed = tokenise(input.value), words = typed.slice(0, LONGEST_SENTENCE);
    const { logProbs, weights, heads } = readWords(model, words).at(-1), truth = grammar.after(words);
    const attended = heads ? heads[choice.value] : weights;
    const long = typed.length > LONGEST_SENTENCE ? [`Only the first ${LONGEST_SENTENCE} words are read.`] : [];
    notes.textContent = [...long, ...remarks(words, model.vocab, truth.impossible)].join(" ");
    attention.replaceChildren(...(attended ? attentionStrip(["<s>", ...words], attended) : []));
    const trueProbs = overVocabulary(truth.probs, model.vocab);
    const listed = listWords(trueProbs, logProbs, model.vocab.words.length);
    const largest = Math.max(...listed.map((word) => Math.max(trueProbs[word], Math.exp(logProbs[word]))));
    rows.replaceChildren(...listed.map((word) => {
      const values = [{ kind: "model", value: Math.exp(logProbs[word]) }];
      if (truth.impossible === null) values.unshift({ kind: "truth", value: trueProbs[word] });
      return barRow(nextButton(word, words), values, largest);
    }));
    total.textContent = truth.impossible !== null ? "" :
      `Kullback-Leibler divergence from the truth to the model: ${divergence(trueProbs, logProbs).toFixed(3)} nats`;
  }

  // The words that the figure lists can be appended; where the sentence ends, or a rare word comes, nothing can.
  function nextButton(word, words) {
    const text = model.vocab.words[word];
    if (word === BOUNDARY) return element("span", { class: "word" }, "end of sentence");
    if (word === UNKNOWN) return element("span", { class: "word" }, "any unknown word");
    return element("button", { class: "word", type: "button", onclick: () => append([...words, text]) }, text);
  }

  box.append(
    element("div", { class: "controls" }, input,
      element("button", { type: "button", onclick: () => write(tokenise(input.value).slice(0, -1)) }, "delete a word"),
      element("button", { type: "button", onclick: () => write([]) }, "clear"),
      ...(names.length ? [choice] : [])),
    notes, attention,
    element("p", { class: "legend" }, element("span", { class: "key truth" }, "truth"), " ",
      element("span", { class: "key model" }, "model"), " (probability of the next word; click on a word to append it)"),
    rows, total);
  show();
};

// What a reader should know of the text: words that the model lacks, and where the grammar cannot follow.
function remarks(words, vocab, impossible) {
  const unknown = [...new Set(words.filter((word) => !vocab.ids.has(word)))];
  const remarks = unknown.length ? [`Unknown to the model, which reads <unk>: ${unknown.join(", ")}.`] : [];
  if (impossible !== null) {
    remarks.push(`The village grammar cannot produce word ${impossible + 1}, “${words[impossible]}”, here: ` +
      "there is no truth to compare with.");
  }
  return remarks;
}

// The most probable words of the truth, and for a quarter of the rows those of the model beside them.
function listWords(trueProbs, logProbs, size) {
  const words = Array.from({ length: size }, (_, word) => word);
  const byTruth = words.filter((word) => trueProbs[word] > 0).sort((a, b) => trueProbs[b] - trueProbs[a]);
  const best = byTruth.slice(0, ROWS - ROWS / 4), known = new Set(best);
  const byModel = words.sort((a, b) => logProbs[b] - logProbs[a]).filter((word) => !known.has(word));
  return [...best, ...byModel.slice(0, ROWS - best.length)];
}
