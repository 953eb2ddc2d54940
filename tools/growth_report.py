"""How the cost of training grows, as tables and as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib import pyplot as plt
from matplotlib.ticker import LogLocator, NullFormatter

from common.plots.plotting import save_figure

STAGES = ("read", "count", "encode", "bias", "batches")
"""What comes before the first batch, in order: reading the file, counting the vocabulary, turning words into numbers,
the log frequencies that the output bias starts from, making the batches of an epoch."""

SIZES = {"batch": ("batch_size", "sentences in a batch"), "hidden": ("hidden_size", "hidden units")}
"""The curves of a model's speed: what grows in each, and what it is called."""

SPEEDS = f"{'tokens/s':>10}{'min':>8}{'max':>8}{'a CPU second':>14}"
"""The heads of the columns that tell how many tokens are trained on in a second, by the clock and of processor time."""


def show(result: dict) -> str:
    """The figures of all curves as tables."""
    settings, versions = result["settings"], result["versions"]
    lines = [
        f"{settings['rounds']} rounds, threads {settings['threads']}, seed {settings['seed']}; "
        + "; ".join(f"{name} {version}" for name, version in versions.items()),
        "Figures are medians; tokens are real predictions, padding left out.",
    ]
    for name, curve in result["curves"].items():
        lines += ["", *(show_corpus(curve) if name == "corpus" else show_sizes(name, curve))]
    return "\n".join(lines)


def show_corpus(curve: dict) -> list[str]:
    """A row a size of the corpus: seconds of each stage, then the speed of training, then memory."""
    points = curve["points"]
    stages = "".join(f"{stage:>8}" for stage in (*STAGES, "in all"))
    lines = [
        f"The corpus grows: {curve['title']}",
        f"Seconds of each step before the first batch; then the speed of {curve['batches']} batches of all lengths.",
        f"{'sentences':>10}{'tokens':>11}{'words':>7}{stages}{SPEEDS}",
    ]
    for point in points:
        seconds = "".join(f"{point['seconds'][stage]['median']:8.3f}" for stage in (*STAGES, "before"))
        lines.append(
            f"{point['sentences']:10,}{point['predictions']:11,}{point['vocabulary']:7,}{seconds}{speeds(point)}"
        )
    if has_memory(points):
        lines[2] += f"{'peak MB':>9}"
        lines[3:] = [
            f"{line}{point['peak_megabytes']['median']:9,.0f}" for line, point in zip(lines[3:], points, strict=True)
        ]
    return lines


def show_sizes(name: str, curve: dict) -> list[str]:
    """A row a batch size or hidden size: the speed of training, and what it is of a large product."""
    key, grows = SIZES[name]
    first = curve["points"][0]
    fixed = f"hidden size {first['hidden_size']}" if name == "batch" else f"batches of {first['batch_size']}"
    lines = [
        f"{grows.capitalize()} grow: {curve['model']}, {fixed}; {curve['source']}",
        f"A large product in NumPy: {curve['product_gflops_per_thread']['median']:.1f} GFLOP/s a thread.",
        f"{grows:>20}{SPEEDS}{'MFLOP/token':>13}{'GFLOP/s':>9}{'of the product':>16}{'min':>6}{'max':>6}",
    ]
    for point in curve["points"]:
        share = "".join(
            f"{point['share_of_product'][kind]:{width}.0%}" for kind, width in (("median", 16), ("min", 6), ("max", 6))
        )
        lines.append(
            f"{point[key]:20,}{speeds(point)}"
            f"{point['flops_per_token'] / 1e6:13.1f}{point['gflops_per_thread']['median']:9.1f}{share}"
        )
    return lines


def speeds(point: Mapping) -> str:
    """The cells under SPEEDS."""
    by_clock, by_processor = point["tokens_per_second"], point["tokens_per_processor_second"]
    return f"{by_clock['median']:10,.0f}{by_clock['min']:8,.0f}{by_clock['max']:8,.0f}{by_processor['median']:14,.0f}"


def has_memory(points: Sequence[dict]) -> bool:
    """Whether the system told of the peak memory: all do but Windows."""
    return all(point["peak_megabytes"] for point in points)


def draw(result: dict, path: str | Path) -> None:
    """One panel a curve, both axes logarithmic."""
    curves = result["curves"]
    figure, panels = plt.subplots(1, len(curves), figsize=(5 * len(curves), 4.2), squeeze=False)
    for axes, (name, curve) in zip(panels[0], curves.items(), strict=True):
        if name == "corpus":
            draw_corpus(axes, curve)
        else:
            draw_sizes(axes, curve, *SIZES[name])
        axes.grid(alpha=0.3)
    figure.tight_layout(w_pad=3)
    save_figure(figure, path)


def draw_corpus(axes: plt.Axes, curve: dict) -> None:
    """Seconds before the first batch, and of the same number of batches; below each size, the peak memory."""
    points = curve["points"]
    numbers = [point["sentences"] for point in points]
    line(axes, numbers, [point["seconds"]["before"] for point in points], label="before the first batch")
    line(
        axes,
        numbers,
        [point["seconds"]["training"] for point in points],
        label=f"training on {curve['batches']} batches",
    )
    labels, below = [f"{number:,}" for number in numbers], ""
    if has_memory(points):
        peaks = [point["peak_megabytes"]["median"] / 1000 for point in points]
        labels, below = [f"{label}\n{peak:.1f} GB" for label, peak in zip(labels, peaks, strict=True)], ", peak memory"
    logarithmic(axes, numbers, labels)
    axes.set(xlabel=f"sentences in the corpus{below}", ylabel="seconds")
    axes.legend(fontsize="small", frameon=False)
    axes.set_title("A larger corpus", fontsize=10)


def draw_sizes(axes: plt.Axes, curve: dict, key: str, grows: str) -> None:
    """Tokens a second; beside each point, the share of a large product, where the line leaves room for it."""
    points = curve["points"]
    numbers = [point[key] for point in points]
    found = [point["tokens_per_second"]["median"] for point in points]
    line(axes, numbers, [point["tokens_per_second"] for point in points])
    offset = (5, -11) if found[0] < found[-1] else (5, 5)
    for number, tokens, point in zip(numbers, found, points, strict=True):
        share = f"{point['share_of_product']['median']:.0%}"
        axes.annotate(share, (number, tokens), offset, textcoords="offset points", fontsize="small")
    axes.margins(x=0.12, y=0.12)
    logarithmic(axes, numbers, [f"{number:,}" for number in numbers])
    axes.set(xlabel=grows, ylabel="real tokens per second")
    axes.set_title(f"More {grows}\n(in percent: GFLOP/s, of those of a large product in NumPy)", fontsize=10)


def line(axes: plt.Axes, numbers: Sequence[int], spreads: Sequence[Mapping], **style) -> None:
    """Medians, with a bar from the minimum to the maximum."""
    medians = [spread["median"] for spread in spreads]
    below = [spread["median"] - spread["min"] for spread in spreads]
    above = [spread["max"] - spread["median"] for spread in spreads]
    axes.errorbar(numbers, medians, (below, above), fmt="o-", markersize=4, capsize=3, **style)


def logarithmic(axes: plt.Axes, numbers: Sequence[int], labels: Sequence[str]) -> None:
    """Logarithmic axes, with a tick at each point's number, and plain numbers beside the other axis."""
    axes.set(xscale="log", yscale="log")
    axes.set_xticks(numbers, labels)
    axes.set_xticks([], minor=True)
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:,g}")
    axes.yaxis.set_minor_formatter(NullFormatter())
