# %% [markdown]
# # Lab 5: what a state keeps
#
# An hour with the recurrent models of [lesson 5](../../chapters/05_rnn_lm/README.md): gradients that vanish, gates
# that keep, and cells that learn which verb form a distant subject requires.

# %% [markdown]
# The first cell finds the course, or fetches it on a hosted notebook service, and sets it up.

# %%
from book.labs.notebook import begin

begin()

# %% [markdown]
# Now the parts that this lab uses.

# %%
import numpy as np

from book.labs.notebook import choice, explore, show, slider
from book.labs.views import ch05 as views
from book.lessons.cells import namespace

# %% [markdown]
# ## Two words by hand
#
# The lesson's network has one unit. It reads *ponies* (1) and *usually* (0.2). Below are its states (the first before
# any word), the gradient of each loss with respect to its state (`own`), and the gradient of both losses together with
# respect to each weighted sum (`delta`):

# %%
for name in ("h", "scores", "p", "losses", "own", "delta"):
    print(f"{name:10}", np.round(namespace("05")[name], 4))

# %% [markdown]
# ## One weight, many steps
#
# On its way back, a gradient is multiplied at each step by the weight and by the slope of the tanh. The unit reads a
# first number, and then zeros. **What do you expect** of a weight of 1.5: does the gradient explode?

# %%
weight = slider("weight W_hh", 0.1, 2.5, 0.8, 0.1)
first = slider("first embedding", 0.001, 2.0, 1.0, 0.001)
steps = slider("steps", 2, 40, 15, 1)
explore(views.one_weight, weight=weight, first=first, steps=steps)

# %% [markdown]
# **Try** a first embedding of 0.001. The state stays small for some steps, in which the slopes are nearly 1.

# %%
for start in (1.0, 0.1, 0.001):
    few, many = (views.factors(1.5, start, number)[-1] for number in (5, 15))
    print(f"first {start:5}: after 5 steps {few:.3f}, after 15 {many:.3g}")

# %% [markdown]
# Is the product right? Change the first state slightly, and see how far the last one moves.


# %%
def last(state, weight, steps):
    for _ in range(steps):
        state = np.tanh(weight * state)
    return state


at = np.tanh(1.0)
print("moved     ", (last(at + 1e-6, 0.8, 5) - last(at - 1e-6, 0.8, 5)) / 2e-6)
print("multiplied", views.factors(0.8, 1.0, 5)[-1])

# %% [markdown]
# How steep is the tanh where it is used? The lesson's picture once more:

# %%
from book.figures import ch05

show(ch05.slopes())

# %% [markdown]
# ## Gates
#
# The cell of an LSTM is multiplied by the forget gate at each step. Move the weighted sum of the gate (its bias, if all
# else is zero). After how many steps is half of the cell left?

# %%
forget = slider("sum of the forget gate", -3.0, 7.0, 1.0, 0.5)
inputs = slider("sum of the input gate", -6.0, 3.0, 0.0, 0.5)
explore(views.gates, forget=forget, inputs=inputs, steps=slider("steps", 5, 60, 30, 5))

# %% [markdown]
# **What do you expect** of the right picture when both gates are wide open? And when the forget gate is 1 minus the
# input gate?

# %%
for f, i in ((6.0, 3.0), (1.0, -1.0), (3.0, -3.0)):
    print(f"forget {f}, input {i}: the cell after 10, 30 and 60 steps {views.kept(f, i, 60)[[10, 30, 60]].round(3)}")

# %% [markdown]
# **Try** to keep a number for 50 steps so that nine tenths of it are left. Which weighted sum does the forget gate
# need?

# %%
for weighted_sum in (1, 3, 5, 7):
    print(weighted_sum, "->", round(float(views.kept(weighted_sum, -50, 50)[-1]), 3))

# %% [markdown]
# ## A language of our own
#
# To isolate the effect of distance, this lab uses a language of seventeen words: a subject, up to twelve other words,
# and a verb that must agree with the subject. The words in the middle may be nouns of either number.

# %%
rng = np.random.default_rng(3)
for between in (0, 3, 8):
    for plural in (False, True):
        print(f"{between:2} between:", " ".join(views.sentence(rng, between, plural)))

# %% [markdown]
# A model that is perfect except that it guesses the form of the verb pays one bit too much per sentence, 0.69 nats.
# That is a small part of the total cost of a sentence, so the loss will show little. Here are the losses of a short
# run:

