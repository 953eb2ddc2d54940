# %% [markdown]
# # Lab 2: votes that add up
#
# An hour with the log-linear models of [lesson 2](../../chapters/02_loglinear_lm/README.md): scores and softmax, one
# step downhill, minibatches, optimisers, and a trained model whose features can be switched on and off.

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
from book.labs.views import ch02 as views
from book.lessons.cells import namespace

# %% [markdown]
# ## Scores and softmax
#
# The lesson's example: after *the girl*, three columns are added up, the base scores and the votes of two features.

# %%
lesson = namespace("02")
for name in ("words", "b", "girl", "the", "s"):
    print(f"{name:6}", lesson[name])

# %% [markdown]
# **What do you expect**: which slider changes nothing on the right? Move each of them.

# %%
scores = {name: slider(name, -4.0, 4.0, start, 0.1) for name, start in
          (("giggles", 2.0), ("feeds", 1.5), ("ponies", -1.0), ("stop", -1.5))}  # fmt: skip
constant = slider("added to all", -5.0, 5.0, 0.0, 0.5)
explore(views.four_scores, **scores, constant=constant)

# %% [markdown]
# **Try** to give *ponies* a probability of one half with one slider only. How far did its score have to move? Its
# odds, $p / (1 - p)$, are multiplied by the exponential of that number. Check with your number:

# %%
before = views.softmax(np.array([2.0, 1.5, -1.0, -1.5]))
after = views.softmax(np.array([2.0, 1.5, 2.5, -1.5]))
odds = [probs[2] / (1 - probs[2]) for probs in (before, after)]
print(before.round(3), after.round(3), "odds of ponies times", round(odds[1] / odds[0], 1), "=", np.exp(3.5).round(1))

# %% [markdown]
# Scores of any size are allowed. What happens to the probabilities if all scores are multiplied by ten, or divided by
# ten?

# %%
for factor in (0.1, 1, 10):
    print(f"{factor:4} {views.softmax(factor * np.array([2.0, 1.5, -1.0, -1.5])).round(4)}")

# %% [markdown]
# ## One step downhill
#
# The next word was *feeds*. The gradient with respect to the scores is prediction minus truth:

# %%
for word, p, slope in zip(lesson["words"], lesson["p"], lesson["gradient"], strict=True):
    print(f"{word:8} p = {p:.3f}   gradient {slope:+.3f}")
print("sum of the gradient:", lesson["gradient"].sum().round(12))

# %% [markdown]
# Is that right? Change one score slightly, and see how the loss changes.

# %%
for number, word in enumerate(lesson["words"]):
    nudged = lesson["s"] + 1e-5 * np.eye(4)[number]
    loss = np.log(np.exp(nudged).sum()) - nudged[1]
    print(f"{word:8} {(loss - lesson['loss']) / 1e-5:+.4f}")

# %% [markdown]
# Now the step itself. **What do you expect** of a learning rate of 6? Can a learning rate be too large when there is
# only one example?

# %%
rate = slider("learning rate η", 0.0, 6.0, 0.5, 0.1)
explore(views.step, rate=rate, came=choice("the word that came", lesson["words"], "feeds"))

# %% [markdown]
# **Try** *ponies* as the next word. Why does the same learning rate now change more?

# %%
for number, came in enumerate(lesson["words"]):
    before, after, loss, then = views.one_step(0.5, came)
    print(
        f"{came:8} surprise {loss:.3f} -> {then:.3f} nats, its probability {before[number]:.3f} -> {after[number]:.3f}"
    )

# %% [markdown]
# ## A few sentences at a time
#
# Each blue point is the gradient of one minibatch, and the cross is that of all 10,000 sentences; all parameters are
# zero. How large must a minibatch be for nearly all points to lie close to the cross?

# %%
size = slider("sentences in a minibatch", 1, 256, 16, 1)
explore(views.minibatches, size=size)

# %% [markdown]
# **What do you expect**: if the minibatch is four times as large, by what is the scatter divided?

# %%
for many in (4, 16, 64, 256):
    cloud = views.data.minibatch_gradients(("the", "a"), many, 500)
    print(f"{many:4} sentences: mean {cloud[:, 0].mean():+.3f}, standard deviation {cloud[:, 0].std():.4f}")

# %% [markdown]
# ## Four optimisers in one bowl
#
# The bowl is the loss of two features, one active nearly always, one rarely. Choose an optimiser, and multiply its
# usual learning rate.

# %%
kind = choice("optimiser", list(views.data.RATES), "sgd")
factor = slider("its learning rate times", 0.1, 8.0, 1.0, 0.1)
steps = slider("steps", 1, 60, 20, 1)
explore(views.walk, kind=kind, factor=factor, steps=steps)

# %% [markdown]
# **Try** to reach the dashed line with each of the four in as few steps as you can. Here are all four at a twentieth,
# once and five times their usual rates, after 20 steps:

