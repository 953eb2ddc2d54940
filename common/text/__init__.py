"""What a sentence is: words and their numbers, corpora and pairs, alignments, pieces of words, minibatches."""
