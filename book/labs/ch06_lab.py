# %% [markdown]
# # Lab 6: attending to the past
#
# An hour with the attentive language model of [lesson 6](../../chapters/06_attentive_lm/README.md). Two small
# models are trained, one with the single score and one with the combined score. Then you look at what they attend
# to, and intervene: exchange the query, sharpen the weights, delete a state.

# %% [markdown]
# The first cell finds the course, or fetches it on a hosted notebook service, and sets it up.

# %%
from book.labs.notebook import begin

begin()

# %% [markdown]
# What the lab uses. The model is the chapter's own; `views` has the pictures, `small` the data and the training.

# %%

import dynet as dy
import numpy as np

from book.labs.notebook import choice, explore, show, slider, words
from book.labs.views import ch06 as views, small
from chapters.attentive_lm.model import AttentiveLM
from common.evaluation.perplexity import evaluate
from common.search.sampling import sample
from common.text.batching import make_batches
from common.text.corpus import load_corpus
from common.text.vocab import Vocabulary
from common.training.start_bias import log_frequencies

# %% [markdown]
# ## A village of six people
#
# The village of the lesson has 400 people, too many to learn in a few seconds. In this lab there are three women and
# three men: everybody else gets one of their names. We keep the sentences of at most 13 words in which a name is
# repeated.

# %%
people = small.village_people(3)
corpus = load_corpus("village")
train = small.with_returns(corpus.train, people, longest=13)
dev = small.with_returns(corpus.dev, people, longest=13)
names = sorted(set(people.values()))
print(len(people), "names became", ", ".join(names))
print(len(train), "sentences to train on,", len(dev), "to look at")

# %% [markdown]
# Here are some, with the repeated names in capitals. Judging from the words before, which of the six names fit?

# %%
for sentence in dev[:6]:
    back = small.returns(sentence, names)
    print(" ".join(word.upper() if place in back else word for place, word in enumerate(sentence)))

# %% [markdown]
# The vocabulary consists of the words seen at least twice. A batch contains sentences side by side, and every array
# in it is (time, batch).

# %%
vocab = Vocabulary.from_sentences(train, min_count=2)
ids = [vocab.encode(sentence) for sentence in train]
batches = make_batches(ids, 6)
print(len(vocab), "words,", len(batches), "batches")
print("inputs", batches[70].inputs.shape, "mask", batches[70].mask.shape)
print([vocab.words[word] for word in batches[70].inputs[:, 0]])

# %% [markdown]
# ## Two scores
#
# Two models that differ only in the score.

# %%
frequencies = log_frequencies(ids, len(vocab))
models = {
    score: AttentiveLM(vocab, frequencies, score=score, hidden_size=48, dropout=0.0) for score in ("single", "combined")
}
for model in models.values():
    print(model.name, {name: part.shape() for name, part in vars(model.score).items()})

# %% [markdown]
# Send one batch through both. The states have 48 numbers for each step of each of six sentences; the memory of a step
# contains the states before it.
#
# *What do you expect?* How many scores does a sentence of `T` steps need with the single score, and how many with
# the combined one?

# %%
for score, model in models.items():
    dy.renew_cg()
    states = model.states(batches[70].inputs)
    scores = model.score.scores(model.score.keys(states), states)
    print(f"{score:9} states {states.dim()}, scores {scores.dim()}, weights {model.weights(states).dim()}")

# %% [markdown]
# Both kinds result in a weight for each pair of steps, with a column for each step that attends. The columns sum to
# one, apart from the first, which has no past.

# %%
weights = models["combined"].attention(batches[70].inputs)[:, :, 0]
print(np.round(weights[:5, :5], 3))
print("sums of the columns:", np.round(weights.sum(axis=0), 4))

# %% [markdown]
# *What do you expect?* Before training all scores are near zero. What do the maps of the two models look like? (A
# row for each predicted word. Darker is more attention; what comes after the step is blue.)

# %%
MINE = "the cats that belong to mira wait until mira launches the raft ."
show(views.maps(models, MINE))

# %% [markdown]
# ## Training
#
# The loop is that of the chapter's `train.py`, without dev and files. Seven epochs for each model take a few seconds.
# The perplexity is measured on train, while the model still changes.

