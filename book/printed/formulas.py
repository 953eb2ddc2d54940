"""An EPUB whose formulas are MathML: e-readers set it themselves, in the reader's size and colours.

MathJax, which sets the formulas of the site, translates those of the whole book in one page of a browser.
"""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory

from sphinx.builders.epub3 import Epub3Builder

from book.site.conf import MATHJAX
from book.slides.printing import need_browser, run_browser
from common.errors import UserError

FORMULA = re.compile(r'(<(?:span|div) class="math [^>]*>)\s*\\[(\[](.*?)\\[)\]](?=</(?:span|div)>)', re.DOTALL)
OWN_MARKS = re.compile(r' data-[\w-]+="[^"]*"')
TRANSLATION = """<!doctype html><meta charset="utf-8"><title>formulas</title><script>
const formulas = %s;
window.MathJax = {startup: {pageReady() {
  document.body.textContent = JSON.stringify(formulas.map(([tex, display]) => MathJax.tex2mml(tex, {display})));
}}};
</script><script src="%s"></script><body></body>"""


class MathEpub(Epub3Builder):
    """Sphinx's builder, between whose pages and their packing the formulas are translated."""

    def handle_finish(self) -> None:
        translate_formulas(sorted(Path(self.outdir).glob("**/*.xhtml")))
        super().handle_finish()

    def build_content(self) -> None:
        """The list of files, in which those with formulas are marked as the standard demands."""
        super().build_content()
        listing = Path(self.outdir) / "content.opf"

        def marked(item: re.Match) -> str:
            has_formulas = "<math" in (Path(self.outdir) / item[1]).read_text("utf-8")
            return item[0].replace(" />", ' properties="mathml" />') if has_formulas else item[0]

        text = re.sub(r'<item [^>]*href="([^"]+\.xhtml)" [^>]* />', marked, listing.read_text("utf-8"))
        listing.write_text(text, encoding="utf-8")


def translate_formulas(pages: list[Path]) -> None:
    """Replace the TeX of each formula in the pages by MathML."""
    texts = {page: page.read_text("utf-8") for page in pages}
    found = [key(match) for text in texts.values() for match in FORMULA.finditer(text)]
    translations = dict(zip(found, as_mathml(found), strict=True))
    for page, text in texts.items():
        page.write_text(FORMULA.sub(lambda match: match[1] + translations[key(match)], text), encoding="utf-8")


def key(match: re.Match) -> tuple[str, bool]:
    """A formula of a page: its TeX, and whether it is displayed."""
    return html.unescape(match[2]), match[1].startswith("<div")


def as_mathml(formulas: list[tuple[str, bool]]) -> list[str]:
    """The formulas (TeX, whether displayed) as MathML. Raises `UserError` for a bad one and without a browser."""
    with TemporaryDirectory() as folder:
        page = Path(folder) / "formulas.html"
        given = json.dumps(formulas).replace("<", r"\u003c")
        page.write_text(TRANSLATION % (given, MATHJAX.as_uri()), encoding="utf-8")
        seen = run_browser(need_browser(), "--dump-dom", page.as_uri())
    translations = json.loads(html.unescape(re.search(r"<body>(.*)</body>", seen, re.DOTALL)[1]))
    for (tex, _), translation in zip(formulas, translations, strict=True):
        if "<merror" in translation:
            raise UserError(f"MathJax cannot read the formula {tex}")
    return [OWN_MARKS.sub("", translation) for translation in translations]
