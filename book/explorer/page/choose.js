// Which models a tab shows: a corpus, and a chip for each of its runs. Chapters without a run can be trained here.

import {find, make, whenShown} from "./dom.js";

const CHIPS = 6;

export class Chooser {
  // kind: of the models. fits: which runs are offered at all. changed: called with the chosen names.
  // first: what is chosen to begin with, of what `usual` gives, where `given`, the state in the address, names no run.
  // alone: a model that is new is chosen in place of others.
  constructor(panel, kind, {fits = () => true, first, changed, train, given, alone = false}) {
    Object.assign(this, {panel, place: find(panel, ".chooser"), kind, fits, first, train, alone, corpus: null,
      chosen: new Set(given.getAll("run"))});
    this.changed = whenShown(panel, changed);
  }

  // Take the runs that are there now. What was chosen stays chosen; what was trained meanwhile is chosen, too.
  update({runs, chapters}) {
    this.all = runs.filter(run => run.kind === this.kind && run.trained && this.fits(run));
    this.chapters = chapters;
    const corpora = [...new Set(this.all.map(run => run.corpus))];
    if (!corpora.includes(this.corpus)) this.corpus = this.all.find(run => this.chosen.has(run.name))?.corpus ?? corpora[0] ?? null;
    const before = [...this.chosen].join();
    const isNew = name => this.seen && !this.seen.has(name);
    const names = this.offered().map(run => run.name), fresh = names.filter(isNew);
    this.chosen = new Set(this.alone && fresh.length ? fresh.slice(-1)
      : names.filter(name => this.chosen.has(name) || isNew(name)));
    const first = !this.seen;
    this.seen = new Set(this.all.map(run => run.name));
    this.panel.classList.toggle("empty", !this.all.length);
    if (!this.chosen.size) this.choose();
    this.draw(corpora);
    if (first || before !== [...this.chosen].join()) this.changed();
  }

  offered() { return this.all.filter(run => run.corpus === this.corpus); }

  names() { return this.offered().map(run => run.name).filter(name => this.chosen.has(name)); }

  run(name) { return this.all.find(run => run.name === name); }

  choose() { this.chosen = new Set(this.first(...usual(this.offered()))); }

  draw(corpora) {
    const offered = this.offered();
    const front = offered.filter(run => this.chosen.has(run.name));
    const rest = offered.filter(run => !this.chosen.has(run.name));
    const shown = [...front, ...rest].slice(0, Math.max(CHIPS, front.length));
    const more = offered.filter(run => !shown.includes(run));
    const parts = [];
    if (corpora.length > 1) parts.push(this.corpusChoice(corpora));
    parts.push(make("div", {class: "chips", role: "group", "aria-label": "Models"},
      ...offered.filter(run => shown.includes(run)).map(run => this.chip(run)), ...this.missing()));
    if (more.length) parts.push(make("details", {}, make("summary", {text: `${more.length} more runs`}),
      make("div", {class: "chips"}, ...more.map(run => this.chip(run)))));
    this.place.replaceChildren(...parts);
  }

  corpusChoice(corpora) {
    const select = make("select", {on: {change: () => {
      this.corpus = select.value;
      this.choose();
      this.draw(corpora);
      find(this.place, "select").focus();
      this.changed();
    }}}, ...corpora.map(name => make("option", {value: name, text: name, selected: name === this.corpus})));
    return make("label", {}, "corpus ", select);
  }

  chip(run) {
    const box = make("input", {type: "checkbox", value: run.name, on: {change: () => {
      if (box.checked) this.chosen.add(run.name); else this.chosen.delete(run.name);
      this.changed();
    }}});
    box.checked = this.chosen.has(run.name);
    return make("label", {title: run.name}, box, this.title(run));
  }

  title(run) { return title(run, this.offered()); }

  missing() {
    return this.chapters.filter(chapter => chapter.kind === this.kind && !this.all.some(run => run.chapter === chapter.name))
      .filter(chapter => this.fits({chapter: chapter.name, attends: chapter.attends}))
      .map(chapter => make("button", {type: "button", text: `train ${chapter.label}`, on: {click: event => {
        const button = event.target;
        button.disabled = true;
        this.train(chapter.name).then(begun => { button.disabled = begun; });
      }}, title: "the chapter's quick preset: a minute or two on this machine"}));
  }
}

// The chapter's name, with the folder's where several of the runs have it.
export function title(run, runs) {
  const twins = runs.filter(other => other.label === run.label).length > 1;
  return run.label + (twins ? ` · ${shortName(run)}` : "");
}

// The names of the first run of each chapter, its most usual one; and of the first run of each other label.
export function usual(runs) {
  const first = name => [...new Map([...runs].reverse().map(run => [run[name], run.name])).values()].reverse();
  const ofChapters = first("chapter");
  return [ofChapters, first("label").filter(name => !ofChapters.includes(name))];
}

// The last part of a run's name, without what its label and its corpus say.
function shortName({name, chapter, corpus}) {
  const last = name.split("/").pop();
  const short = last.replace(chapter, "").replace(corpus, "").replace(/^[-_.]+|[-_.]+$/g, "") || last;
  return short.length > 26 ? "…" + short.slice(-25) : short;
}
