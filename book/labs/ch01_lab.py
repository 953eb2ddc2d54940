# %% [markdown]
# # Lab 1: counting, mixing, being surprised
#
# An hour with the n-gram models of [lesson 1](../../chapters/01_ngram_lm/README.md). The lesson explains; here you
# look, guess and change. Before you run a cell that asks *What do you expect?*, write your guess down.

# %% [markdown]
# The first cell finds the course, or fetches it on a hosted notebook service, and sets it up.

# %%
from book.labs.notebook import begin

begin()

# %% [markdown]
# Now the parts that this lab uses: the lesson's computations, and the views behind the sliders.

# %%
import numpy as np

from book.counted import followers, village
from book.labs.notebook import choice, explore, show, slider, words
from book.labs.views import ch01 as views

# %% [markdown]
# ## Looking at the text
#
# Ten thousand sentences to count. Read some of them aloud.

# %%
corpus = views.corpus()
print(len(corpus.train), "sentences to count;", len(corpus.dev), "in dev;", len(corpus.test), "in test")
for sentence in corpus.train[:6]:
    print(" ".join(sentence))

# %% [markdown]
# How long are they? The full stop counts as a word, `</s>` does not yet.

# %%
lengths = np.array([len(sentence) for sentence in corpus.train])
print("shortest", lengths.min(), " mean", round(lengths.mean(), 2), " longest", lengths.max())

# %% [markdown]
# What follows *hen*? Before you run the cell: **What do you expect** to be the most frequent word?

# %%
print(followers("hen"))

# %% [markdown]
# **Try** other words: `the`, `mira`, `until`, and `then`. Which word is followed by the fewest different words,
# relative to how often it occurs?

# %%
for word in ("the", "mira", "until", "then"):
    after = followers(word)
    print(f"{word:6} {sum(after.values()):6} times, {len(after):4} different words: {list(after)[:5]}")

# %% [markdown]
# Few words make up most of a text. The counts of all words, from the most frequent down, on logarithmic axes:

# %%
vocab, levels, *_ = village()
often = np.sort(levels[0].counts)[::-1]
figure, axes = views.plt.subplots(figsize=(5, 2.6))
axes.loglog(range(1, len(often) + 1), np.maximum(often, 1))
axes.set(xlabel="rank of the word", ylabel="count in train")
show(figure)

# %% [markdown]
# How many different n-grams are there, and how many of them occur once? **What do you expect**: does the share of
# those that occur once rise or fall with the order?

# %%
for order, level in enumerate(levels, start=1):
    print(f"order {order}: {len(level.counts):6} different, {np.mean(level.counts == 1):.0%} of them occur once")

# %% [markdown]
# ## Guessing the next word
#
# A model's next words, beside the grammar's own probabilities. The grammar wrote the text, so its bars are the truth.
# Change the history, the smoothing method and the order. (Methods that you do not know are in
# [part 2](../../chapters/01_ngram_lm/PART2.md) and [part 3](../../chapters/01_ngram_lm/PART3.md) of the lesson.)

# %%
history = words("history", "the hen of")
method = choice("smoothing", views.METHODS, "kneser-ney")
order = slider("order", 1, 5, 3, 1)
explore(views.next_words, history=history, method=method, order=order)

# %% [markdown]
# **Try** `the goat that belongs to dora`, then `dalena` and `tavin` for *dora*, with order 3 and with order 5. The
# animal is five words back. When does a model predict *waits*, and what must have occurred in train for that?

# %%
show(*[views.next_words(f"the goat that belongs to {name}", "kneser-ney", 5) for name in ("dora", "dalena")])

# %% [markdown]
# What happens after an impossible history? The grammar gives this one no probability; a smoothed model gives an
# answer for any history.

# %%
show(views.next_words("hen hen hen", "kneser-ney", 3))

# %% [markdown]
# ## Being surprised
#
# The surprise of each word, in nats, and the perplexity of the sentence. Which word will cost most here? **What do
# you expect**?

# %%
sentence = words("a sentence", "the hen of mira follows mira behind the library .")
explore(views.surprise, sentence=sentence, method=choice("smoothing", views.METHODS, "kneser-ney"),
        order=slider("order", 1, 5, 3, 1))  # fmt: skip

# %% [markdown]
# One nat more is a factor of $e$ in probability. To how many equally likely words does the largest cost correspond?

# %%
costs = views.surprises("the hen of mira follows mira behind the library .", "kneser-ney", 3)
print(costs.round(2))
worst = int(np.argmax(costs))
print("prediction", worst + 1, "is a choice among", round(float(np.exp(costs[worst]))), "words")

# %% [markdown]
# **Try** to write a sentence of the village with a perplexity below 5, and one of known words with a perplexity above
# 500. The two below do not reach that.

# %%
for text in ("now and then , mira reads the letter .", "spoon the of dora quietly ."):
    print(f"{np.exp(views.surprises(text, 'kneser-ney', 3).mean()):9.1f}  {text}")

# %% [markdown]
# An unknown word is counted as `<unk>` here. Its surprise shows how often the model has met a rare word in this
# place.

# %%
show(views.surprise("the wombat of mira sleeps .", "kneser-ney", 3))

