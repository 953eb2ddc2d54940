"""How Sphinx makes slides. Everything that they need comes with them: nothing is fetched from another host."""

import importlib.util
from pathlib import Path

MATHJAX = Path(importlib.util.find_spec("sphinx-mathjax-offline").origin).parent / "static" / "mathjax" / "tex-svg.js"
STATIC = Path(__file__).parent / "static"

project = "From n-grams to word attention"
extensions = ["myst_parser", "sphinx_revealjs", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath", "attrs_inline", "colon_fence"]
mathjax_path = MATHJAX.name
revealjs_static_path = [str(STATIC / "slides.css"), str(MATHJAX)]
revealjs_css_files = ["slides.css"]
revealjs_style_theme = "white"
revealjs_google_fonts = []
revealjs_generic_font = "sans-serif"
revealjs_script_conf = {
    "hash": True,
    "slideNumber": "c/t",
    "width": 1280,
    "height": 720,
    "margin": 0,
    "display": "flex",
    "transition": "none",
    "controls": False,
    "pdfMaxPagesPerSlide": 1,
    "center": False,
}
revealjs_script_plugins = [{"name": "RevealNotes", "src": "revealjs/plugin/notes/notes.js"}]
