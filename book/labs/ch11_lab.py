# %% [markdown]
# # Lab 11: a Transformer taken apart
#
# An hour with the model of [lesson 11](../../chapters/11_transformer/README.md). You train two small Transformers,
# one with sinusoidal positions and one without positions. Then you remove their heads one by one, exchange positions,
# and leave out the root. At the end, you do the same with the heads of a small translator.

# %% [markdown]
# The first cell finds the course, or fetches it on a hosted notebook service, and sets it up.

# %%
from book.labs.notebook import begin

begin()

# %% [markdown]
# What the lab uses. The model is the chapter's own; `views` and `by_hand` have the pictures, `small` the data and the
# training.

# %%
import dynet as dy
import numpy as np

from book.labs.notebook import choice, explore, show, slider, switch, words
from book.labs.views import ch11 as views, ch11_by_hand as by_hand, small
from chapters.transformer.model import TransformerLM
from common.search.sampling import sample
from common.text.batching import make_batches
from common.text.corpus import load_corpus
from common.text.vocab import Vocabulary
from common.training.start_bias import log_frequencies

# %% [markdown]
# ## Positions turn
#
# Each pair of numbers of a sinusoidal position is a point on a circle. Blue: a position. Orange: the position some
# words later.
#
# *What do you expect?* Change the position and keep the distance. Which of the angles between blue and orange change?

# %%
explore(by_hand.turned, position=slider("position", 0, 30, 0, 1), distance=slider("words later", 0, 20, 1, 1))

# %% [markdown]
# **Try** to find a distance at which pair 1 is back where it started, or nearly so. Where are the other pairs then?

# %% [markdown]
# ## The root
#
# Ten random keys and a random query. The scores are divided by the size of the vectors to some power: 0 leaves out
# the root, 0.5 is the root of the scaled dot product.
#
# *What do you expect?* Go through some draws at power 0. For which sizes does a single key usually get more than 0.9
# of the weight?

# %%
explore(
    by_hand.random_keys,
    size=choice("numbers of a key", [4, 16, 64, 256], 256),
    power=slider("power", 0.0, 1.0, 0.0, 0.05),
    draw=slider("draw", 1, 20, 1, 1),
)

# %% [markdown]
# **Try** power 1. Why would that be a bad start, too?

# %% [markdown]
# ## One head for two jobs
#
# The lesson's two heads in "orlek sees floran by", and one head that adds their scores, each multiplied by a number.
#
# *What do you expect?* Which setting comes nearest to both jobs: most of the weight on the word before, and still a
# good share on *orlek*?

# %%
explore(
    by_hand.two_jobs,
    first=slider("the word before, times", 0.0, 2.0, 1.0, 0.05),
    second=slider("names, times", 0.0, 2.0, 1.0, 0.05),
)

# %% [markdown]
# ## A village of six people
#
# As in [lab 6](../../book/labs/ch06_lab.py): three women and three men share the names of the village, and each
# sentence has at most 13 words and a repeated name.

# %%
people = small.village_people(3)
corpus = load_corpus("village")
train = small.with_returns(corpus.train, people, longest=13)
dev = small.with_returns(corpus.dev, people, longest=13)
names = sorted(set(people.values()))
vocab = Vocabulary.from_sentences(train, min_count=2)
ids = [vocab.encode(sentence) for sentence in train]
print(len(train), "sentences to train on,", len(dev), "to look at,", len(vocab), "words")

# %% [markdown]
# ## Is it a bag of words?
#
# Two models without positions and without training. We read one sentence, then the same words in another order, but
# with the same last word, and compare P(next word).
#
# *What do you expect?* Which prediction depends on the order: that of one block, that of two, or both?

# %%
MINE = "the cats that belong to mira wait until mira launches the raft ."
*before, last = MINE.split()
other = " ".join([*reversed(before), last])
frequencies = log_frequencies(ids, len(vocab))
for layers in (1, 2):
    untrained = TransformerLM(vocab, frequencies, positions="none", layers=layers, hidden_size=48, init_scale=0.2)
    forwards, backwards = (views.look(untrained, text).distributions[-1] for text in (MINE, other))
    print(f"{layers} block(s): P(next word) moves by up to {np.abs(forwards - backwards).max():.1e}")

# %% [markdown]
# In a second block, a position reads vectors that already depend on the words before them, because of the causal
# mask. In the first, it reads only words.

