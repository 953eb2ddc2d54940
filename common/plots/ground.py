"""Pictures for any ground: transparent, in colours that read on white and on black."""

from __future__ import annotations

INK = "#7a7a7a"
"""Text and axes: a grey with a contrast of over 4 on a white ground and on a black one."""
BLUE, ORANGE, GREEN, PURPLE, RED = "#3a86d0", "#d97c1e", "#2f9e6e", "#a06cd5", "#d6516b"
OLIVE, TEAL = "#8c8c3a", "#1fa3b5"
ON_ANY_GROUND = {
    **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), "none"),
    **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "axes.titlecolor"), INK),
    **dict.fromkeys(("xtick.color", "ytick.color", "legend.labelcolor"), INK),
    **dict.fromkeys(("axes.spines.top", "axes.spines.right", "legend.frameon"), False),
    **dict.fromkeys(("font.size", "axes.titlesize"), 10),
}
"""The settings of matplotlib for such a picture."""
