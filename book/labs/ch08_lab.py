# %% [markdown]
# # Lab 8: attention and alignment
#
# An hour with the attentional model of [lesson 8](../../chapters/08_attention/README.md). You train a small one, and
# compare its attention with the true alignment: soft, made hard, and made local. Then two more models are trained
# with hard and with local attention.

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
from book.labs.views import ch08 as views, small
from chapters.attention.model import AttentionalModel
from common.evaluation.metrics import bleu
from common.search.searches import translate
from common.search.translation import evaluate_pairs
from common.text.alignment import links_of, of_aligned_words
from common.text.pairs import load_pairs, make_pair_batches
from common.training.start_bias import log_frequencies

# %% [markdown]
# ## Pairs and their links
#
# Sources of at most 9 words and twelve people, as in lab 7. Each pair has its true alignment: the grammar that
# generated both sentences records which source word each target word translates.

# %%
people = small.pairs_people(6)
print("people:", ", ".join(sorted(set(people.values()))))
corpus = load_pairs("village_pairs")
train = small.short_pairs(corpus, "train", people, longest=9).first(3000)
dev = small.short_pairs(corpus, "dev", people, longest=9).first(120)
pair, links = dev.pairs[0], dev.links[0]
print(" ".join(pair.source))
for j, word in enumerate(pair.target):
    print(f"{word:10}", [pair.source[i] for i, other in sorted(links) if other == j])

# %% [markdown]
# *What do you expect?* Attention makes one link for each target word. Can all its links on this pair be true?

# %%
true_links = sum(len(links) for links in dev.links)
all_links = sum(len(pair.target) for pair in dev.pairs)
without = sum(len(pair.target) - len({j for _, j in links}) for pair, links in zip(*dev, strict=True))
print(f"{true_links} true links; attention makes {all_links}, {without} of them for words without an aligned word")
print(f"lowest possible error rate: {1 - 2 * (all_links - without) / (all_links + true_links):.3f}")

# %% [markdown]
# ## The model
#
# The model has 48 units, the bilinear score, and a little dropout.

# %%
data = small.Encoded.of(train.pairs)


def make(kind):
    frequencies = log_frequencies(data.targets, len(data.vocab))
    options = {"hidden_size": 48, "score": "bilinear", "attention": kind, "dropout": 0.1}
    return AttentionalModel(data.source_vocab, data.vocab, frequencies, **options)


soft = make("soft")
print(soft.name)

# %% [markdown]
# The source is one vector for each word, its annotation. Compare with lab 7, where it was a state and a cell for the
# whole sentence.

# %%
dy.renew_cg()
state = soft.encode([data.source_vocab.encode(pair.source)])
print(len(pair.source), "source words")
print("annotations", state.source.annotations.dim(), "keys", state.source.keys.dim())

# %% [markdown]
# *What do you expect?* What does the map of an untrained model look like? Green frames are true links; a red cross is
# a link that attention makes (the largest weight of its row) and that is not true.

# %%
NUMBER = 2
pair, links = dev.pairs[NUMBER], dev.links[NUMBER]
show(views.maps({"untrained": views.attended(soft, [pair])[0]}, pair, links))

# %% [markdown]
# Three epochs of 3,000 pairs, which take a few seconds. The model is not given any links: it learns them from the
# words alone.


# %%
def batches_of(number):
    return lambda rng: make_pair_batches(data.sources[:number], data.targets[:number], 8, rng)


history = small.fit(soft, batches_of(3000), epochs=3, rate=0.02)
print("train", [round(perplexity, 2) for perplexity in history])
print(f"dev   {evaluate_pairs(soft, dev.pairs, 'token').perplexity:.2f}")

# %% [markdown]
# Its attention on all of dev while it reads the references, and how good the links are. `aligned` leaves out the
# target words that translate nothing.

# %%
attention = views.attended(soft, dev.pairs)
links_made = [links_of(rows) for rows in attention]
print("all    ", views.error_line(links_made, dev.links))
print("aligned", views.error_line(of_aligned_words(links_made, dev.links), dev.links))

