// The tab "Attention": what attentive language models attend to at each word, model beside model.

import {Chooser} from "./choose.js";
import {ask, exact, find, latest, make, nats, offerExamples, roving, words} from "./dom.js";
import {heatTable} from "./maps.js";
import {fileName, saving} from "./save.js";
import {readable} from "./values.js";

export function lookTab(panel, train, given) {
  const field = find(panel, "input[type=text]"), problem = find(panel, ".problem"), found = find(panel, ".found");
  const answering = latest(problem);
  const chooser = new Chooser(panel, "language", {fits: run => run.attends, first: singleAndCombined, changed: refresh, train, given});
  const numbers = name => given.has(name) ? given.get(name).split(",").map(Number) : [];
  let views = [], answer = null, place = 0, [wanted] = numbers("word"), heads = numbers("head");

  // Single beside combined, where both are there.
  function singleAndCombined(chapters, others) { return [...chapters, ...others].slice(0, 4); }

  function refresh() {
    if (!chooser.seen) return;  // the runs are still to come, and then this is asked again
    const names = chooser.names(), examples = chooser.run(names[0])?.examples ?? [];
    offerExamples(find(panel, ".examples"), examples.slice(1, 4), text => { field.value = text; refresh(); });
    found.hidden = true;
    if (!names.length) {
      answering.cancel();
      problem.classList.add("note");
      problem.textContent = chooser.all.length ? "Choose a model above."
        : "No language model with attention is trained yet: train chapter 6 or 11 above, in a minute or two.";
      return;
    }
    if (!field.value && examples.length) field.value = examples.find(text => repeated(words(text)) > 0) ?? examples.at(-1);
    answering(() => ask("look", {text: field.value, runs: names}), show);
  }

  function show(answered) {
    answer = answered;
    found.hidden = false;
    const line = find(panel, ".predicted");
    line.replaceChildren(...answer.predicted.map((text, place) => {
      const look = () => choose(place);
      return make("button", {type: "button", class: "word", text,
        on: {mouseenter: look, focus: look, click: look}});
    }));
    roving(line);
    views = answer.models.map((model, number) => view(model, model.heads[heads[number]] ? heads[number] : 0));
    find(panel, ".views").replaceChildren(...views.map(one => one.element));
    choose(answer.predicted[wanted] ? wanted : Math.max(repeated(answer.predicted), 0));
    wanted = undefined;  // the word in the address is that of its own sentence
    heads = [];
  }

  function view(model, first) {
    const cells = answer.read.map(text => ({word: make("span", {class: "word", text}), weight: make("small")}));
    const title = chooser.title(chooser.run(model.run)), whole = make("div"), element = make("article", {class: "view"});
    const line = make("div", {class: "line"}, ...cells.map(cell => make("span", {}, cell.word, cell.weight)));
    const select = make("select", {"aria-label": "head"}, ...model.heads.map(({name}) => make("option", {text: name})));
    const one = {model, title, cells, line, select, element};
    function turnTo(number) {
      select.selectedIndex = number;
      one.head = model.heads[number];
      whole.replaceChildren(heatTable(answer.read, answer.predicted, one.head.weights, "predicted word by word read"));
    }
    const numbers = () => [["predicted", "read", "step", "weight"], ...answer.predicted.flatMap((word, row) =>
      answer.read.slice(0, row + 1).map((text, step) => [word, text, step, one.head.weights[row][step]]))];
    select.addEventListener("change", () => { turnTo(select.selectedIndex); choose(place); });
    turnTo(first);
    element.append(make("div", {class: "head"}, make("h3", {text: title}), saving(`attention-${fileName(model.run)}`, numbers, element)));
    if (model.heads.length > 1) element.append(select);
    element.append(line, make("details", {}, make("summary", {text: "all predictions at once"}), whole));
    return one;
  }

  // Shade, for each model, the words that the prediction of a word attends to.
  function choose(selected) {
    place = selected;
    [...find(panel, ".predicted").children].forEach((word, other) => {
      word.classList.toggle("chosen", other === place);
      word.setAttribute("aria-pressed", other === place);
    });
    const told = [];
    for (const {model, title, cells, line, head} of views) {
      const weights = head.weights[place];
      const end = place + (weights[place] > 0);  // heads attend to the last word read, chapter 6 to those before it
      cells.forEach(({word, weight}, index) => {
        word.style.setProperty("--share", weights[index]);
        word.classList.toggle("later", index > place);
        if (index < end) word.dataset.value = `${answer.read[index]}: ${exact(weights[index])}`;
        else delete word.dataset.value;
        weight.textContent = index < end ? weights[index].toFixed(2) : index === place ? "last read" : "";
      });
      readable(line);
      const order = weights.map((_, index) => index).slice(0, end).sort((a, b) => weights[b] - weights[a]).slice(0, 3);
      told.push(`${title} predicts ${answer.predicted[place]} (${nats(model.surprisals[place])} nats)`
        + (end ? `, ${head.name} attending to `.replace("  ", " ") + order.map(index => `${answer.read[index]} ${weights[index].toFixed(2)}`).join(", ")
          : "; nothing was read before <s> to attend to"));
    }
    find(panel, ".told").textContent = told.join(". ") + ".";
  }

  find(panel, ".ask").addEventListener("submit", event => { event.preventDefault(); refresh(); });
  return {update: state => chooser.update(state), names: () => chooser.names(),
    state: () => answer ? [["word", place], ["head", views.map(({select}) => select.selectedIndex).join()]] : []};
}

// The place of the last long word that was said before: what attention is good for. -1 without one.
function repeated(said) {
  return said.findLastIndex((word, place) => word.length > 3 && said.indexOf(word) < place);
}
