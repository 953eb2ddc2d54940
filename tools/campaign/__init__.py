"""The campaign: the course's programs are killed, fed with damaged files and called with random flags.

A *case* is one such attempt. All that is random in it follows from the campaign's seed and the number of the case, so
that `--case` repeats any of them. What no user should ever see is a *finding*: a traceback, a hang, an end by a signal,
more memory than `forks.MOST_MEMORY`, a file that is half written, an epoch that is lost.
"""