# %%
for score, model in models.items():
    history = small.fit(model, lambda rng: make_batches(ids, 6, rng), epochs=7, rate=0.03)
    print(f"{score:9}", " ".join(f"{perplexity:6.2f}" for perplexity in history))

# %% [markdown]
# Perplexity on dev. The data are very small, so both models have learnt some sentences by heart; and one seed shows
# nothing about which score is better: RESULTS.md of the chapter has several runs of each, on all of the village.

# %%
for score, model in models.items():
    result = evaluate(model, dev, "token")
    print(f"{score:9} {result.perplexity:.2f} on {result.predictions} predictions")

# %% [markdown]
# **Try** `epochs=3`: rerun from the cell that makes the models. Which of the two has learnt more by then?

# %% [markdown]
# ## A sentence of your own
#
# The same sentence after training, with the total log-probability that each model assigns to it.

# %%
explore(lambda text: views.maps(models, text), text=words("your sentence", MINE))

# %% [markdown]
# The map of the single score can only have stripes, since the score of a state never changes: from row to row its
# weight shrinks as the memory grows. The combined score chooses anew in each row.
#
# **Try** `orlika greets miran outside the cellar , and orlika lends miran kettles .` It repeats two names, each eight
# words after its last mention. Does either model find the right one? (For a word that the models have never read, a
# one-line message appears.)

# %% [markdown]
# One step at a time: the weights over the memory, and the probability that each model assigns to the next word.

# %%
explore(
    lambda text, step: views.one_step(models, text, step),
    text=words("your sentence", MINE),
    step=slider("step", 2, 14, 9, 1),
)

# %% [markdown]
# Which words of the sentence can be predicted at all? `log_probs` has the log-probabilities; here are the
# probabilities.

# %%
for score, model in models.items():
    seen = views.look(model, MINE)
    print(f"{score:9}", *(f"{w}:{np.exp(p):.2f}" for w, p in zip(seen.predicted, seen.log_probs, strict=True)))

# %% [markdown]
# ## Another query
#
# Keep the memory, but use the state of *another* step as the query. Grey: the step's own query. Coloured: the other
# one. ([Exercise 6.3](../../exercises/ch06_attentive_lm/scores.py) is the combined score.)
#
# *What do you expect?* In one of the two panels nothing will ever move. In which, and why?

# %%
explore(
    lambda text, step, query: views.exchanged_query(models, text, step, query),
    text=words("your sentence", MINE),
    step=slider("step", 2, 14, 9, 1),
    query=slider("step whose state is the query", 2, 14, 4, 1),
)

# %% [markdown]
# How far do the weights of step 9 move? The largest change with any of the states of steps 2 to 8 as the query:

# %%
for score, model in models.items():
    seen, most = views.look(model, MINE), 0.0
    for query in range(2, 9):
        moved = views.weights_at(model, seen, 9, query) - views.weights_at(model, seen, 9)
        most = max(most, np.abs(moved).max())
    print(f"{score:9} {most:.6f}")

# %% [markdown]
# ## Is a dark square a reason?
#
# A large weight need not have a large influence. So remove it: the states that have just read a chosen word are deleted
# from the memory, the softmax distributes their weight among the others, and the merge continues from there. Grey
# bars: the model's own distribution. Orange: after forgetting.
#
# *What do you expect?* After *wait until*, which word must be forgotten to lose *mira*? And what happens if `<s>` is
# forgotten?

# %%
forget = choice("forget", ["mira", "<s>", "the", "cats", "that", "belong", "to", "wait"])
explore(
    lambda text, step, word: views.forgetting(models["combined"], text, step, word),
    text=words("your sentence", MINE),
    step=slider("step", 2, 14, 9, 1),
    word=forget,
)

# %% [markdown]
# The same for each word of the memory in turn: how probable is *mira* when it is gone?

# %%
model, step = models["combined"], 9
seen = views.look(model, MINE)
for place in range(1, step):
    left = views.weights_at(model, seen, step, forgotten=[place])
    probability = views.next_words(model, seen, step, left)[vocab.ids["mira"]]
    weight = seen.weights[step - 1, place - 1]
    print(f"{seen.read[place - 1]:8} weight {weight:.3f}   without it P(mira) = {probability:.3f}")