# %% [markdown]
# ## Two models
#
# Two blocks of four heads each, 48 numbers. They differ only in their positions.

# %%
options = {"hidden_size": 48, "init_scale": 0.2, "dropout": 0.0}
models = {name: TransformerLM(vocab, frequencies, positions=name, **options) for name in ("sinusoidal", "none")}
for model in models.values():
    print(model.name)

# %% [markdown]
# One batch, all steps at once: a query, a key and a value for each position of each sentence.

# %%
batch = make_batches(ids, 8)[60]
block = models["sinusoidal"].blocks[0]
dy.renew_cg()
queries, past = block.attention.read(dy.inputTensor(np.zeros((48, len(batch.inputs), 8)), batched=True), None)
print("words", batch.inputs.shape, "queries", queries.dim(), "keys", past.keys.dim(), "values", past.values.dim())
print("a head has", block.attention.head_size, "rows of each")

# %% [markdown]
# *What do you expect?* Before training, how evenly does the last of fourteen steps spread its weight?

# %%
weights = views.look(models["sinusoidal"], MINE).weights[:, :, -1]
print("evenly each word would get", round(1 / 14, 3))
print("the largest weight of each head, a row for each block:")
print(np.round(weights.max(axis=-1), 3))

# %% [markdown]
# Now we train them, a few seconds for each. The perplexity is measured on train, while the model still changes.

# %%
for name, model in models.items():
    history = small.fit(model, lambda rng: make_batches(ids, 8, rng), epochs=8, rate=0.005)
    print(f"{name:10}", " ".join(f"{perplexity:6.2f}" for perplexity in history))

# %% [markdown]
# The mean surprise on dev, in nats. A uniform choice among six names would cost log 6 = 1.79.

# %%
for name, model in models.items():
    cost = views.costs(model, dev, names)
    print(f"{name:10} names that come back {cost.returns:.2f}, all other predictions {cost.others:.2f}")

# %% [markdown]
# Even without positions, a model with two blocks recalls names: a name is a matter of *which* word, not of *where*.
# One seed and very small data show nothing about which model is better; RESULTS.md of the chapter has the results for
# the village.

# %% [markdown]
# ## What heads attend to
#
# All heads for a sentence of your own. Darker is more; a row for each predicted word.

# %%
explore(
    lambda text, name: views.maps(models[name], text),
    text=words("your sentence", MINE),
    name=choice("model", list(models)),
)

# %% [markdown]
# **Try** `orlika greets miran outside the cellar , and orlika lends miran kettles .` Is there a head that attends to
# a name wherever one has been read? (For a word that the models have never read, a one-line message appears.)

# %% [markdown]
# At repeated names in dev: the mean weight of each head on that name, on `<s>`, and on the word read last. A
# row for each block.

# %%
model = models["sinusoidal"]
for kind, weights in views.at_returns(model, dev, names).items():
    print(kind)
    print(np.round(weights, 2))

# %% [markdown]
# ## Remove the heads
#
# A head is removed by setting the columns of $W_o$ that read it to zero; nothing is retrained. Take out any of the
# eight. After *until* the sentence needs *mira*.
#
# *What do you expect?* How many heads can be removed before *mira* is no longer the most probable next word?

# %%
heads = views.heads_of(model)
explore(
    lambda step, **on: views.at_step(model, MINE, step, without=[heads[name] for name in heads if not on[name]]),
    step=slider("step", 1, 14, 9, 1),
    **{name: switch(name) for name in heads},
)

# %% [markdown]
# Each head is removed on its own, on all of dev.
#
# *What do you expect?* Is the head with the most weight on the name the one that is missed most?

# %%
missing = views.each_without(model, lambda: views.costs(model, dev, names))
for name, cost in missing.items():
    print(f"without {name}: names that come back {cost.returns:.2f}, others {cost.others:.2f}")

# %% [markdown]
# One after another: each time we remove the head whose absence raises the cost of repeated names least.

# %%
for name, cost in views.pull_out(model, lambda: views.costs(model, dev, names)):
    print(f"{name} goes: names that come back {cost.returns:.2f}, others {cost.others:.2f}")

# %% [markdown]
# Several heads can be removed at little cost, and with the last one, recall is lost. A head that is not missed on its
# own may be missed after another is gone: two heads can do the same job.
#
# **Try** the two cells with `models["none"]`. Is the job of recall in one head, or shared?

