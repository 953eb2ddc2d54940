"""The code of the lessons once more, in PyTorch: a module for each chapter, which only lessons and tests read."""
