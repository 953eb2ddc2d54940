"""Grading: a student's files in processes of their own, checks that advise, exams that decide, rows for a class."""
