"""Finding sentences: sampling, greedy and beam search, priors on length, coverage, ensembles, translation."""
