# %% [markdown]
# # Lab 4: words as points
#
# An hour with the feed-forward models of [lesson 4](../../chapters/04_feedforward_lm/README.md): you train a network
# in a few seconds, and watch its words gather by kind, both as they are read and as they are predicted.

# %% [markdown]
# The first cell finds the course, or fetches it on a hosted notebook service, and sets it up.

# %%
from book.labs.notebook import begin

begin()

# %% [markdown]
# Now the parts that this lab uses.

# %%
import numpy as np

from book.labs.notebook import choice, explore, show, slider, switch, words
from book.labs.views import ch04 as views
from book.lessons.cells import namespace

# %% [markdown]
# ## The network by hand
#
# The lesson's network, with two numbers for each word. Put *miller* and *offers* in:

# %%
x, wares, forward = (namespace("04")[name] for name in ("x", "wares", "forward"))
for name, numbers in zip(("m", "h'", "h", "s", "p"), forward(x["miller"], x["offers"]), strict=True):
    print(f"{name:2} {numbers.shape} {numbers.round(3)}")

# %% [markdown]
# **What do you expect** to be the ware of a baker who buys, and of one who offers? Then run it.

# %%
for trader, verb in (("baker", "buys"), ("baker", "offers"), ("miller", "buys")):
    print(f"{trader} {verb:6}", dict(zip(wares, forward(x[trader], x[verb])[-1].round(3).tolist(), strict=True)))

# %% [markdown]
# **Try** a word order that makes no sense. The first two of a unit's four weights are for the first word, the other
# two for the second: the network reads *offers* in place of the trader.

# %%
print("offers miller", forward(x["offers"], x["miller"])[-1].round(3))

# %% [markdown]
# ## One observation
#
# The word *millhand* is new. It occurs once, with *offers flour*, and its embedding is moved by one step. Change the
# learning rate: what happens to the prediction for a history that was never seen?

# %%
explore(views.observation, rate=slider("learning rate", 0.0, 1.5, 0.3, 0.05))

# %% [markdown]
# The same as numbers:

# %%
for rate in (0.0, 0.3, 0.6, 1.5):
    embedding, sells, buys = views.observed(rate)
    print(
        f"{rate}: ({embedding[0]:.3f}, {embedding[1]:.3f})  P(flour | offers) {sells:.3f}  P(wheat | buys) {buys:.3f}"
    )

# %% [markdown]
# ## Train one
#
# The chapter's model of order 4, with 32 numbers per word, trained for three epochs on the village. This takes some
# seconds.

# %%
trained = views.trained()
print(trained.model.name)
print("perplexity on train while learning:", [round(perplexity, 1) for perplexity in trained.perplexities])

# %% [markdown]
# Which arrays does it have? `M` has a row for each word (here the rows are the embeddings), `W_hs` too.

# %%
print("M   ", trained.model.embedding.as_array().shape)
for W, b in trained.model.layers:
    print("W_mh", W.as_array().shape, " b_h", b.as_array().shape)
print("W_hs", trained.model.softmax.W.as_array().shape, " b_s", trained.model.softmax.b.as_array().shape)

# %% [markdown]
# What comes next, by the 5-gram model of chapter 1, by the network and by the grammar? Type a beginning.

# %%
explore(views.next_words, history=words("history", "mira translates a strange"))

# %% [markdown]
# **Try** `gundika memorises a`, `the millers offer`, and `the cat beside the old singers`. A model of order 4 reads
# three words: for which of the three beginnings is that not enough?

# %%
show(*[views.next_words(history) for history in ("gundika memorises a", "the cat beside the old singers")])

# %% [markdown]
# ## Neighbours
#
# Each word has two vectors, one with which it is read and one with which it is predicted. **What do you expect** of
# *reads*, a verb: which of its two vectors has other reading verbs as its neighbours? And of *salmon*?

# %%
word = words("a word", "reads")
epoch = slider("epoch", 0, views.EPOCHS, views.EPOCHS, 1)
explore(views.two_answers, word=word, epoch=epoch)

# %% [markdown]
# The same for *salmon*. Words of the same kind are green (plurals and other forms have no colour).

# %%
show(views.two_answers("salmon", views.EPOCHS))

# %% [markdown]
# **Try** names and small words: `mira`, `she`, `the`, `two`, `until`. What have their neighbours in common, on the
# left and on the right?

# %%
for word_ in ("mira", "she", "until"):
    for side in views.SIDES:
        near = " ".join(name for name, _ in views.nearest(word_, side, views.EPOCHS, 5))
        print(f"{word_:6} {views.READ_AS[side]:13} {near}")

