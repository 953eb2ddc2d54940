"""The exercises: what students fill in, and the program that checks it."""