# %% [markdown]
# ## Other positions
#
# The words stay, but two steps exchange their positions. Grey: the surprise at each word as it was.
#
# *What do you expect?* Exchange the positions of *mira* (6) and *wait* (7). Is the second *mira* still predicted?

# %%
explore(
    lambda text, first, second: views.surprises(model, text, order=views.swapped(len(text.split()) + 1, first, second)),
    text=words("your sentence", MINE),
    first=slider("position", 0, 13, 6, 1),
    second=slider("exchanged with position", 0, 13, 7, 1),
)

# %% [markdown]
# Five other orders for all of dev. A shift changes no distance, and so no dot product of two positions.
#
# *What do you expect?* Which costs more: shifting all positions by ten, or giving all words position 0?

# %%
orders = {
    "as trained": range(14), "shifted by 1": range(1, 15), "shifted by 10": range(10, 24),
    "reversed": range(13, -1, -1), "all at position 0": [0] * 14,
    "in random order": np.random.default_rng(1).permutation(14).tolist(),
}  # fmt: skip
for name, order in orders.items():
    with views.changed(model, order=order):
        cost = views.costs(model, dev, names)
    print(f"{name:18} names that come back {cost.returns:.2f}, others {cost.others:.2f}")

# %% [markdown]
# The dot products of positions alone do not change with a shift. But a score is a product of queries and keys, each
# computed from a word plus its position, and the model has been trained at positions 0 to 13 only. Rotary positions
# rotate the queries and keys themselves, so that a score depends on positions only through their distance.
#
# **Try** to train a third model, `TransformerLM(vocab, frequencies, positions="rotary", **options)`. What do repeated
# names cost it?

# %% [markdown]
# ## Without the root
#
# The scores of the trained model are multiplied by a number; $\sqrt{12}$ = 3.46 undoes the root, as a head has 12
# numbers. At 0 every head averages evenly.
#
# *What do you expect?* Which is worse for *mira*: scores times 0, or scores without the root?

# %%
explore(
    lambda text, step, sharpness: views.at_step(model, text, step, sharpness=sharpness),
    text=words("your sentence", MINE),
    step=slider("step", 1, 14, 9, 1),
    sharpness=slider("scores times", 0.0, 8.0, 3.5, 0.25),
)

# %% [markdown]
# All of dev, at some values of this number.

# %%
for sharpness in (0, 0.25, 0.5, 1, 2, 12**0.5, 8):
    with views.changed(model, sharpness=sharpness):
        cost = views.costs(model, dev, names)
    print(f"scores times {sharpness:4.2f}: names that come back {cost.returns:.2f}, others {cost.others:.2f}")

# %% [markdown]
# After training, the weights are already sharp, and sharpening them further costs little. The root matters at the
# start: where all weights are near 0 or 1, the scores have next to no gradient.
#
# **Try** to start with large scores: make a new model, call `matrix.set_value(20 * matrix.as_array())` for the `W_q` of
# both blocks (`block.attention.W_q`), and train it. How far does it get in eight epochs?

# %% [markdown]
# ## The cache
#
# Word by word with the cache of the model, and all steps at once: do they agree? And how many numbers are kept?

# %%
passage, state = views.look(model, MINE), model.start(1)
largest = 0.0
for step, word in enumerate([vocab.boundary, *vocab.encode(MINE.split())]):
    state, log_probs = model.advance(state, [word])
    largest = max(largest, np.abs(np.exp(log_probs[0]) - passage.distributions[step]).max())
    if step in (0, 6, 13):
        numbers = sum(np.prod(part.dim()[0]) for past in state for part in past)
        print(f"after {step + 1:2} steps: {numbers} numbers in the cache")
print(f"largest difference of a probability: {largest:.1e}")

# %% [markdown]
# Sentences of their own. Count the names: does the second name in a sentence fit the first?

# %%
for name, model_of_name in models.items():
    print(name)
    for hypothesis in sample(model_of_name, 5, np.random.default_rng(3), 16):
        print("   ", " ".join(hypothesis.words))

# %% [markdown]
# The same random numbers, without the head that matters most for repeated names.

# %%
most_missed = max(missing, key=lambda name: missing[name].returns)
print("without", most_missed)
with views.changed(model, without=[heads[most_missed]]):
    for hypothesis in sample(model, 5, np.random.default_rng(3), 16):
        print("   ", " ".join(hypothesis.words))

