// Chapter 11: the Transformer, a word at a time, with the cache; names as in block.py and model.py.
"use strict";

// Mean 0 and variance 1.
function layerNorm(x) {
  const mean = x.reduce((sum, value) => sum + value, 0) / x.length, centred = x.map((value) => value - mean);
  const deviation = Math.sqrt(dot(centred, centred) / x.length + 1e-5);
  return centred.map((value) => value / deviation);
}

// Number i of the sinusoidal position: the sine of the angle of its pair where i is even, the cosine where it is odd.
function wave(position, i, size) {
  const angle = position / 10000 ** (2 * Math.floor(i / 2) / size);
  return i % 2 ? Math.cos(angle) : Math.sin(angle);
}

class TransformerBlock {
  constructor(parameters, name, heads) {
    this.heads = heads;
    for (const matrix of ["W_q", "W_k", "W_v", "W_o"]) this[matrix] = parameter(parameters[`${name}.attention.${matrix}`]);
    for (const part of ["W_1", "b_1", "W_2", "b_2"]) this[part] = parameter(parameters[`${name}.${part}`]);
  }

  // x + W_o [softmax(K q / sqrt(D)) V of each head], then x + FFN(x), each of a normalised copy. keys, values: of the
  // words before. What comes back is x, the keys and values with those of this word, and the weights of each head.
  read(x, { keys, values }) {
    const normed = layerNorm(x), query = times(this.W_q, normed);
    const past = { keys: [...keys, times(this.W_k, normed)], values: [...values, times(this.W_v, normed)] };
    const D = query.length / this.heads, weights = [], contexts = [];
    for (let head = 0; head < this.heads; head++) {
      const part = (vector) => vector.subarray(head * D, (head + 1) * D), asked = part(query);
      weights.push(softmax(past.keys.map((key) => dot(part(key), asked) / Math.sqrt(D))));
      contexts.push(...weightedSum(weights.at(-1), past.values.map(part)));
    }
    const attended = add(x, times(this.W_o, contexts));
    const inner = affine(this.b_1, this.W_1, layerNorm(attended)).map((value) => Math.max(0, value));
    return { x: add(attended, affine(this.b_2, this.W_2, inner)), past, weights };
  }
}

class TransformerLM {
  constructor({ words, layers, heads, parameters }) {
    this.vocab = new Vocabulary(words);
    this.embedding = parameter(parameters.embedding); // the matrix of the softmax, too
    this.blocks = Array.from({ length: layers }, (_, place) => new TransformerBlock(parameters, `blocks.${place}`, heads));
    this.b = parameter(parameters.b);
  }

  // The cache: keys and values of the words read, for each block.
  start() {
    return this.blocks.map(() => ({ keys: [], values: [] }));
  }

  advance(state, word) {
    const embedded = row(this.embedding, word), H = embedded.length, position = state[0].keys.length;
    let x = embedded.map((value, i) => value * Math.sqrt(H) + wave(position, i, H));
    const after = [], heads = {};
    this.blocks.forEach((block, place) => {
      const step = block.read(x, state[place]);
      x = step.x;
      after.push(step.past);
      step.weights.forEach((weights, head) => { heads[`block ${place + 1}, head ${head + 1}`] = weights; });
    });
    return { state: after, logProbs: logSoftmax(affine(this.b, this.embedding, layerNorm(x))), heads };
  }
}
