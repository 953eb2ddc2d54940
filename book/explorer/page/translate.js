// The tab "Translation": the beam as a tree, the n-best list, attention beside the true alignment, contexts and gate.

import {Chooser} from "./choose.js";
import {ask, find, latest, make, nats, offerExamples, quoted, sentence, table, words} from "./dom.js";
import {heatTable} from "./maps.js";
import {fileName, saving} from "./save.js";
import {drawTree} from "./tree.js";

export function translateTab(panel, train, given) {
  const form = find(panel, ".ask"), field = find(panel, "input[type=text]"), problem = find(panel, ".problem");
  const found = find(panel, ".found"), answering = latest(problem), looking = latest(problem);
  const chooser = new Chooser(panel, "translation", {first: chapters => chapters.slice(-1), changed: refresh, train, given, alone: true});
  let answer = null, asked = null, wanted = Number(given.get("rank")), rank = 0;

  function refresh() {
    if (!chooser.seen) return;  // the runs are still to come, and then this is asked again
    const names = chooser.names(), examples = chooser.run(names[0])?.examples ?? [];
    offerExamples(find(panel, ".examples"), examples.slice(0, 5), text => { field.value = text; refresh(); });
    found.hidden = true;
    looking.cancel();
    if (!names.length) {
      answering.cancel();
      problem.classList.add("note");
      problem.textContent = chooser.all.length ? "Choose a model above; several are an ensemble."
        : "No translation model is trained yet: choose one above, and train it in a minute or two.";
      return;
    }
    if (!field.value && examples.length) field.value = examples[Math.min(2, examples.length - 1)];
    asked = {text: field.value, runs: names};
    const {beam, ending} = form.elements;
    answering(() => ask("translate", {...asked, beam: Number(beam.value), length: ending.value}), show);
  }

  function show(answered) {
    answer = answered;
    found.hidden = false;
    find(panel, ".of-list").replaceChildren(saving("translations", () => [["rank", "translation", "log P, nats", "log P by the grammar, nats"],
      ...answer.found.map((one, place) => [place + 1, one.words.join(" "), one.log_prob, one.possible === false ? "-inf" : one.true_log_prob])]));
    choose(wanted <= answer.found.length - !answer.reference.length ? wanted : 0);
    wanted = 0;  // the rank in the address is that of its own sentence
  }

  function tellNotes() {
    problem.classList.add("note");
    const {source, unknown} = answer;
    problem.textContent = [
      asked.runs.length > 1 ? `An ensemble of ${asked.runs.length}: the mean of their probabilities` : "",
      source.join(" ") === words(asked.text).join(" ") ? "" : `Read as ${quoted(source.join(" "))}`,
      unknown.length ? `Not in the vocabulary, read as <unk>: ${quoted(unknown)}` : answer.problem,
    ].filter(Boolean).map(sentence).join(" ");
  }

  // Show the translation of this rank, or after all of them the true one.
  function choose(chosen) {
    rank = chosen;
    const best = answer.found[rank];
    showList(rank);
    const tree = drawTree(answer.nodes, best ? best.path : []);
    find(panel, ".tree").replaceChildren(tree);
    find(panel, ".of-tree").replaceChildren(saving("beam", () => [["number", "continues", "step", "word", "log P, nats", "fate"],
      ...answer.nodes.map((node, number) => [number, node.parent < 0 ? "" : node.parent, node.step, node.word, node.log_prob, node.fate])], tree));
    const target = (best ? best.words : answer.reference).join(" ");
    tellNotes();
    looking(() => ask("attend", {...asked, target}), seen => { tellNotes(); showMaps(seen, best); });
  }

  function showList(chosen) {
    const pick = (texts, rank, score, said, verdict) => [said, [
      make("td", {}, make("button", {type: "button", text: texts.join(" ") || "(nothing)", "aria-pressed": String(rank === chosen),
        on: {click: () => { choose(rank); find(panel, ".nbest [aria-pressed='true']").focus(); }}})), score, verdict], rank === chosen ? "chosen" : ""];
    const rows = answer.found.map((one, rank) => pick(one.words, rank, nats(one.log_prob),
      `${rank + 1}${one.finished ? "" : " (cut)"}`, verdict(one)));
    if (answer.reference.length) {
      rows.push(pick(answer.reference, rows.length, "", "truth", make("td", {text: "the grammar's most probable one"})));
    }
    const sorted = form.elements.ending.value !== "none" && Number(form.elements.beam.value) > 1
      ? make("p", {class: "hint", text: "Sorted by the length score that is chosen, not by log P."}) : null;
    find(panel, ".nbest").replaceChildren(...[table(["", "translation", "log P, nats", "by the grammar"], rows), sorted].filter(Boolean));
  }

  function showMaps({models, source, target, links}, best) {
    find(panel, ".links").textContent = links
      ? "Ringed: the true alignment. Numbers are weights; those below 0.05 are left out."
      : best && best.why ? sentence("No true alignment to ring: " + best.why) : "The true alignment is not known.";
    const cut = best && !best.finished;
    const rows = cut ? target.slice(0, -1) : target;
    const map = (model, name, heading, gates) => make("div", {}, make("p", {class: "score", text: heading}),
      heatTable(source, rows, model[name], `${heading} of ${model.run}`, {links, gates}));
    const article = model => {
      const maps = make("div", {class: "pairs"},
        map(model, "attention", model.word_attention ? "annotation attention" : "attention", null),
        model.word_attention ? map(model, "word_attention", gateHeading(model), model.gates) : null);
      const kinds = ["attention", "word_attention"].filter(name => model[name]);
      const numbers = () => [["target", "source", ...kinds.map(plain), ...(model.gates ? ["share of the word context"] : [])],
        ...rows.flatMap((word, row) => source.map((text, column) => [word, text, ...kinds.map(name => model[name][row][column]),
          ...(model.gates ? [model.gates[row]] : [])]))];
      return make("article", {class: "view"}, make("div", {class: "head"}, make("h3", {text: chooser.title(chooser.run(model.run))}),
        saving(`attention-${fileName(model.run)}`, numbers, maps)), maps);
    };
    find(panel, ".maps").replaceChildren(...models.map(article));
    if (!models.length) {
      find(panel, ".maps").replaceChildren(make("p", {class: "hint", text:
        "These models have no attention: the decoder knows the source only through its first state."}));
    }
  }

  form.addEventListener("submit", event => { event.preventDefault(); refresh(); });
  form.elements.beam.addEventListener("change", refresh);
  form.elements.ending.addEventListener("change", refresh);
  return {update: state => chooser.update(state), names: () => chooser.names(), state: () => rank ? [["rank", rank]] : []};
}

const plain = name => name.replaceAll("_", " ");

const gateHeading = model => model.gates
  ? "word attention; in blue the gate: the share of the word context" : "word attention";

function verdict(one) {
  if (one.possible === null) return "";
  const told = one.possible ? `✓ log P ${nats(one.true_log_prob)}` : "✗ not a translation";
  return make("td", {class: one.possible ? "good" : "bad", text: told, title: one.why});
}
