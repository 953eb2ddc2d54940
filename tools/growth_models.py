"""How fast the attentive language model trains as its batch or its hidden layer grows: two curves of `tools.growth`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import numpy as np
from tqdm import tqdm

from common import runtime
from common.errors import UserError
from common.text.batching import Batch, make_batch
from tools.bench import attentive_lm as bench_lm
from tools.bench.rounds import PEAK_SIZE, Peak, Seconds, new_process, spread, timed
from tools.bench.sentences import find_sentences
from tools.bench.sides import Workload, even_places
from tools.growth_settings import Settings

LAYERS, HIDDEN_SIZE, BATCH_SIZE = 2, 256, 32
"""Of the model and its batches, but for what grows."""
FEWEST = 3
"""Batches in a round at least: one of short sentences, one of middling ones, one of long ones."""


def size_curve(settings: Settings, grows: str, numbers: Sequence[int]) -> dict:
    """The points of a curve in turn, all in one process. grows: "batch_size" or "hidden_size"."""
    fixed = {"layers": LAYERS, "hidden_size": HIDDEN_SIZE, "batch_size": BATCH_SIZE, "seed": settings.seed}
    models = [bench_lm.Settings(**{**fixed, grows: number}) for number in numbers]
    return in_new_process(settings.threads, measure_models, models, settings)


class Point:
    """A batch size and a hidden size: the model, the batches that a round trains on, how long the rounds took."""

    def __init__(self, model: bench_lm.Settings):
        self.settings, self.side = model, bench_lm.DyNetSide(bench_lm.make_model(model))
        self.times: list[Seconds] = []
        self.products: list[float] = []

    def choose_batches(self, sentences: Sequence[Sequence[int]], seconds: float) -> None:
        """As many batches as take so long. Trains on a few to know, and so asks for the memory."""
        clock, _ = train(self.side, self.batches_of(sentences, FEWEST))
        self.batches = self.batches_of(sentences, max(FEWEST, round(FEWEST * seconds / clock)))

    def batches_of(self, sentences: Sequence[Sequence[int]], number: int) -> list[Batch]:
        """So many batches, at even distances among the sentences, which are sorted by length."""
        size = self.settings.batch_size
        starts = [size * place for place in even_places(len(sentences) // size, number)]
        return [make_batch(sentences, range(start, start + size)) for start in starts]

    def measure(self, product: Peak) -> None:
        """A round, and what a large product in NumPy makes of the processor at this time, in GFLOP/s."""
        self.products.append(product.gflops())
        self.times.append(train(self.side, self.batches))

    def figures(self) -> dict:
        """What came of it."""
        work = Workload(self.batches, "")
        flops = bench_lm.flops_per_token(self.settings, work)
        per_processor_second = [work.predictions / processor for _, processor in self.times]
        gflops = [tokens * flops / 1e9 for tokens in per_processor_second]
        return {
            "batch_size": self.settings.batch_size,
            "hidden_size": self.settings.hidden_size,
            "batches": len(self.batches),
            "predictions": work.predictions,
            "padding": 1 - work.predictions / work.positions,
            "flops_per_token": flops,
            "seconds": spread([clock for clock, _ in self.times]),
            "tokens_per_second": spread([work.predictions / clock for clock, _ in self.times]),
            "tokens_per_processor_second": spread(per_processor_second),
            "gflops_per_thread": spread(gflops),
            "share_of_product": spread([one / product for one, product in zip(gflops, self.products, strict=True)]),
        }


def measure_models(models: Sequence[bench_lm.Settings], settings: Settings) -> dict:
    """All rounds of a curve; the figures of its points."""
    runtime.configure(threads=settings.threads)
    runtime.seed_dynet(settings.seed)
    sentences, source = sentences_by_length(models[-1])
    points, product = [Point(model) for model in models], Peak(PEAK_SIZE, settings.seed)
    product.gflops()  # not counted: memory is being asked for
    for point in tqdm(points, "choose batches", leave=False, disable=None):
        point.choose_batches(sentences, settings.seconds / settings.rounds)
    for number in range(1, settings.rounds + 1):
        for point in tqdm(points, f"round {number}", leave=False, disable=None):
            point.measure(product)
    return {
        "source": source,
        "model": f"attentive LM, score {models[0].score}, {LAYERS} layers, vocabulary {models[0].vocabulary:,}",
        "product_gflops_per_thread": spread([one for point in points for one in point.products]),
        "points": [point.figures() for point in points],
    }


def sentences_by_length(model: bench_lm.Settings) -> tuple[list[list[int]], str]:
    """PTB's training split where it is installed, otherwise invented sentences, and which of them.

    Raises `UserError` where they are too few for a batch.
    """
    sentences, source = find_sentences(model, np.random.default_rng(model.seed))
    if model.batch_size > len(sentences):
        raise UserError(f"--batch-sizes {model.batch_size}: there are only {len(sentences)} sentences; ask for less")
    return sorted(sentences, key=len), source


def in_new_process(threads: int, function: Callable, *arguments: Any) -> Any:
    """`function(*arguments)` in a process of its own. Raises `UserError` where the process dies of it."""
    with new_process(threads) as pool:
        try:
            return pool.submit(function, *arguments).result()
        except BrokenProcessPool:
            raise UserError("the process that measures died; is there too little memory? ask for less") from None


def train(side: bench_lm.DyNetSide, batches: Sequence[Batch]) -> Seconds:
    """One step of training a batch; how long they took. Raises `UserError` where a loss is not finite."""
    return timed(lambda: [side.train_batch(batch) for batch in batches])
