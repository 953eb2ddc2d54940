"""How good a model is: perplexity and unknown words, BLEU, chrF, ROUGE."""