# %% [markdown]
# ## Attention against the truth
#
# Pick a pair. All scores are multiplied by the number before the softmax: 1 gives the model's own attention, and 0
# spreads it evenly.


# %%
def one_pair(number, sharpness):
    rows = attention[number]
    matrices = {"soft": rows, f"scores times {sharpness:g}": views.sharpened(rows, sharpness)}
    return views.maps(matrices, dev.pairs[number], dev.links[number])


explore(one_pair, number=slider("pair of dev", 0, 119, 2, 1), sharpness=slider("scores times", 0.0, 4.0, 0.5, 0.25))

# %% [markdown]
# **Try** to change the links by moving the second slider (not to 0). Why can you not? What happens to the error rate?

# %% [markdown]
# Which target words are linked wrongly most often? Count them over dev.

# %%
from collections import Counter

wrong, all_of = Counter(), Counter()
for pair, mine, true in zip(dev.pairs, links_made, dev.links, strict=True):
    all_of.update(pair.target)
    wrong.update(pair.target[j] for _, j in mine - true)
for word, number in wrong.most_common(8):
    print(f"{word:8} {number} of {all_of[word]}")

# %% [markdown]
# Most of them are particles. *na* translates nothing in English, so every link that attention makes for it is wrong.

# %% [markdown]
# ## Soft, hard, local
#
# One step of the decoder, with its scores turned into weights in three ways. Hard: all weight on the largest score.
# Local: a softmax over a window of words less than D away from a place, times a bell-shaped curve (orange).
#
# *What do you expect?* The local weights do not sum to one. When is their sum largest?

# %%
explore(
    lambda number, step, place, window: views.three_ways(attention[number], dev.pairs[number], step, place, window),
    number=slider("pair of dev", 0, 119, 2, 1),
    step=slider("step", 1, 8, 2, 1),
    place=slider("place", 1.0, 9.0, 3.5, 0.25),
    window=slider("window D", 1, 4, 2, 1),
)

# %% [markdown]
# All steps of a pair in the same three ways. Here, the place of each step is the word with its largest weight, so
# only the width of the window remains to be chosen.


# %%
def three_maps(number, window):
    rows = attention[number]
    local, _ = views.made_local(rows, rows.argmax(axis=1) + 1.0, window)
    matrices = {"soft": rows, "hard": views.made_hard(rows), f"local, D = {window}": local}
    return views.maps(matrices, dev.pairs[number], dev.links[number])


explore(three_maps, number=slider("pair of dev", 0, 119, 2, 1), window=slider("window D", 1, 4, 2, 1))

# %% [markdown]
# The three maps have the same links. What differs is what the decoder reads. So we now let the decoder read them: two
# more models, with hard and with local attention, start from the parameters of the soft one. (The local one also has
# a new network for the place.)
#
# *What do you expect?* Which one loses more before any further training?

# %%
models = {"soft": soft, "hard": make("hard"), "local": make("local")}
for kind in ("hard", "local"):
    views.same_start(soft, models[kind])
for kind, model in models.items():
    print(f"{kind:6} dev {evaluate_pairs(model, dev.pairs, 'token').perplexity:6.2f}")

# %% [markdown]
# One epoch on 1,000 of the pairs lets each adapt to its attention.

# %%
for kind in ("hard", "local"):
    small.fit(models[kind], batches_of(1000), epochs=1, rate=0.005)
    print(f"{kind:6} dev {evaluate_pairs(models[kind], dev.pairs, 'token').perplexity:6.2f}")

# %% [markdown]
# Now the maps of three models. Rows of hard attention have a single black cell; rows of local attention may sum to
# less than one.

# %%
weights = {kind: views.attended(model, dev.pairs) for kind, model in models.items()}


def models_on(number):
    return views.maps({kind: rows[number] for kind, rows in weights.items()}, dev.pairs[number], dev.links[number])


explore(models_on, number=slider("pair of dev", 0, 119, 2, 1))

# %% [markdown]
# Their error rates, the sum of an average row, and BLEU. With one seed and small models, this is not a ranking.

