"""Figures that move, for the pages of the site: what they draw (`figures`, `models`, `village`), how they get onto a
page (`pages`), and the JavaScript that draws them (`static/`). README.md in this folder says how to add one."""