# %% [markdown]
# **Try** the head that matters least, or two heads at once.

# %% [markdown]
# ## The heads of a translator
#
# The model of [part 2](../../chapters/11_transformer/PART2.md), with two blocks of four heads on either side and 64
# numbers. The pairs have sources of at most nine words and twelve people, as in [lab 8](../../book/labs/ch08_lab.py).

# %%
from book.labs.views.ch08 import translated
from chapters.transformer.translator import TransformerTranslator
from common.evaluation.metrics import bleu
from common.search.searches import translate
from common.search.translation import evaluate_pairs
from common.text.pairs import load_pairs, make_pair_batches

newcomers, pairs = small.pairs_people(6), load_pairs("village_pairs")
train_pairs, dev_pairs = (small.short_pairs(pairs, split, newcomers, longest=9) for split in ("train", "dev"))
dev_pairs, data = dev_pairs.first(120), small.Encoded.of(train_pairs.first(3000).pairs)
bias = log_frequencies(data.targets, len(data.vocab))
translator = TransformerTranslator(data.source_vocab, data.vocab, bias, hidden_size=64, dropout=0.1)
print(translator.name)

# %% [markdown]
# The longest cell of this lab: six epochs, ten seconds or more. Perplexity and BLEU on dev are those of a model that is
# far from its best.


# %%
def perplexity():
    return evaluate_pairs(translator, dev_pairs.pairs, "token").perplexity


def quality():
    hypotheses = [found[0].words for found in translate(translator, [pair.source for pair in dev_pairs.pairs])]
    return perplexity(), bleu(hypotheses, [pair.target for pair in dev_pairs.pairs]).value


small.fit(translator, lambda rng: make_pair_batches(data.sources, data.targets, 8, rng), epochs=6, rate=0.003)
print("perplexity {:.2f}, BLEU {:.1f}".format(*quality()))

# %% [markdown]
# Which heads align? The error rate of each head that attends to the source, over the target words that have an
# aligned word.
#
# *What do you expect?* Are the heads of one block better at it than those of the other?

# %%
for name, error in views.head_errors(translator, dev_pairs).items():
    print(f"{name}: alignment error {error:.0%}")

# %% [markdown]
# Each of these heads is removed on its own, as above: nothing that it reads from the source reaches the decoder.
#
# *What do you expect?* Is the head that aligns best the one that translation misses most?

# %%
for name, numbers in views.each_without(translator, quality).items():
    print("without {}: perplexity {:.2f}, BLEU {:.1f}".format(name, *numbers))

# %% [markdown]
# One after another: each time the head without which the perplexity is lowest.
#
# *What do you expect?* How many of the eight can be removed before the perplexity has doubled?

# %%
for name, value in views.pull_out(translator, perplexity):
    print(f"{name} goes: perplexity {value:.2f}")

# %% [markdown]
# Removed on its own, hardly any head is missed, since others attend to the same words; once those are gone, the last
# two are missed. Without the last head, the decoder reads nothing of the source: what remains is a language model of
# the target.
#
# A translation with some of the heads, word by word, with the source word that has the most weight by the mean of all
# heads.

# %%
of_source = views.heads_of(translator)


def with_heads(text, **on):
    with views.changed(translator, without=[head for name, head in of_source.items() if not on[name]]):
        return translated(translator, text)


source = words("a source", "tavin greets belil and lends him four carts .")
explore(with_heads, text=source, **{name: switch(name) for name in of_source})

# %% [markdown]
# **Try** to remove heads until a name is wrong but the order of the words is still right.

# %% [markdown]
# ## The models of the lesson
#
# They have 128 numbers and have read 10,000 sentences with 400 names. What was recorded: how many nats each of five
# models loses to the oracle, by what decides the word.

# %%
from book.figures import ch11 as lesson

show(lesson.what_each_part_gains())

# %% [markdown]
# *What do you expect?* With names from a list of 400 and one head instead of four, what do repeated names cost? (`bag`:
# one block, no positions; `post`: normalised after each addition; `no norm`: not normalised.)

# %%
from book.figures.recorded import recorded

for name, perplexities in recorded("11_transformer")["phenomena"]["recall"].items():
    if name != "predictions":
        print(f"{name:11} {np.log(np.mean(perplexities)):.2f} nats")

# %% [markdown]
# And the time that a word takes as sentences grow, in training and with the cache.

# %%
show(lesson.cost_of_length(), lesson.cache())
