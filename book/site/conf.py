"""How Sphinx builds the site. Everything that a page needs comes with it: nothing is fetched from another host."""

import importlib.util
from functools import cache
from pathlib import Path

from sphinx.search.en import SearchEnglish

from book.live.pages import load_scripts
from book.site.contents import list_pages_only
from book.site.sources import PROJECT, STATIC

MATHJAX = Path(importlib.util.find_spec("sphinx-mathjax-offline").origin).parent / "static" / "mathjax" / "tex-svg.js"

project = PROJECT
extensions = ["myst_nb", "sphinx.ext.mathjax"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
nitpicky = True
highlight_language = "none"

myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 6
myst_fence_as_directive = ["math"]
myst_links_external_new_tab = False
nb_execution_mode = "off"
nb_ipywidgets_js = {}

html_theme = "furo"
html_title = project
html_static_path = [*(str(STATIC / name) for name in ("site.css", "lines.js")), str(MATHJAX)]
html_css_files = ["site.css"]
html_js_files = ["lines.js"]
html_show_search_summary = False  # a page that is opened as a file may not fetch others
html_use_index = False
html_domain_indices = False
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {"footer_icons": [], "top_of_page_buttons": []}
mathjax_path = MATHJAX.name
pygments_style, pygments_dark_style = "tango", "github-dark"

SearchEnglish.stem = cache(SearchEnglish.stem)  # the same words stand on many pages


def setup(app):
    app.connect("html-page-context", list_pages_only, priority=100)  # before the theme asks for the list
    app.connect("html-page-context", load_scripts)