# %% [markdown]
# A cosine by hand: the dot product of two vectors, divided by both lengths.

# %%
vectors = trained.vectors[-1]["input"]
reads, recites, salmon = (vectors[views.number_of(word)] for word in ("reads", "recites", "salmon"))
for name, other in (("recites", recites), ("salmon", salmon)):
    print("reads and", name, (reads @ other / np.sqrt(reads @ reads * (other @ other))).round(3))

# %% [markdown]
# Before training all vectors are random. How large is the largest cosine of *reads* with 1,151 others then? **What do
# you expect**: near 0?

# %%
print(views.nearest("reads", "input", 0, 3))

# %% [markdown]
# ## The map
#
# All verbs, or all nouns, of the 16 kinds, on the plane on which they vary most. Move the epoch from 0 to 3, then
# change the vectors: `input` has those for reading, `output` those for predicting.

# %%
group = choice("words", ["verbs", "nouns"])
side = choice("vectors", list(views.SIDES))
explore(views.word_map, group=group, side=side, epoch=slider("epoch", 0, views.EPOCHS, views.EPOCHS, 1),
        names=switch("show words", False))  # fmt: skip

# %% [markdown]
# And the nouns, as they are predicted:

# %%
show(views.word_map("nouns", "output", views.EPOCHS, False))

# %% [markdown]
# How many words have their nearest neighbour among their own kind? A row for each epoch.

# %%
print("epoch", *(f"{group} {side:7}" for group in ("verbs", "nouns") for side in views.SIDES), sep="   ")
for after in range(views.EPOCHS + 1):
    shares = [views.own_kind(group, side, after) for group in ("verbs", "nouns") for side in views.SIDES]
    print(f"{after:5}", *(f"{share:13.0%}" for share in shares), sep="   ")

# %% [markdown]
# Is the plane all there is? It shows the share of the variance that is printed below the map. Here are the shares of
# the first directions of the verbs as they are read:

# %%
rows = np.array([word for members in views.kinds()["verbs"].values() for word in members])
spread = np.linalg.svd(vectors[rows] - vectors[rows].mean(axis=0), compute_uv=False) ** 2
print((spread / spread.sum()).round(3)[:10])

# %% [markdown]
# **Try** to describe what the first direction separates: which kinds are at its two ends?

# %%
places, _, kinds, _ = views.plane("verbs", "input", views.EPOCHS)
middle = {kind: places[[own_kind == kind for own_kind in kinds], 0].mean() for kind in dict.fromkeys(kinds)}
for kind in sorted(middle, key=middle.get):
    print(f"{kind:12} {middle[kind]:+.2f}")

# %% [markdown]
# The lesson's own model had 128 numbers per word, dropout, and eight epochs of training. Its maps:

# %%
from book.figures import ch04

show(ch04.maps())

# %% [markdown]
# ## Dropout
#
# A hidden layer of the lesson's model. In training, each number is dropped with some probability, and the numbers
# that remain are divided by the probability of being kept. **What do you expect** of the mean of many draws?

# %%
explore(views.dropout, rate=slider("rate", 0.0, 0.9, 0.2, 0.05), draw=slider("draw", 1, 20, 1, 1))

# %% [markdown]
# The lesson recorded its effect on a whole run:

# %%
show(ch04.dropout_and_overfitting())

# %% [markdown]
# **Try** to decide at which epoch the run without dropout should have stopped. The numbers:

# %%
from book.figures.recorded import recorded

for rate, curves in recorded("04_feedforward_lm")["curves"].items():
    print("dropout", rate, "  dev", [round(perplexity, 2) for perplexity in curves["dev"]])

# %% [markdown]
# ## Sampling the sum
#
# The divisor of a softmax, the sum $Z$ of all $\exp(s)$, is costly. The sampled softmax, explained in
# [part 2](../../chapters/04_feedforward_lm/PART2.md) of the lesson, estimates it from a sample of words. The estimate
# is right on average, but we need its logarithm. Watch the dashed line, the mean of the logarithms, as the number of
# samples grows.

# %%
explore(views.sampling, samples=choice("samples", list(views.data.SAMPLES), 16))

# %% [markdown]
# On which side of the truth is the mean always?

# %%
for samples in views.data.SAMPLES:
    logs, _ = views.data.estimates(samples)
    print(f"{samples:5} samples: mean of ln Z {logs.mean():+.3f}, ln of the mean Z {np.log(np.exp(logs).mean()):+.3f}")

# %% [markdown]
# Why do a few samples reveal so little? Most draws are words that cannot occur here, and when one that can is drawn,
# it counts for all the others. Look once more at the picture with one sample, and with 1,024.
