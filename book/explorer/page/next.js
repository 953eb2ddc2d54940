// The tab "Next word": distributions side by side, the truth, surprisal of each word, samples.

import {Chooser} from "./choose.js";
import {ask, find, later, latest, make, nats, offerExamples, percent, table, words} from "./dom.js";

const OFFERED = 24;
const DARKEST = 8;  // nats

export function nextTab(panel, train) {
  const field = find(panel, "input[type=text]"), form = find(panel, ".ask");
  const [problem, problemOfSamples] = panel.querySelectorAll(".problem");
  const answering = latest(problem), sampling = latest(problemOfSamples);
  const sampleForm = find(panel, ".sampling");
  const chooser = new Chooser(panel, "language", {first: (chapters, others) => [...chapters, ...others].slice(0, 6), changed: refresh, train});

  function refresh() {
    const names = chooser.names();
    const runs = names.map(name => chooser.run(name));
    offerModels(names);
    offerExamples(find(panel, ".examples"), (runs[0]?.examples ?? []).slice(1, 4).map(beginning), write);
    if (!names.length) {
      problem.classList.add("note");
      problem.textContent = chooser.all.length ? "choose a model above" : "no language model is trained yet: choose one above, and train it in a minute or two";
      answering.cancel();
      empty();
      return;
    }
    answering(() => ask("next", {text: field.value, runs: names}), show, empty);
  }

  // Nothing is shown that belongs to another text or to no model.
  function empty() {
    for (const part of [".cards", ".offers", ".samples"]) find(panel, part).replaceChildren();
    find(panel, ".reading").textContent = "";
    find(panel, ".surprise").hidden = true;
  }

  function write(text) {
    field.value = text;
    refresh();
  }

  // The field has the focus then, for the button that was pressed is gone with what it offered.
  function append(word) {
    write(words(field.value).concat(word).join(" "));
    field.focus();
  }

  function offerModels(names) {
    const select = sampleForm.elements.run, before = select.value;
    select.replaceChildren(...names.map(name => make("option", {value: name, text: chooser.title(chooser.run(name))})));
    select.value = names.includes(before) ? before : names.at(-1) ?? "";
    find(sampleForm, "button").disabled = !names.length;
  }

  function show(answer) {
    problem.classList.add("note");
    problem.textContent = notes(answer);
    showOffers(answer.truth);
    showCards(answer);
    showSurprise(answer);
  }

  function notes({truth, models, words: said}) {
    const told = [];
    if (truth && truth.impossible !== null && said.length) {
      told.push(`The village grammar cannot say ${quoted(said[truth.impossible])} here, so nothing is true after it.`);
    }
    const unknown = [...new Set(models.flatMap(model => model.unknown))];
    if (unknown.length) told.push(`Unknown to a model, which reads <unk>: ${unknown.join(", ")}.`);
    return told.join(" ");
  }

  function showOffers(truth) {
    const place = find(panel, ".offers");
    const possible = (truth?.continuations ?? []).filter(([word]) => word !== "</s>");
    place.replaceChildren();
    if (!possible.length) return;
    const button = ([word, prob]) => make("button", {type: "button", on: {click: () => append(word)}}, word,
      make("small", {text: percent(prob)}));
    place.append(make("small", {text: "what the grammar can say next:"}),
      make("div", {class: "buttons"}, ...possible.slice(0, OFFERED).map(button)));
    if (possible.length > OFFERED) {
      place.append(make("details", {}, make("summary", {text: `${possible.length - OFFERED} more`}),
        make("div", {class: "buttons"}, ...possible.slice(OFFERED).map(button))));
    }
  }

  function showCards({listed, models, truth}) {
    const known = truth && truth.continuations.length > 0;
    const most = Math.max(...models.flatMap(model => model.probs), ...(known ? truth.probs : []));
    const card = (title, score, probs, kind) => make("article", {class: "card " + kind},
      make("h3", {text: title}), make("p", {class: "score", text: score}),
      ...listed.map((word, place) => make("div", {class: "bar"},
        word.startsWith("<") ? make("span", {text: word})
          : make("button", {type: "button", text: word, title: `go on with ${word}`, on: {click: () => append(word)}}),
        make("div", {class: "track"}, make("div", {class: "fill", vars: {share: probs[place] / most}}),
          known && kind !== "truth" ? make("div", {class: "mark", vars: {true: truth.probs[place] / most}}) : null),
        make("span", {class: "prob", text: percent(probs[place])}))));
    const cards = models.map(model => card(chooser.title(chooser.run(model.run)),
      model.divergence === null ? (known ? "infinitely far from the truth" : "")
        : `KL from the truth: ${nats(model.divergence, 3)} nats`, model.probs, ""));
    if (known) cards.unshift(card("the truth", "the grammar's own distribution", truth.probs, "truth"));
    find(panel, ".cards").replaceChildren(...cards);
    find(panel, ".reading").textContent = known
      ? "The thin green lines in a model's bars mark the true probability. KL: what it costs on average to believe the model."
      : "The words that the models find most probable on average.";
  }

  function showSurprise({words: said, models, truth}) {
    const place = find(panel, ".surprise");
    place.hidden = !said.length;
    if (!said.length) return;
    const cells = costs => [...costs, total(costs)].map((cost, index) => make("td", {
      class: index < costs.length ? "shaded" : "", text: nats(cost),
      vars: {share: cost === null ? 1 : Math.min(cost / DARKEST, 1)}}));
    const rows = models.map(model => [chooser.title(chooser.run(model.run)), cells(model.surprisals)]);
    if (truth) rows.unshift(["the truth", cells(truth.surprisals)]);
    find(place, ".wide").replaceChildren(table(["", ...said, "sum"], rows));
  }

  sampleForm.addEventListener("submit", event => {
    event.preventDefault();
    const {run, temperature, seed, number} = sampleForm.elements, text = field.value;
    sampling(() => ask("sample", {text, runs: [run.value], temperature: Number(temperature.value),
      seed: Number(seed.value), number: Number(number.value)}), found => showSamples(found, text));
  });

  function showSamples({samples, village}, text) {
    find(panel, ".samples").replaceChildren(...samples.map(one => make("li", {},
      make("span", {class: "given", text: text ? text.trim() + " " : ""}),
      ...one.words.map((word, place) => make("span", {class: village && place === one.impossible ? "wrong" : "",
        text: word + " "})),
      one.finished ? null : "…",
      make("small", {text: `${nats(one.log_prob)} nats` + (village ? " · " + verdict(one) : "")}))));
  }

  field.addEventListener("input", later(200, refresh));
  form.addEventListener("submit", event => { event.preventDefault(); refresh(); });
  find(panel, ".back").addEventListener("click", () => write(words(field.value).slice(0, -1).join(" ")));
  find(panel, ".clear").addEventListener("click", () => write(""));
  return chooser;
}

const quoted = word => word === undefined ? "the end" : `“${word}”`;
const total = costs => costs.some(cost => cost === null) ? null : costs.reduce((sum, cost) => sum + cost, 0);
const beginning = text => words(text).slice(0, 4).join(" ");
const verdict = one => one.impossible === null ? "the grammar can say it"
  : one.impossible < 0 ? "the grammar cannot say its beginning"
  : one.impossible < one.words.length ? `the grammar cannot say ${quoted(one.words[one.impossible])} there`
  : "the grammar would not end here";
