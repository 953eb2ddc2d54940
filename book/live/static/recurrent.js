// Chapters 5 and 6: the LSTM language model, and the one that attends to its past states; names as in model.py.
"use strict";

// The parameters of the layers below a name: prefix.0.W_x, prefix.0.W_h, prefix.0.b, prefix.1.W_x, ...
function lstmLayers(parameters, prefix, number) {
  return Array.from({ length: number }, (_, layer) =>
    Object.fromEntries(["W_x", "W_h", "b"].map((name) => [name, parameter(parameters[`${prefix}.${layer}.${name}`])])));
}

// One step of an LSTM with a forget gate; the four blocks are input, forget and output gate and update.
function lstmStep({ W_x, W_h, b }, x, state) {
  const H = W_h.columns;
  const z = state ? add(affine(b, W_x, x), times(W_h, state.hidden)) : affine(b, W_x, x);
  const cell = new Float64Array(H), hidden = new Float64Array(H);
  for (let i = 0; i < H; i++) {
    const input = logistic(z[i]), forget = logistic(z[H + i]), output = logistic(z[2 * H + i]);
    cell[i] = input * Math.tanh(z[3 * H + i]) + (state ? forget * state.cell[i] : 0);
    hidden[i] = output * Math.tanh(cell[i]);
  }
  return { hidden, cell };
}

// One step of layers one above the other: what the top one shows, and each one's state.
function stepThrough(layers, x, states) {
  const after = [];
  layers.forEach((layer, place) => {
    after.push(lstmStep(layer, x, states[place]));
    x = after.at(-1).hidden;
  });
  return { hidden: x, states: after };
}

class RecurrentLM {
  constructor({ words, layers, parameters }) {
    this.vocab = new Vocabulary(words);
    this.W_hs = parameter(parameters.W_hs); // the embedding, too
    this.layers = lstmLayers(parameters, "stack.layers", layers);
    this.b_s = parameter(parameters.b_s);
  }

  start() {
    return this.layers.map(() => null);
  }

  // p_t = softmax(W_hs h_t + b_s)
  advance(state, word) {
    const { hidden, states } = stepThrough(this.layers, row(this.W_hs, word), state);
    return { state: states, logProbs: logSoftmax(affine(this.b_s, this.W_hs, hidden)) };
  }
}

class AttentiveLM {
  constructor({ words, layers, parameters }) {
    this.vocab = new Vocabulary(words);
    this.embedding = parameter(parameters.embedding);
    this.layers = lstmLayers(parameters, "layers", layers);
    this.v_s = row(parameter(parameters.v_s), 0);
    this.W_s = parameter(parameters.W_s);
    this.W_q = parameters.W_q ? parameter(parameters.W_q) : null;
    this.W_c = parameter(parameters.W_c);
    this.b_c = parameter(parameters.b_c);
    this.b = parameter(parameters.b);
  }

  start() {
    return { layers: this.layers.map(() => null), memory: [] };
  }

  // h' = tanh(W_c [h; c] + b_c), and p = softmax(M h' + b). The memory contains h_1 ... h_{t-1} when step t attends.
  advance(state, word) {
    const { hidden, states } = stepThrough(this.layers, row(this.embedding, word), state.layers);
    const weights = softmax(this.scores(state.memory, hidden));
    const context = state.memory.length ? weightedSum(weights, state.memory) : new Float64Array(hidden.length);
    const merged = affine(this.b_c, this.W_c, Float64Array.of(...hidden, ...context)).map(Math.tanh);
    const logProbs = logSoftmax(affine(this.b, this.embedding, merged));
    return { state: { layers: states, memory: [...state.memory, hidden] }, logProbs, weights };
  }

  // v_s . tanh(W_s h_i + W_q h_t) of every state in memory; without W_q where the score is "single".
  scores(memory, query) {
    const projected = this.W_q ? times(this.W_q, query) : new Float64Array(query.length);
    return memory.map((past) => dot(this.v_s, add(times(this.W_s, past), projected).map(Math.tanh)));
  }
}