# %%
lm, losses = views.trained("gru", 1.0)
print(lm.name)
for step in (0, 20, 50, 100, 200, views.STEPS - 1):
    print(f"minibatch {step:3}: {losses[step]:.3f} nats per word")

# %% [markdown]
# What matters is the probability of the right form, as a share of both forms, by the number of words in between.
# Guessing gives 0.5.

# %%
for between in (0, 2, 4, 8, 12):
    print(f"{between:2} between: {views.right_form(lm, between):.3f}")

# %% [markdown]
# ## Cells and forget bias
#
# Choose a cell and, for an LSTM, the bias with which its forget gates start. On the left, before training, the norm of
# the gradient of the verb's loss at states further and further back; in the middle the same after training; on the
# right the share of the right form. A run takes a second or two. **What do you expect** of an LSTM whose forget bias
# starts at −3?

# %%
cell = choice("cell", views.CELLS, "lstm")
bias = slider("forget bias (LSTM)", -3.0, 5.0, 1.0, 1.0)
seed = slider("seed", 1, 10, 1, 1)
explore(views.memory, cell=cell, bias=bias, seed=seed)

# %% [markdown]
# The plain recurrent network, with the same seed:

# %%
show(views.memory("rnn", 1.0, 1))

# %% [markdown]
# And the GRU:

# %%
show(views.memory("gru", 1.0, 1))

# %% [markdown]
# How much smaller is the gradient twelve steps back, before training?

# %%
for name, start in (("rnn", 1.0), ("gru", 1.0), ("lstm", -3.0), ("lstm", 1.0), ("lstm", 3.0)):
    for part, values in views.norms(name, start, False).items():
        print(
            f"{name:4} forget bias {start:4}, {part}: {values[0]:.2e} at the verb, {values[12]:.2e} twelve steps back"
        )

# %% [markdown]
# **Try** five seeds for each of two settings before you say that one is better. One seed is an anecdote:

# %%
for start in (1.0, 3.0):
    far = [views.agreement("lstm", start, seed)[12] for seed in (1, 2)]
    print(f"lstm, forget bias {start}: right form at twelve words, two seeds {np.round(far, 2)}")

# %% [markdown]
# ## Where is the number?
#
# The states of the trained GRU have 16 numbers. Which of them encode whether the subject was singular or plural?
# Look for one whose two curves stay apart up to the verb.

# %%
number = slider("number of the state", 0, 15, 0, 1)
explore(
    views.unit, cell=choice("cell", views.CELLS, "gru"), number=number, between=slider("words in between", 0, 12, 8, 1)
)

# %% [markdown]
# Let the computer search: the mean distance of the two curves, from the subject on.

# %%
texts = [views.sentence(np.random.default_rng(7), 8, plural)[:-2] for plural in (False, True)]
singulars, plurals = (views.through(lm, text) for text in texts)
apart = np.abs(singulars - plurals)[2:].mean(axis=0)
print("most apart:", np.argsort(-apart)[:4], apart[np.argsort(-apart)[:4]].round(2))

# %% [markdown]
# The number whose curves are furthest apart:

# %%
show(views.unit("gru", int(np.argmax(apart)), 8))

# %% [markdown]
# [Part 2](../../chapters/05_rnn_lm/PART2.md) of the lesson shows such a number in the cell of an LSTM trained on the
# village:

# %%
show(ch05.cell_through_sentence())

# %% [markdown]
# ## The village
#
# The same measurement was recorded for the village, with full-size models and five seeds for each network. Add or
# remove models.

# %%
several = ["rnn, gru, lstm", "5-gram, feed-forward, lstm", "5-gram, feed-forward, rnn, gru, lstm"]
explore(lambda models: ch05.agreement_by_distance(models.split(", ")), models=choice("models", several))

# %% [markdown]
# And the gradients before and after those runs. **What do you expect**: in the right picture, which curve falls
# fastest?

# %%
show(ch05.gradients_through_time())

# %% [markdown]
# **Try** to explain the 5-gram model's points at distances of five and more: the subject is out of its reach. What is
# within its reach?

# %%
show(ch05.agreement_by_distance(("5-gram", "feed-forward")))

# %% [markdown]
# ## Sentences side by side
#
# A minibatch has as many steps as its longest sentence. What share of it is padding if sentences are taken in their
# original order, and if they are sorted by length?

# %%
show(ch05.saved_by_length())