# %% [markdown]
# A large weight, and yet most of the probability stays. The name occurred three words ago, so the current state still
# encodes it, and the merge reads that state as well as the context.
#
# **Try** the same cell with `model = models["single"]`. Does the state with the largest weight matter most there,
# too?

# %% [markdown]
# ## Sharper or flatter
#
# Multiply all scores by a number before the softmax. At 0, all states count equally; at 1, it is the model's own
# attention; at 10, almost only the best state is left.
#
# *What do you expect?* At which number is *mira* most probable?

# %%
explore(
    lambda text, step, sharpness: views.sharpened(models["combined"], text, step, sharpness),
    text=words("your sentence", MINE),
    step=slider("step", 2, 14, 9, 1),
    sharpness=slider("scores times", 0.0, 10.0, 0.0, 0.25),
)

# %% [markdown]
# The repeated names in the first 40 sentences of dev (without sentences that have unknown words), at some values of
# this number: the mean surprise of the repeated name, in nats.

# %%
model = models["combined"]
for sharpness in (0.0, 0.5, 1.0, 2.0, 4.0):
    costs = []
    for sentence in (line for line in dev[:40] if all(word in vocab for word in line)):
        seen = views.look(model, " ".join(sentence))
        for place in small.returns(sentence, names):
            sharp = views.weights_at(model, seen, place + 1, sharpness=sharpness)
            costs.append(-np.log(views.next_words(model, seen, place + 1, sharp)[vocab.ids[sentence[place]]]))
    print(f"scores times {sharpness:3}: {np.mean(costs):.2f} nats")

# %% [markdown]
# ## How far back?
#
# Repeated names in dev by their distance from the last mention: the mean surprise in nats, and the mean weight on the
# states that have just read that name.

# %%
recurrences = {score: views.returned(model, dev, names) for score, model in models.items()}
print(views.by_distance(recurrences, (3, 6, 9, 12)))

# %% [markdown]
# The models of the lesson have 128 units and have read 10,000 sentences with 400 names. Their weights for one
# sentence were recorded, and so was the cost of repeated names by distance, over five seeds.

# %%
from book.figures import ch06 as lesson

show(lesson.attention_over_the_past(), lesson.recall_by_distance())

# %% [markdown]
# And the kinds of states on which their weight rests:

# %%
show(lesson.where_the_weight_goes())

# %% [markdown]
# ## No step sees the future
#
# In training, all steps of a sentence are computed at once. If its last words change, no prediction before them may
# change.

# %%
other = MINE.rsplit(" ", 3)[0] + " the goat ."
for score, model in models.items():
    first, second = views.look(model, MINE), views.look(model, other)
    same = next(n for n, pair in enumerate(zip(first.read, second.read, strict=False)) if pair[0] != pair[1])
    change = np.abs(first.weights[:same, :same] - second.weights[:same, :same]).max()
    print(f"{score:9} the first {same} steps: weights move by {change:.1e}")

# %% [markdown]
# **Try** a change of the *first* word instead. From which step on does the map change?

# %% [markdown]
# ## Sentences of their own
#
# Sentences drawn from either model. Count the names: does the second name in a sentence fit the first?

# %%
for score, model in models.items():
    print(score)
    for hypothesis in sample(model, 5, np.random.default_rng(3), 16):
        print("   ", " ".join(hypothesis.words))

# %% [markdown]
# ## Reading a perplexity with suspicion
#
# [Part 3](../../chapters/06_attentive_lm/PART3.md) of the lesson discusses what a published perplexity includes. Here
# are both accountings for the same two models: every prediction, and the published one, which leaves out the cost of
# first words, but counts them in the divisor.

# %%
for score, model in models.items():
    result = evaluate(model, dev, "token")
    print(f"{score:9} honest {result.perplexity:6.2f}   as published {result.salton2017_perplexity:6.2f}")

# %% [markdown]
# **Try** six women and six men (`village_people(6)`), with the same number of epochs. There are twelve names then,
# each seen half as often: what happens to the weight on the repeated name, and to the gap between the two scores?
