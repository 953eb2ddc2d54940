// Chapter 1: count n-grams of all orders (counts.py), smooth them by Kneser and Ney (smoothing.py), and give the next
// word's distribution (model.py). An n-gram is the pair (number of its context, word); the pair is one number, its key.
"use strict";

const NOWHERE = -1;

// text: word ids, with 0 before, between and after sentences. A level an order.
function countNgrams(text, order, size) {
  const inputs = text.subarray(0, -1), targets = text.subarray(1);
  const levels = [countWords(targets, size)];
  let numbers = targets, contexts = inputs;
  for (let n = 2; n <= order; n++) {
    const below = levels.at(-1), opens = n === 2 ? (word) => word === BOUNDARY : (context) => below.opens[context];
    const counted = countLevel(contexts, numbers, targets, opens, size);
    levels.push(counted.level);
    numbers = counted.numbers;
    contexts = numbers.map((_, place) => (inputs[place] === BOUNDARY ? NOWHERE : counted.numbers[place - 1]));
  }
  return levels;
}

function newLevel() {
  return { keys: new Map(), counts: [], contexts: [], suffixes: [], opens: [] };
}

function countWords(targets, size) {
  const level = newLevel();
  for (let word = 0; word < size; word++) addNgram(level, word, 0, word, false);
  for (const word of targets) level.counts[word]++;
  return level;
}

function addNgram(level, key, context, suffix, opens) {
  level.keys.set(key, level.counts.length);
  level.counts.push(0);
  level.contexts.push(context);
  level.suffixes.push(suffix);
  level.opens.push(opens);
}

// contexts, shorter, targets: for each prediction its context, the n-gram one shorter that ends there, and its word.
// opens: whether a context begins with <s>. With the level come the numbers of each prediction's n-gram.
function countLevel(contexts, shorter, targets, opens, size) {
  const level = newLevel(), numbers = new Int32Array(targets.length).fill(NOWHERE);
  for (let place = 0; place < targets.length; place++) {
    const context = contexts[place];
    if (context === NOWHERE) continue;
    const key = context * size + targets[place];
    if (!level.keys.has(key)) addNgram(level, key, context, shorter[place], opens(context));
    numbers[place] = level.keys.get(key);
    level.counts[numbers[place]]++;
  }
  return { level, numbers };
}

// Kneser and Ney: below the highest order, how many different words came before an n-gram.
function continuationCounts(levels) {
  return levels.map((level, place) => {
    if (place === levels.length - 1) return level;
    const before = new Array(level.counts.length).fill(0);
    for (const suffix of levels[place + 1].suffixes) before[suffix]++;
    return { ...level, counts: level.counts.map((count, number) => (level.opens[number] ? count : before[number])) };
  });
}

// Y = n_1 / (n_1 + 2 n_2), from how many n-grams were seen once and twice.
function estimateDiscount(counts) {
  const once = counts.filter((count) => count === 1).length, twice = counts.filter((count) => count === 2).length;
  const share = once / (once + 2 * twice);
  return share > 0 && share < 1 ? share : 0.5;
}

// The own part of each n-gram, and the back-off mass of each context, under absolute discounting.
function absolute(level, contexts) {
  const discount = estimateDiscount(level.counts);
  const seen = new Float64Array(contexts), subtracted = new Float64Array(contexts);
  level.counts.forEach((count, number) => {
    seen[level.contexts[number]] += count;
    subtracted[level.contexts[number]] += count > 0 ? discount : 0;
  });
  return {
    own: level.counts.map((count, number) => Math.max(count - discount, 0) / seen[level.contexts[number]]),
    mass: subtracted.map((held, context) => (seen[context] > 0 ? held / seen[context] : 1)),
  };
}

// P(w | h) = own(h w) + mass(h) P(w | h without its first word), order by order from the shortest up.
function interpolate(levels, orderZero) {
  const probs = [], factors = [];
  let lower = orderZero, contexts = 1;
  for (const level of levels) {
    const { own, mass } = absolute(level, contexts), shorter = lower;
    lower = own.map((share, number) => share + mass[level.contexts[number]] * shorter[level.suffixes[number]]);
    probs.push(lower);
    factors.push(mass);
    contexts = level.counts.length;
  }
  return { probs, factors: factors.slice(1) };
}

class NgramLM {
  constructor({ words, order, spellsUnknown, text }) {
    this.vocab = new Vocabulary(words);
    this.order = order;
    const levels = continuationCounts(countNgrams(wholeNumbers(text), order, words.length));
    const orderZero = words.map((_, word) => (spellsUnknown ? Number(word === UNKNOWN) : 1 / words.length));
    this.keys = levels.map((level) => level.keys);
    Object.assign(this, interpolate(levels, orderZero));
  }

  find(order, context, word) {
    return this.keys[order - 1].get(context * this.vocab.words.length + word) ?? NOWHERE;
  }

  start() {
    return new Array(Math.max(this.order - 1, 1)).fill(NOWHERE);
  }

  // Read one word: the numbers of the last word, of the last two words as a bigram, ..., and log P(next word).
  advance(state, word) {
    const contexts = [word];
    for (let n = 2; n < this.order; n++) {
      contexts.push(state[n - 2] === NOWHERE ? NOWHERE : this.find(n, state[n - 2], word));
    }
    return { state: contexts, logProbs: this.vocab.words.map((_, next) => Math.log(this.prob(contexts, next))) };
  }

  // P(word | context): the longest n-gram seen, and the factors of the contexts in which it was not.
  prob(contexts, word) {
    let prob = this.probs[0][word];
    for (let n = 2; n <= this.order; n++) {
      const context = contexts[n - 2];
      if (context === NOWHERE) break;
      const ngram = this.find(n, context, word);
      prob = ngram === NOWHERE ? this.factors[n - 2][context] * prob : this.probs[n - 1][ngram];
    }
    return prob;
  }
}