# %%
references = [pair.target for pair in dev.pairs]
for kind, rows in weights.items():
    some = [hypotheses[0].words for hypotheses in translate(models[kind], [pair.source for pair in dev.pairs])]
    total = np.mean([row.sum() for matrix in rows for row in matrix])
    line = views.error_line([links_of(matrix) for matrix in rows], dev.links)
    print(f"{kind:6} {line}   sum {total:.2f}   BLEU {bleu(some, references).value:.1f}")

# %% [markdown]
# **Try** to make the window wider: add `"window": 5` to `options` in `make` (for the local model only), and rerun
# from there.

# %% [markdown]
# ## One link for each word?
#
# Instead of the largest weight of each row, let every weight above a threshold be a link. A low threshold finds
# more true links, and more false ones.
#
# *What do you expect?* Where is the error rate lowest, and is it lower there than with the largest weight?

# %%
explore(
    lambda kind, threshold: views.thresholds(weights[kind], dev.links, threshold),
    kind=choice("attention", ["soft", "local", "hard"]),
    threshold=slider("a link for every weight above", 0.02, 0.98, 0.4, 0.02),
)

# %% [markdown]
# ## Prior knowledge, added by hand
#
# Words roughly keep their order: subtract $\eta$ times the distance from the diagonal from the scores of the
# *trained* model. In [part 3](../../chapters/08_attention/PART3.md#priors-on-attention), such a bias is learnt together
# with everything else; here it comes too late for the model, but not for the links.

# %%
pace = sum(map(len, data.sources)) / sum(map(len, data.targets))
for strength in (0.0, 0.1, 0.3, 1.0, 3.0):
    moved = [links_of(views.biased(rows, strength, pace)) for rows in attention]
    print(f"eta {strength:3}: {views.error_line(moved, dev.links)}")

# %% [markdown]
# The same for one pair. **Try** to find a pair that a small bias improves, and one that it spoils.

# %%
explore(
    lambda number, eta: views.maps(
        {"soft": attention[number], f"eta = {eta:g}": views.biased(attention[number], eta, pace)},
        dev.pairs[number],
        dev.links[number],
    ),
    number=slider("pair of dev", 0, 119, 2, 1),
    eta=slider("eta", 0.0, 5.0, 0.5, 0.1),
)

# %% [markdown]
# ## Padding
#
# Two sources of different lengths in one batch. The weights of the padding are exactly zero, so its content cannot
# matter.

# %%
two = [dev.pairs[2], min(dev.pairs, key=lambda pair: len(pair.source))]
dy.renew_cg()
state = soft.encode([data.source_vocab.encode(pair.source) for pair in two])
state, _ = soft.advance(state, [0, 0])
print(np.round(state.attention, 3))

# %% [markdown]
# ## Your own sentence
#
# A translation by greedy search. Each line: a target word, the source word with the largest weight, and that weight.
# In the last line, every `<unk>` is replaced with the source word that it attended to.

# %%
explore(lambda text: views.translated(soft, text), text=words("your sentence", "the pony of orlika is hungry ."))

# %% [markdown]
# **Try** another name of the twelve, then a noun that the model has never read, as in *the wombat of orlika*.

# %% [markdown]
# Where does the model write `<unk>`? Below are some translations of dev that contain one, then the same with the
# source word copied. *What do you expect?* Copying is right for names, but the twelve names of this lab are all in
# the vocabulary. What is copied here?

# %%
printed = 0
for pair in dev.pairs:
    lines = views.translated(soft, " ".join(pair.source)).split("\n")
    if "<unk>" in lines[0] and printed < 4:
        printed += 1
        print(" ".join(pair.target), "\n   ", lines[0], "\n   ", lines[-1])

# %% [markdown]
# ## The models of the lesson
#
# 128 units, all pairs: the pair whose error rate the lesson computes, and the effect of two of part 3's priors on
# another one.

# %%
from book.figures import ch08 as lesson

show(lesson.error_rate_by_hand(), lesson.what_a_prior_does())