# %%
for name, usual in views.data.RATES.items():
    print(f"{name:9}", [float(views.data.walk(name, usual * times, 20).losses[-1].round(3)) for times in (0.05, 1, 5)])

# %% [markdown]
# How long is a first step? Two parameters, one with a large gradient and one with a small one, for each optimiser at
# the learning rate 0.1. For which optimiser does the size of the gradient hardly matter?

# %%
for name, move in lesson["moves"].items():
    print(f"{name:9}", move[0].round(4))

# %% [markdown]
# On the village, with more features and 10,000 sentences, the learning rates were compared as well. The right half
# shows the recorded results.

# %%
from book.figures.ch02 import learning_rates

show(learning_rates())

# %% [markdown]
# ## A trained model
#
# Twelve hundred sentences, two epochs, four templates of features: the last word, the one before, the cluster of the
# last word, and the bag of all words so far. This takes some seconds. In the code, `W` is transposed: it has a row for
# each feature and a column for each word (in the lesson's equations, a feature is a column).

# %%
model, text, meters = views.trained()
print(model.name)
print("W", model.W.shape, " b", model.b.shape)
print(
    "perplexity on train while learning:", [round(float(np.exp(meter.loss / meter.predictions)), 1) for meter in meters]
)

# %% [markdown]
# Which features are active after *the hen of mira*? The bag has one for each word.

# %%
active = model.features.active(np.array([[0, *text.vocab.encode("the hen of mira".split())]]).T)
ids = active.ids[-1, 0][active.values[-1, 0] > 0]
for name, start, end in zip(model.features.names, model.features.offsets, model.features.offsets[1:], strict=False):
    print(name, [int(feature - start) for feature in ids if start <= feature < end])

# %% [markdown]
# Words in one cluster have similar neighbours. Look at some clusters: what do their words have in common?

# %%
for word in ("hen", "mira", "until", "barley"):
    same = np.flatnonzero(model.features.classes == model.features.classes[text.vocab.ids[word]])
    print(f"{word}:", " ".join(text.vocab.words[number] for number in same[:12]))

# %% [markdown]
# ## Features on and off
#
# On the left the votes for each word stack up to its score; on the right the softmax of the scores is shown beside
# the grammar's own probabilities. Switch parts off one by one. (The model was trained with all of them, so without
# one of them it is not the best model that the others allow.)

# %%
history = words("history", "the hen that belongs to dora waits until")
switches = {name: switch(name) for name in views.PARTS}
explore(views.features, history=history, **switches)

# %% [markdown]
# **What do you expect** of the base scores alone? They do not depend on the history, so every history gets the same
# prediction.

# %%
show(views.features("the hen that belongs to dora waits until", True, False, False, False, False))

# %% [markdown]
# The base scores and the bag. The bag encodes which words have occurred, but not where.

# %%
show(views.features("the hen that belongs to dora waits until", True, False, False, False, True))

# %% [markdown]
# **Try** histories for which one part is enough, and one for which no part helps: `now and`, `mira reads the`, `the
# miller offers`.

# %%
for history in ("now and", "mira reads the", "the miller offers"):
    show(views.features(history, True, True, True, True, True))

# %% [markdown]
# A bag ignores word order: without the other templates, both histories have the same probabilities, to the last
# digit.

# %%
probs = views.probs("the hen follows mira", ("b", "bag"))
other = views.probs("mira follows the hen", ("b", "bag"))
print("largest difference:", np.abs(probs - other).max())

# %% [markdown]
# How much does each template matter on new text? The perplexity on 100 sentences of dev, leaving out one template at
# a time:

# %%
from common.evaluation.perplexity import evaluate

whole = evaluate(model, text.dev[:100], "token").perplexity
W_before = model.W.copy()
for name, start, end in zip(model.features.names, model.features.offsets, model.features.offsets[1:], strict=False):
    model.W[start:end] = 0
    print(f"without {name:7} {evaluate(model, text.dev[:100], 'token').perplexity:8.1f}   (all: {whole:.1f})")
    model.W[:] = W_before

# %% [markdown]
# ## What no sum can express
#
# Farmers eat steak and grow hay; cows eat hay and grow neither. Four votes, for hay and against steak: two for who is
# acting, two for what is done. Make the orange bars as high as the green ones.

# %%
votes = {name: slider(name, -4.0, 4.0, 0.0, 0.1) for name in (*views.EATERS, *views.VERBS)}
explore(views.sums, **votes)

# %% [markdown]
# **Try** for a few minutes, and write down your lowest loss. Then let the computer try many settings of the four
# votes:

# %%
draws = np.random.default_rng(1).normal(size=(20_000, 4)) * 2
losses = [views.sums_loss(*draw)[1] for draw in draws]
print("lowest loss found:", round(min(losses), 4), "nats at", draws[int(np.argmin(losses))].round(2))

# %% [markdown]
# The lesson proves that no setting reaches the green bars. Which two pairs of bars have the same sum of scores,
# whatever the votes?
