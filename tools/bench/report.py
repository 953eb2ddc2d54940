"""The results of the benchmarks as tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

HOW_TO_COMPARE = 'PyTorch is not installed; to compare: pip install -e ".[compare]"'


def show(result: dict) -> str:
    """The results of one benchmark."""
    settings, batches = result["settings"], result["batches"]
    mega, peak = result["flops_per_token"] / 1e6, result["peak_gflops_per_thread"]["max"]
    lines = [
        f"{result['benchmark']}, on {result['versions']['dynet']}",
        f"{settings['batches']} batches of {settings['batch_size']} {batches['source']}: {batches['predictions']:,} "
        f"predictions, {batches['padding']:.1%} padding; {settings['rounds']} rounds, threads {settings['threads']}",
        show_versions(result),
        f"A token costs {mega:.1f} MFLOP of matrix products in training, a third in evaluation and in decoding.",
        f"A large product in NumPy: {peak:.1f} GFLOP/s at best. Figures are medians.",
    ]
    for task, figures in result["tasks"].items():
        lines.append("")
        lines.append(
            f"{task:10}{'tokens/s':>9}{'min':>8}{'max':>8}{'tokens per processor second':>29}{'GFLOP/s a thread':>18}"
        )
        for name, side in figures["sides"].items():
            clock, processor = side["tokens_per_second"], side["tokens_per_processor_second"]["median"]
            speeds = f"{clock['median']:9.0f}{clock['min']:8.0f}{clock['max']:8.0f}{processor:29.0f}"
            lines.append(f"{name:10}{speeds}{side['gflops_per_thread']:18.1f}")
        lines += show_ratios(figures) if "ratio" in figures else []
    if not compared(result):
        lines += ["", HOW_TO_COMPARE]
    return "\n".join(lines)


def show_versions(result: dict) -> str:
    return "; ".join(f"{name} {version}" for name, version in result["versions"].items())


def compared(result: dict) -> bool:
    """Whether there was a PyTorch to compare with."""
    return "PyTorch" in result["losses_before_training"]


def show_ratios(figures: dict) -> list[str]:
    """DyNet's speed over PyTorch's, a line by the clock and one by processor time."""
    lines = []
    for label, key in (("by the clock", "ratio"), ("by processor time", "ratio_by_processor_time")):
        ratio = figures[key]
        rounds = " ".join(f"{value:.2f}" for value in ratio["rounds"])
        lines.append(f"DyNet / PyTorch {label:18}{show_ratio(ratio)}: {rounds}")
    return lines


def show_ratio(ratio: dict) -> str:
    return f"{ratio['median']:.2f} ({ratio['min']:.2f} to {ratio['max']:.2f})"


def overview(results: Mapping[str, dict]) -> str:
    """All benchmarks side by side, by name: for each task a line a benchmark."""
    first = next(iter(results.values()))
    lines = [show_versions(first), show_peaks(results)]
    for task in first["tasks"]:
        head = ["tokens/s: DyNet", "PyTorch", "DyNet / PyTorch", "of the peak: DyNet", "PyTorch"]
        lines += ["", in_columns(task, head if compared(first) else ["tokens/s", "of the peak"])]
        for name, result in results.items():
            speeds, peaks = cells(result, task)
            ratio = [show_ratio(result["tasks"][task]["ratio"])] if compared(result) else []
            lines.append(in_columns(name, [*speeds, *ratio, *peaks]))
    if not compared(first):
        lines += ["", HOW_TO_COMPARE]
    return "\n".join(lines)


def in_columns(name: str, texts: Sequence[str]) -> str:
    widths = (17, 9, 22, 21, 9) if len(texts) > 2 else (17, 21)
    return f"{name:18}" + "".join(f"{text:>{width}}" for text, width in zip(texts, widths, strict=True))


def show_peaks(results: Mapping[str, dict]) -> str:
    """What the shares of the peak are shares of."""
    peaks = [result["peak_gflops_per_thread"]["max"] for result in results.values()]
    return f"The peak of a thread is NumPy's best large product: {min(peaks):.0f} to {max(peaks):.0f} GFLOP/s."


def cells(result: dict, task: str) -> tuple[list[str], list[str]]:
    """Of each side the tokens per second, and the share of the processor's peak that a thread of it reaches."""
    peak = result["peak_gflops_per_thread"]["max"]
    sides = result["tasks"][task]["sides"].values()
    speeds = [f"{side['tokens_per_second']['median']:,.0f}" for side in sides]
    return speeds, [f"{side['gflops_per_thread'] / peak:.0%}" for side in sides]


def markdown(results: Mapping[str, dict]) -> str:
    """The same as a table in Markdown, a row a benchmark."""
    first = next(iter(results.values()))
    tasks = list(first["tasks"])
    parts = ("tokens per second", "their ratio: median (minimum to maximum)", "share of the peak")
    lines = [
        f"{show_versions(first)}. {show_peaks(results)}",
        f"DyNet / PyTorch: {', '.join(parts)}." if compared(first) else f"DyNet: {parts[0]}, {parts[2]}.",
        "",
        f"| | {' | '.join(tasks)} |",
        "|---" * (1 + len(tasks)) + "|",
    ]
    for name, result in results.items():
        row = []
        for task, figures in result["tasks"].items():
            speeds, peaks = map(" / ".join, cells(result, task))
            ratio = [show_ratio(figures["ratio"])] if "ratio" in figures else []
            row.append("<br>".join([speeds, *ratio, peaks]))
        lines.append(f"| {name} | {' | '.join(row)} |")
    return "\n".join(lines)
