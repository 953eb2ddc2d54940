"""Loading the chapters' files into tests."""

from tools.chapters import CHAPTERS, load_chapter_module, neighbours_importable

__all__ = ["CHAPTERS", "load_chapter_module", "neighbours_importable"]
