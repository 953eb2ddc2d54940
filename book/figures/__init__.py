"""The figures of the lessons, a module a chapter. `python -m book.figures` draws all of them (`make figures`)."""
