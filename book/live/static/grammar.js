// The village grammar: P(next word | all words before it), by the forward algorithm of data/grammar.py. What is known
// of a prefix is a distribution over states: a stack of symbols still to be expanded, and the names in the registers.
"use strict";

const END = "</s>";

class Grammar {
  // See book/live/village.py for the data.
  constructor({ words, names, slots, probs, rules, start }) {
    Object.assign(this, { words, slots, probs, rules, start });
    this.firstRule = words.length + slots.length;
    this.numberOf = new Map(words.map((word, number) => [word, number]));
    this.names = new Map();
    for (const [kind, [list, weights]] of Object.entries(names)) {
      list.forEach((name, place) => this.names.set(name, { kind, prob: weights[place] }));
    }
    this.known = new Map();
  }

  initial() {
    return new Map([[String(this.start), { prob: 1, stack: [this.start], registers: {} }]]);
  }

  // All ways in which a symbol can begin: by terminal, with what is left to be expanded; and how probable it is empty.
  beginnings(symbol) {
    if (!this.known.has(symbol)) this.known.set(symbol, this.findBeginnings(symbol));
    return this.known.get(symbol);
  }

  findBeginnings(symbol) {
    if (symbol < this.firstRule) return { byTerminal: new Map([[symbol, [{ prob: 1, rest: [] }]]]), emptyProb: 0 };
    const ways = new Map();
    let emptyProb = 0;
    const [shared, ...rightSides] = this.rules[symbol - this.firstRule];
    rightSides.forEach((right, place) => {
      const prob = this.probs[shared][place];
      for (const way of this.ofStack(right)) {
        addTo(ways, `${way.terminal}:${way.rest}`, { ...way, prob: prob * way.prob });
      }
      emptyProb += prob * this.emptyProb(right);
    });
    const byTerminal = new Map();
    for (const { terminal, rest, prob } of ways.values()) {
      if (!byTerminal.has(terminal)) byTerminal.set(terminal, []);
      byTerminal.get(terminal).push({ prob, rest });
    }
    return { byTerminal, emptyProb };
  }

  // The symbols of a stack that may supply the next word: all before the first that is never empty.
  openings(stack) {
    const openings = [];
    let prob = 1;
    for (let depth = 0; depth < stack.length && prob > 0; depth++) {
      const { byTerminal, emptyProb } = this.beginnings(stack[depth]);
      openings.push({ prob, byTerminal, below: stack.slice(depth + 1) });
      prob *= emptyProb;
    }
    return openings;
  }

  // Every way in which a stack can begin.
  ofStack(stack) {
    return this.openings(stack).flatMap(({ prob, byTerminal, below }) =>
      [...byTerminal].flatMap(([terminal, ways]) =>
        ways.map((way) => ({ terminal, prob: prob * way.prob, rest: [...way.rest, ...below] }))));
  }

  emptyProb(stack) {
    return stack.reduce((prob, symbol) => prob * this.beginnings(symbol).emptyProb, 1);
  }

  endProb(states) {
    return sum([...states.values()].map(({ prob, stack }) => prob * this.emptyProb(stack)));
  }

  // Read a word: its probability given the prefix, and the states after it.
  advance(states, word) {
    const following = new Map();
    for (const { prob: stateProb, stack, registers } of states.values()) {
      const writers = this.writers(word, registers);
      for (const { prob, byTerminal, below } of this.openings(stack)) {
        for (const writer of writers) {
          for (const way of byTerminal.get(writer.terminal) ?? []) {
            const state = { stack: [...way.rest, ...below], registers: writer.registers };
            const name = `${state.stack}|${Object.entries(state.registers)}`;
            addTo(following, name, { ...state, prob: stateProb * prob * way.prob * writer.prob });
          }
        }
      }
    }
    const total = sum([...following.values()].map((state) => state.prob));
    for (const state of following.values()) state.prob /= total;
    return { prob: total, states: following };
  }

  // The terminals that can write a word, the probability of it there, and the registers afterwards.
  writers(word, registers) {
    const writers = this.numberOf.has(word) ? [{ terminal: this.numberOf.get(word), prob: 1, registers }] : [];
    this.slots.forEach(([type, register, kind], place) => {
      const terminal = this.words.length + place;
      if (type === "Recall" && registers[register] === word) writers.push({ terminal, prob: 1, registers });
      if (type === "New" && this.names.get(word)?.kind === kind) {
        const prob = this.nameProb(word, registers);
        if (prob > 0) writers.push({ terminal, prob, registers: { ...registers, [register]: word } });
      }
    });
    return writers;
  }

  // Of a name that no register holds yet, among the names of its kind.
  nameProb(name, registers) {
    const { kind, prob } = this.names.get(name), used = Object.values(registers);
    if (used.includes(name)) return 0;
    return prob / (1 - sum(used.map((other) => this.names.get(other)).filter((other) => other.kind === kind)
      .map((other) => other.prob)));
  }

  // P(next word | prefix) for each possible word and </s>.
  nextWords(states) {
    const probs = new Map(), give = (word, prob) => probs.set(word, (probs.get(word) ?? 0) + prob);
    const newNames = new Map();
    for (const { prob: stateProb, stack, registers } of states.values()) {
      for (const { terminal, prob } of this.ofStack(stack)) {
        const [type, register, kind] = this.slots[terminal - this.words.length] ?? ["Word"];
        if (type === "Word") give(this.words[terminal], stateProb * prob);
        else if (type === "Recall") give(registers[register], stateProb * prob);
        else addTo(newNames, `${kind}|${Object.values(registers)}`, { kind, registers, prob: stateProb * prob });
      }
    }
    for (const { kind, registers, prob } of newNames.values()) {
      for (const [name, facts] of this.names) {
        if (facts.kind === kind) give(name, prob * this.nameProb(name, registers));
      }
    }
    give(END, this.endProb(states));
    return new Map([...probs].filter(([, prob]) => prob > 0));
  }

  // P(next word | prefix), and the first word that the grammar cannot say (null where there is none).
  after(prefix) {
    let states = this.initial();
    for (const [place, word] of prefix.entries()) {
      states = this.advance(states, word).states;
      if (!states.size) return { probs: new Map(), impossible: place };
    }
    return { probs: this.nextWords(states), impossible: null };
  }
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

// Add the probability of a way or a state to that of the same one in a map.
function addTo(map, name, value) {
  const same = map.get(name);
  if (same) same.prob += value.prob;
  else map.set(name, value);
}
