"""Loading the chapters' files into tests."""

from common.chapters import CHAPTERS, load_chapter_module, neighbours_importable

__all__ = ["CHAPTERS", "load_chapter_module", "neighbours_importable"]
