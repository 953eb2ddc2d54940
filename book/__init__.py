"""What turns chapters into a book: worked numbers, excerpts, figures, glossary, and the form of a lesson."""
