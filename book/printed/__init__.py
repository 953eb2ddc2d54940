"""The course as one book, to print (PDF) and for e-readers (EPUB): lessons, results, exercises and reference."""
