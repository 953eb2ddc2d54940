"""What every lab's notebook uses: DyNet set up, figures shown, and views with controls."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from time import process_time

import ipywidgets
from IPython.display import SVG, DisplayHandle, Pretty, display
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from book.figures.style import STYLE
from common import runtime
from common.errors import UserError
from common.plots.plotting import plt

LIVE = 0.05
"""Processor seconds that a view may take to follow a slider that is being dragged."""
SLIDERS = ipywidgets.IntSlider, ipywidgets.FloatSlider
Layouts = dict[tuple, tuple[list[Bbox], Bbox]]
"""For figures of one size and with the same labels the places of their axes, and what is drawn in all (inches)."""
PAD = 0.1
"""Inches around a picture."""
WIDGET = "application/vnd.jupyter.widget-view+json"
"""The kind of output that needs a running kernel."""


def begin(seed: int = 1) -> None:
    """Set DyNet up before anything imports it, seed it, and give figures the style of the course."""
    runtime.configure()
    runtime.seed_dynet(seed)
    plt.rcParams.update(STYLE)


def show(*views: Figure | str) -> None:
    """Display figures as pictures, which stay in the notebook, and texts."""
    for view in views:
        display(rendered(view))


def rendered(view: Figure | str, box: Bbox | str = "tight") -> SVG | Pretty:
    """A figure as SVG, or a text as it is; the figure is closed. box: how much of its ground is shown, in inches."""
    if isinstance(view, str):
        return Pretty(view)
    buffer = io.BytesIO()
    view.savefig(buffer, format="svg", bbox_inches=box, metadata={"Date": None, "Creator": None})
    plt.close(view)
    return SVG(buffer.getvalue())


def explore(view: Callable[..., Figure | str], **controls: ipywidgets.ValueWidget) -> None:
    """Show `view(**values of the controls)` below the controls; when one of them moves, in the same place again.

    Sliders redraw while they are dragged as long as that is quick, else when they are let go. Where no kernel runs, the
    view at the first values stays, and a line says what can be moved.
    """
    layouts: Layouts = {}

    def drawn() -> SVG | Pretty:
        try:
            picture = view(**{name: control.value for name, control in controls.items()})
        except UserError as error:  # a text of the student's own may hold words that the model does not know
            return Pretty(f"error: {error}")
        return rendered(picture) if isinstance(picture, str) else laid_out(picture, layouts)

    def redraw(change: object) -> None:
        begun = process_time()
        handle.update(drawn())
        quick = process_time() - begun < LIVE
        for control in controls.values():
            if isinstance(control, SLIDERS):
                control.continuous_update = quick

    box = ipywidgets.VBox(list(controls.values()))
    labels = "; ".join(control.description or name for name, control in controls.items())
    display({**box._repr_mimebundle_(), "text/markdown": f"*Controls, when the lab runs: {labels}.*"}, raw=True)
    handle: DisplayHandle = display(drawn(), display_id=True)
    for widget in controls.values():
        widget.observe(redraw, names="value")


def laid_out(figure: Figure, layouts: Layouts) -> SVG:
    """A figure as SVG, its axes where they were when one of this size had the same tick labels and titles as long.

    To find where they fit is half of the work of drawing a figure; and so they stay in place while a slider moves.
    """
    form = *figure.get_size_inches(), *map(labels_of, figure.axes)
    if form in layouts:
        places, box = layouts[form]
        figure.set_layout_engine("none")
        for axes, place in zip(figure.axes, places, strict=True):
            axes.set_position(place)
        return rendered(figure, box)
    picture = rendered(figure)
    box = figure.get_tightbbox().padded(PAD)
    layouts[form] = [axes.get_position(original=True) for axes in figure.axes], box
    return picture


def labels_of(axes: Axes) -> tuple:
    """What decides how much room axes leave around them: their tick labels, and how long their titles are."""
    titles = axes.get_title(), axes.get_xlabel(), axes.get_ylabel()
    ticks = [label.get_text() for label in (*axes.get_xticklabels(), *axes.get_yticklabels())]
    return *map(len, titles), *ticks


WIDE = {"layout": ipywidgets.Layout(width="480px"), "style": {"description_width": "190px"}}


def slider(label: str, low: float, high: float, value: float, step: float) -> ipywidgets.ValueWidget:
    """A number to drag, whole where low, high, value and step are."""
    whole = all(isinstance(bound, int) for bound in (low, high, value, step))
    kind = ipywidgets.IntSlider if whole else ipywidgets.FloatSlider
    exact = {} if whole else {"readout_format": ".3f"}
    return kind(value, min=low, max=high, step=step, description=label, **exact, **WIDE)


def choice(label: str, options: Sequence, value: object = None) -> ipywidgets.ValueWidget:
    """One of several options; the first, unless another value is given."""
    return ipywidgets.Dropdown(
        options=list(options), value=options[0] if value is None else value, description=label, **WIDE
    )


def switch(label: str, value: bool = True) -> ipywidgets.ValueWidget:
    """On or off."""
    return ipywidgets.Checkbox(value, description=label, **WIDE)


def words(label: str, value: str) -> ipywidgets.ValueWidget:
    """A text to type; the view follows when Enter is pressed."""
    return ipywidgets.Text(value, description=label, continuous_update=False, **WIDE)
