// The tab "Next word": distributions side by side, the truth, surprise of each word, samples.

import {Chooser} from "./choose.js";
import {ask, exact, find, later, latest, make, nats, offerExamples, percent, quoted, sentence, table, words} from "./dom.js";
import {saving} from "./save.js";
import {readable} from "./values.js";

const OFFERED = 24;
const DARKEST = 8;  // nats

export function nextTab(panel, train, given) {
  const field = find(panel, "input[type=text]"), form = find(panel, ".ask");
  const [problem, problemOfSamples] = panel.querySelectorAll(".problem");
  const answering = latest(problem), sampling = latest(problemOfSamples);
  const sampleForm = find(panel, ".sampling"), {sampled} = sampleForm.elements;
  const chooser = new Chooser(panel, "language", {first: (chapters, others) => [...chapters, ...others].slice(0, 6), changed: refresh, train, given});
  let read = null, sampler = given.get("sampled");  // the words that the models have read; the model that samples

  function refresh() {
    if (!chooser.seen) return;  // the runs are still to come, and then this is asked again
    const names = chooser.names();
    const runs = names.map(name => chooser.run(name));
    offerModels(names);
    offerExamples(find(panel, ".examples"), (runs[0]?.examples ?? []).slice(1, 4).map(beginning), write);
    if (!names.length) {
      problem.classList.add("note");
      problem.textContent = chooser.all.length ? "Choose a model above."
        : "No language model is trained yet: choose one above, and train it in a minute or two.";
      answering.cancel();
      empty();
      return;
    }
    answering(() => ask("next", {text: field.value, runs: names}), show, empty);
  }

  // Nothing is shown that belongs to another text or to no model.
  function empty() {
    read = null;
    for (const part of [".cards", ".offers", ".samples", ".save"]) find(panel, part).replaceChildren();
    find(panel, ".reading").textContent = "";
    find(panel, ".surprise").hidden = true;
  }

  function write(text) {
    field.value = text;
    read = null;
    refresh();
  }

  const soFar = () => read ?? words(field.value);

  // The field has the focus then, for the button that was pressed is gone with what it offered.
  function append(word) {
    write([...soFar(), word].join(" "));
    field.focus();
  }

  function offerModels(names) {
    sampled.replaceChildren(...names.map(name => make("option", {value: name, text: chooser.title(chooser.run(name))})));
    sampled.value = names.includes(sampler) ? sampler : names.at(-1) ?? "";
    find(sampleForm, "button").disabled = !names.length;
  }

  function show(answer) {
    read = answer.words;
    problem.classList.add("note");
    problem.textContent = notes(answer);
    showOffers(answer.truth);
    showCards(answer);
    showSurprise(answer);
  }

  // How the text was read, if not as it was typed; and what is wrong with it, once.
  function notes({truth, models, words: said}) {
    const strange = said[truth?.impossible], unknown = new Set(models.flatMap(model => model.unknown));
    const told = said.join(" ") === words(field.value).join(" ") ? [] : [`Read as ${quoted(said.join(" "))}`];
    if (truth && truth.impossible !== null && said.length) {
      told.push(unknown.delete(strange)
        ? `${quoted(strange)} is not in the vocabulary: a model reads <unk>, and there is no truth after it`
        : `The village grammar cannot say ${quoted(strange ?? "the end")} here, so there is no truth after it`);
    }
    if (unknown.size) told.push(`Not in the vocabulary, read as <unk>: ${quoted([...unknown])}`);
    return told.map(sentence).join(" ");
  }

  function showOffers(truth) {
    const place = find(panel, ".offers");
    const possible = (truth?.continuations ?? []).filter(([word]) => word !== "</s>");
    place.replaceChildren();
    if (!possible.length) return;
    const button = ([word, prob]) => make("button", {type: "button", on: {click: () => append(word)}}, word,
      make("small", {text: percent(prob)}));
    place.append(make("small", {text: "What the grammar can say next:"}),
      make("div", {class: "buttons"}, ...possible.slice(0, OFFERED).map(button)));
    if (possible.length > OFFERED) {
      place.append(make("details", {}, make("summary", {text: `${possible.length - OFFERED} more`}),
        make("div", {class: "buttons"}, ...possible.slice(OFFERED).map(button))));
    }
  }

  function showCards({listed, models, truth}) {
    const known = truth && truth.continuations.length > 0;
    const most = Math.max(...models.flatMap(model => model.probs), ...(known ? truth.probs : []));
    const titles = models.map(model => chooser.title(chooser.run(model.run)));
    const bar = (word, prob, truly, title) => {
      const value = `P(${word}) = ${exact(prob)}` + (truly === null ? "" : `; in truth ${exact(truly)}`);
      return make("div", {class: "bar", role: "group", "aria-label": `${title}: ${value}`, "data-value": value},
        word.startsWith("<") ? make("span", {text: word})
          : make("button", {type: "button", text: word, title: `go on with ${word}`, on: {click: () => append(word)}}),
        make("div", {class: "track"}, make("div", {class: "fill", vars: {share: prob / most}}),
          truly === null ? null : make("div", {class: "mark", vars: {true: truly / most}})),
        make("span", {class: "prob", text: percent(prob)}));
    };
    const card = (title, score, probs, compared, kind) => make("article", {class: "card " + kind},
      make("h3", {text: title}), make("p", {class: "score", text: score}),
      ...listed.map((word, place) => bar(word, probs[place], compared ? truth.probs[place] : null, title)));
    const cards = models.map((model, place) => card(titles[place],
      model.divergence === null ? (known ? "infinitely far from the truth" : "")
        : `KL from the truth: ${nats(model.divergence, 3)} nats`, model.probs, known, ""));
    if (known) cards.unshift(card("The truth", "the grammar's own distribution", truth.probs, false, "truth"));
    const place = find(panel, ".cards");
    place.replaceChildren(...cards);
    readable(place);
    find(panel, ".save").replaceChildren(saving("next-words", () => [
      ["word", ...(known ? ["the truth"] : []), ...titles],
      ...listed.map((word, row) => [word, ...(known ? [truth.probs[row]] : []), ...models.map(model => model.probs[row])]),
    ], place));
    find(panel, ".reading").textContent = known
      ? "The thin green lines in a model's bars mark the true probability. "
        + "KL: how much more a word surprises the model than the truth, on average."
      : "The words that the models find most probable on average.";
  }

  function showSurprise({words: said, models, truth}) {
    const place = find(panel, ".surprise");
    place.hidden = !said.length;
    if (!said.length) return;
    const rows = models.map(model => [chooser.title(chooser.run(model.run)), model.surprisals]);
    if (truth) rows.unshift(["The truth", truth.surprisals]);
    const cells = costs => [...costs.map((cost, index) => make("td", {class: "shaded", text: nats(cost),
      "data-value": `${said[index]}: ${exact(cost)} nats, probability ${exact(cost === null ? 0 : Math.exp(-cost))}`,
      vars: {share: cost === null ? 1 : Math.min(cost / DARKEST, 1)}})), nats(total(costs))];
    const drawn = table(["", ...said, "sum"], rows.map(([title, costs]) => [title, cells(costs)]));
    find(place, ".wide").replaceChildren(drawn);
    readable(drawn);
    find(place, ".save").replaceChildren(saving("surprise", () => [["word", ...rows.map(([title]) => title)],
      ...said.map((word, row) => [word, ...rows.map(([, costs]) => costs[row] ?? "inf")])], drawn));
  }

  sampleForm.addEventListener("submit", event => {
    event.preventDefault();
    const {temperature, seed, number} = sampleForm.elements;
    sampling(() => ask("sample", {text: field.value, runs: [sampled.value], temperature: Number(temperature.value),
      seed: Number(seed.value), number: Number(number.value)}), showSamples);
  });

  function showSamples({samples, village, words: said}) {
    find(panel, ".samples").replaceChildren(...samples.map(one => make("li", {},
      make("span", {class: "given", text: said.map(word => word + " ").join("")}),
      ...one.words.map((word, place) => make("span", {class: village && place === one.impossible ? "wrong" : "",
        text: word + " "})),
      one.finished ? null : "…",
      make("small", {text: `${nats(one.log_prob)} nats` + (village ? " · " + verdict(one) : "")}))));
  }

  sampled.addEventListener("change", () => { sampler = sampled.value; });
  field.addEventListener("input", () => { read = null; });
  field.addEventListener("input", later(200, refresh));
  form.addEventListener("submit", event => { event.preventDefault(); refresh(); });
  find(panel, ".back").addEventListener("click", () => write(soFar().slice(0, -1).join(" ")));
  find(panel, ".clear").addEventListener("click", () => write(""));
  return {update: state => chooser.update(state), names: () => chooser.names(), state: () => []};
}

const total = costs => costs.some(cost => cost === null) ? null : costs.reduce((sum, cost) => sum + cost, 0);
const beginning = text => words(text).slice(0, 4).join(" ");
const verdict = one => one.impossible === null ? "the grammar can say it"
  : one.impossible < 0 ? "the grammar cannot say its beginning"
  : one.impossible < one.words.length ? `the grammar cannot say ${quoted(one.words[one.impossible])} there`
  : "the grammar would not end here";