# %% [markdown]
# ## One weight, found by EM
#
# Bigrams mixed with unigrams. EM moves down the curve of dev, from any start. Set the rounds to 0 first and increase
# them one by one.

# %%
start = slider("α at the start", 0.01, 0.99, 0.9, 0.01)
rounds = slider("rounds", 0, 20, 4, 1)
explore(views.em, start=start, rounds=rounds)

# %% [markdown]
# From below and from above: **what do you expect** of the last column?

# %%
for beginning in (0.01, 0.5, 0.99):
    print([round(alpha, 4) for alpha in views.em_path(beginning, 30)][::6])

# %% [markdown]
# **Try** a start of exactly 1 in the next cell. Why does EM not move from there? (Exactly 0 gives `nan`: some words of
# dev never follow the word before them in train, so 0 is divided by 0.)

# %%
for beginning in (0.0001, 0.9999):
    print(beginning, "->", [round(alpha, 4) for alpha in views.em_path(beginning, 5)])

# %% [markdown]
# ## Two weights, by hand
#
# Now trigrams as well. With probability $1 - \alpha_3$ the trigram model chooses, with $\alpha_3$ it passes on to the
# mixture of bigrams and unigrams, whose weight is $\alpha_2$. The star is where EM ends. Drag both weights: first
# make *train* as good as you can, then *dev*.

# %%
alpha2 = slider("α₂ to the unigrams", 0.0, 1.0, 0.5, 0.01)
alpha3 = slider("α₃ to the bigrams", 0.0, 1.0, 0.5, 0.01)
explore(views.weights, alpha2=alpha2, alpha3=alpha3)

# %% [markdown]
# At the weights that EM finds:

# %%
_, best2, best3 = views.em_weights()
print("α₂ =", round(best2, 3), " α₃ =", round(best3, 3))
for split in views.SPLITS:
    print(f"{split:5} {views.perplexity(split, best2, best3):8.3f}")

# %% [markdown]
# And at weights that trust the longest n-gram almost always. **What do you expect** for train, and for dev?

# %%
for split in views.SPLITS:
    print(f"{split:5} {views.perplexity(split, 0.02, 0.02):8.3f}")

# %% [markdown]
# Was test harmed by choosing on dev? Search the grid for the best weights of each split. The dev-chosen pair should
# be close to test's own.

# %%
for split in ("dev", "test"):
    perplexities = {(a, b): views.perplexity(split, a, b) for a in views.GRID[2:12] for b in views.GRID[8:22]}
    best = min(perplexities, key=perplexities.get)
    print(f"{split}: α₂ = {best[0]:.2f}, α₃ = {best[1]:.2f}, perplexity {perplexities[best]:.3f}")

# %% [markdown]
# **Try** other weights. Can you find some for which dev has a lower perplexity than test? Which of the two is the
# harder text?

# %%
for a, b in ((0.1, 0.4), (0.9, 0.9), (0.3, 0.05)):
    print(a, b, [round(views.perplexity(split, a, b), 2) for split in views.SPLITS])

# %% [markdown]
# ## Discounts
#
# Subtract the same amount $D$ from the count of every bigram. The freed mass goes to the unigrams. Then look at other
# words: *mira*, *the*, *until*. Which has the most back-off mass?

# %%
amount = slider("D", 0.02, 0.95, 0.5, 0.01)
explore(views.discount, amount=amount, word=words("after the word", "hen"))

# %% [markdown]
# A mixture has one weight for all histories; the back-off mass of a discount adapts to the history. Is that worth
# anything? All of these are bigram models.

# %%
for method in ("fixed-weights", "absolute", "kneser-ney", "witten-bell"):
    print(f"{method:14} {views.of(views.trained(method, 2)).perplexity:7.2f}")

# %% [markdown]
# And with longer n-grams? **What do you expect**: does every method keep improving from order 2 to 5?

# %%
for method in ("fixed-weights", "absolute", "kneser-ney"):
    print(f"{method:14}", [round(views.of(views.trained(method, order)).perplexity, 2) for order in (2, 3, 4, 5)])

# %% [markdown]
# ## Writing sentences
#
# A model that can predict can also write: draw a word, read it, draw the next. What does each order get right, and
# what does it get wrong?

# %%
from common.search.sampling import sample

for order in (1, 2, 3, 5):
    model = views.trained("kneser-ney", order)
    for hypothesis in sample(model, 2, np.random.default_rng(1)):
        print(order, " ".join(hypothesis.words))

# %% [markdown]
# How would the grammar itself rate the sentences that the models write? Most of them are impossible in the village.

# %%
from data.oracle import log_prob

for order in (2, 3, 5):
    hypotheses = sample(views.trained("kneser-ney", order), 50, np.random.default_rng(2))
    possible = [np.isfinite(log_prob(hypothesis.words)) for hypothesis in hypotheses]
    print(f"order {order}: {np.mean(possible):.0%} of 50 sentences are possible in the village")

# %% [markdown]
# **Try** the order 4, and another seed. Then read an impossible sentence of order 5 aloud, and find the word at which
# it went wrong (the first with `-inf` in `token_log_probs` of `data.oracle`). How far back is the word that it
# contradicts?
