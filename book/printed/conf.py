"""How Sphinx makes the printed book: one page for the browser to print, or an EPUB with formulas in MathML."""

from pathlib import Path

from book.printed.formulas import MathEpub
from book.site.conf import MATHJAX
from book.site.sources import PROJECT

project = PROJECT
extensions = ["myst_parser", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 6
myst_fence_as_directive = ["math"]
nitpicky = True
smartquotes = False  # --epochs is a flag, not a dash
pygments_style = "a11y-light"
highlight_language = "none"

mathjax_path = MATHJAX.name
html_theme = "epub"
html_static_path = [str(MATHJAX), *(str(Path(__file__).with_name(name)) for name in ("print.css", "paper.css"))]
html_css_files, epub_css_files = ["print.css", "paper.css"], ["print.css"]
html_title = project
html_copy_source = html_use_index = False
html_show_copyright = False
html_permalinks = False

epub_basename, epub_title = "book", project
epub_theme = "epub"
epub_author = epub_contributor = epub_publisher = "the course authors"
epub_description = "A course that runs: from n-gram language models to word attention, in Python on DyNet."
epub_copyright = "MIT licence"
epub_identifier = "attention-from-ngrams"
epub_uid = "attention-from-ngrams"
epub_tocscope = "includehidden"
epub_show_urls = "no"
epub_tocdepth = 2
version = "1"
epub_exclude_files = [f"_static/{MATHJAX.name}", "_static/paper.css"]


def setup(app):
    app.add_builder(MathEpub, override=True)
