"""The arithmetic that lessons show, a module a chapter.

A function here yields the numbers of one block of a lesson, in the order in which one reads them. They come from the
chapter's own code. `book.blocks.wrong_numbers` compares them with the page.
"""
