// Numbers of a model, and the few operations of linear algebra that its forward pass needs. Vectors are arrays;
// a matrix is { rows, columns, numbers }, its numbers row by row.
"use strict";

function bytesOf(base64) {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

function wholeNumbers(base64) {
  return new Uint16Array(bytesOf(base64).buffer);
}

// Half precision: a sign, five bits of exponent, ten of fraction; the smallest exponent has no hidden one before them.
const UNITS = Array.from({ length: 32 }, (_, exponent) => 2 ** (Math.max(exponent, 1) - 25));

function float16(bits) {
  const exponent = (bits >> 10) & 31, fraction = bits & 1023;
  const size = UNITS[exponent] * (exponent ? fraction + 1024 : fraction);
  return bits & 0x8000 ? -size : size;
}

// A parameter of an exported model: a matrix, or a vector where it has one dimension.
function parameter({ shape, numbers }) {
  const values = Float64Array.from(wholeNumbers(numbers), float16);
  return shape.length === 1 ? values : { rows: shape[0], columns: shape[1], numbers: values };
}

function row(matrix, index) {
  return matrix.numbers.subarray(index * matrix.columns, (index + 1) * matrix.columns);
}

function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

function times(matrix, vector) {
  return Float64Array.from({ length: matrix.rows }, (_, index) => dot(row(matrix, index), vector));
}

function add(a, b) {
  return a.map((value, index) => value + b[index]);
}

function affine(b, W, x) {
  return add(times(W, x), b);
}

function logistic(x) {
  return 1 / (1 + Math.exp(-x));
}

function logSumExp(scores) {
  const largest = scores.reduce((a, b) => Math.max(a, b), -Infinity);
  return largest + Math.log(scores.reduce((sum, score) => sum + Math.exp(score - largest), 0));
}

function logSoftmax(scores) {
  const total = logSumExp(scores);
  return scores.map((score) => score - total);
}

function softmax(scores) {
  return logSoftmax(scores).map(Math.exp);
}

// The mean of vectors with weights.
function weightedSum(weights, vectors) {
  const sum = new Float64Array(vectors[0].length);
  vectors.forEach((vector, place) => {
    for (let i = 0; i < sum.length; i++) sum[i] += weights[place] * vector[i];
  });
  return sum;
}

// KL(P || Q) = sum of P (log P - log Q) in nats; truth: probabilities, logProbs: log Q.
function divergence(truth, logProbs) {
  return truth.reduce((sum, prob, place) => sum + (prob > 0 ? prob * (Math.log(prob) - logProbs[place]) : 0), 0);
}

function float32(base64) {
  return new Float32Array(bytesOf(base64).buffer);
}
