"""How Sphinx builds the site. Everything that a page needs comes with it: nothing is fetched from another host."""

import importlib.util
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from sphinx.search.en import SearchEnglish

from book.address import setting
from book.live.pages import load_scripts
from book.site.contents import list_pages_only
from book.site.door import edit_link, load_excerpts, with_synonyms
from book.site.markup import give_levels, give_sizes
from book.site.sources import PROJECT, STATIC

MATHJAX = Path(importlib.util.find_spec("sphinx-mathjax-offline").origin).parent / "static" / "mathjax" / "tex-svg.js"

project = PROJECT
REPOSITORY, SITE = setting("repository"), setting("site")
html_baseurl = SITE and f"{SITE}/"
extensions = ["myst_nb", "sphinx.ext.mathjax", "sphinx_copybutton", "sphinxext.opengraph"]
extensions += ["sphinx_sitemap", "notfound.extension"] if html_baseurl else []
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
nitpicky = True
highlight_language = "none"

myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 6
myst_fence_as_directive = ["math"]
myst_links_external_new_tab = False
nb_execution_mode = "off"
nb_ipywidgets_js = {}
nb_render_image_options = {"alt": "what the cell above draws"}

html_theme = "furo"
html_title = project
html_static_path = [*(str(STATIC / name) for name in ("site.css", "site.js", "search.js")), str(MATHJAX)]
html_css_files = ["site.css"]
html_favicon = str(STATIC / "favicon.svg")
html_search_scorer = str(STATIC / "scorer.js")
html_js_files = ["site.js"]
html_show_search_summary = False  # they are fetched, which a file may not do; search.js has them
html_use_index = False
html_domain_indices = False
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
smartquotes = False  # --epochs is a flag, not a dash
copybutton_exclude = ".linenos, .gp, .go"
ogp_site_url, ogp_site_name = html_baseurl, project
ogp_enable_meta_description = True
ogp_social_cards = {"enable": bool(html_baseurl)}
sitemap_url_scheme = "{link}"
sitemap_excludes = ["404.html", "search.html"]
notfound_urls_prefix = urlsplit(html_baseurl).path
html_theme_options = {"footer_icons": [], "top_of_page_buttons": ["edit"] if REPOSITORY else []}
mathjax_path = MATHJAX.name
pygments_style, pygments_dark_style = "a11y-light", "github-dark-high-contrast"

SearchEnglish.stem = cache(SearchEnglish.stem)  # the same words stand on many pages
SearchEnglish.split = with_synonyms(SearchEnglish.split)


def setup(app):
    app.connect("html-page-context", list_pages_only, priority=100)  # before the theme asks for the list
    app.connect("html-page-context", edit_link(REPOSITORY))
    app.connect("html-page-context", load_scripts)
    app.connect("html-page-context", load_excerpts)
    app.connect("html-page-context", give_sizes)
    app.connect("html-page-context", give_levels, priority=900)  # when the theme has made the list
