"""The instructor's slides, made from the lessons' own figures and cells."""
