# %% [markdown]
# # Lab 7: searching for a translation
#
# An hour with the encoder-decoder of [lesson 7](../../chapters/07_encoder_decoder/README.md). You train a small one.
# Then you watch a beam search word by word: what is kept, what is pruned, what changes with another size or a length
# score, and whether the search or the model is to blame.

# %% [markdown]
# The first cell finds the course, or fetches it on a hosted notebook service, and sets it up.

# %%
from book.labs.notebook import begin

begin()

# %% [markdown]
# What the lab uses: the chapter's own model; `views` has the pictures, `small` the data and the training.

# %%
import dynet as dy
import numpy as np

from book.labs.notebook import choice, explore, show, slider, words
from book.labs.views import ch07 as views, small
from book.lessons.cells import namespace
from chapters.encoder_decoder.model import EncoderDecoder
from common.evaluation.metrics import bleu
from common.search.length_prior import LengthPrior
from common.search.searches import Decoding, translate
from common.search.translation import evaluate_pairs
from common.text.pairs import load_pairs, make_pair_batches
from common.training.start_bias import log_frequencies

# %% [markdown]
# ## Short sentences, few people
#
# The sentence pairs of the lesson, but only sources of at most 9 words, and twelve people instead of nearly two
# thousand. So this model's world is easier than the lesson's, and its results cannot be compared with those in the
# lesson.

# %%
people = small.pairs_people(6)
corpus = load_pairs("village_pairs")
train = small.short_pairs(corpus, "train", people, longest=9).pairs[:3000]
dev = small.short_pairs(corpus, "dev", people, longest=9).pairs[:150]
print(len(train), "pairs to train on,", len(dev), "to look at")
for pair in dev[:4]:
    print(" ".join(pair.source), "|", " ".join(pair.target))

# %% [markdown]
# Words seen once are `<unk>`, on both sides. Veldran has more forms of each word than English, so its vocabulary is
# larger.

# %%
data = small.Encoded.of(train)
print(len(data.source_vocab), "source words,", len(data.vocab), "target words")
print(dev[0].source, "->", data.source_vocab.encode(dev[0].source))

# %% [markdown]
# How long are targets? For sources of each length, the number of pairs with a target of each length. The length prior
# is computed from these numbers alone.

# %%
prior = LengthPrior.from_pairs(train)
for source in (5, 7, 9):
    counts = {target: prior.pairs[source, target] for target in range(1, 12)}
    print(f"{source} source words:", {target: count for target, count in counts.items() if count})

# %% [markdown]
# ## First read, then write
#
# The chapter's model with 48 units. It reads the source from the last word to the first.

# %%
model = EncoderDecoder(
    data.source_vocab, data.vocab, log_frequencies(data.targets, len(data.vocab)), hidden_size=48, dropout=0.0
)
print(model.name)

# %% [markdown]
# One batch of eight pairs. However long the sources are, the decoder receives only a state and a cell of 48 numbers
# for each.

# %%
batch = make_pair_batches(data.sources, data.targets, 8)[200]
dy.renew_cg()
(start,) = model.encode([[word for word in column if word] for column in batch.source.T.tolist()]).layers
print("sources", batch.source.shape, "targets", batch.target.inputs.shape)
print("the decoder's first state:", [part.dim() for part in start])

# %% [markdown]
# *What do you expect?* Before training, each next word has about its frequency. What perplexity does that give on
# dev: 5, 150 or 1,500?

# %%
print(f"perplexity on dev before training: {evaluate_pairs(model, dev, 'token').perplexity:.1f}")

# %% [markdown]
# Three epochs, which take a few seconds: the loop of the chapter's `train.py`, without dev and files. The numbers are
# perplexities on train, while the model still changes.

# %%
history = small.fit(model, lambda rng: make_pair_batches(data.sources, data.targets, 8, rng), epochs=3, rate=0.02)
print("train", [round(perplexity, 2) for perplexity in history])
print(f"dev   {evaluate_pairs(model, dev, 'token').perplexity:.2f}")

# %% [markdown]
# Some translations by greedy search, each below its reference. They are fluent Veldran; how much of the source do
# they convey?

# %%
greedy = [hypotheses[0].words for hypotheses in translate(model, [pair.source for pair in dev])]
for pair, translation in list(zip(dev, greedy, strict=True))[:5]:
    print(" ".join(pair.source), "\n   ", " ".join(pair.target), "\n   ", " ".join(translation))

# %% [markdown]
# ## Teacher forcing
#
# The decoder reads the reference, whatever it would have predicted itself. Each row: the word read, the word that the
# model would have predicted, with its probability, and the right one.

# %%
example = dev[4]
for step in views.teacher_forcing(model, example):
    print(f"{step.read:12} says {step.best:12} {step.p_best:.2f}   right: {step.right:12} {step.p_right:.3f}")

# %% [markdown]
# **Try** another pair: `example = dev[7]`. Is the first wrong word followed by more wrong ones? This need not happen,
# since the next word read is correct again.

# %% [markdown]
# How much does the model use each source word? Replace each in turn with `<unk>`, and see how many nats the reference
# loses. A negative bar: the reference becomes more probable.
#
# *What do you expect?* Which words matter most, those that the encoder read last (the first of the sentence) or
# those that it read first?

# %%
explore(lambda number: views.influence_bars(model, dev[number]), number=slider("pair of dev", 0, 60, 4, 1))

# %% [markdown]
# The mean over many pairs, by the place of the word in the source:

# %%
costs = [views.influence(model, pair) for pair in dev[:60] if len(pair.source) == 7]
print(len(costs), "sources of seven words")
for place, cost in enumerate(np.mean(costs, axis=0), start=1):
    print(f"word {place}: {cost:6.2f} nats")

# %% [markdown]
# ## A beam search, word by word
#
# Each column is a step of the search. Solid boxes stay in the beam, dashed ones are pruned, green ones have ended;
# below each word is log P of the whole beginning. A star marks beginnings of the reference.
#
# *What do you expect?* With a size of 1, which boxes are solid?

# %%
explore(
    lambda number, size: views.tree(model, dev[number], size),
    number=slider("pair of dev", 0, 60, 4, 1),
    size=slider("size of the beam", 1, 5, 3, 1),
)

# %% [markdown]
# What the search returned, and the reference, whose log-probability comes from teacher forcing. The last line shows
# who is to blame.

# %%
explore(
    lambda number, size: views.verdict(model, dev[number], size),
    number=slider("pair of dev", 0, 60, 4, 1),
    size=slider("size of the beam", 1, 12, 3, 1),
)

# %% [markdown]
# **Try** sizes from 1 to 12 for one pair. log P of the best hypothesis hardly ever falls. Does the translation get
# better as well?

# %% [markdown]
# The steps of a search are plain numbers. Here are the first three: the beginnings that stayed, and the best of those
# that were pruned.

# %%
steps = views.steps_of(views.search_tree(model, example.source, 2))
for number, step in enumerate(steps[:3], start=1):
    for candidate in step:
        print(number, "stays " if candidate.kept else "pruned", f"{candidate.log_prob:7.2f}", " ".join(candidate.words))

# %% [markdown]
# *What do you expect?* A beginning that is pruned cannot come back. How much higher is the mean log P with a beam of
# 8 than with greedy search? And for how many of 60 pairs is the reference more probable than the sentence found?

# %%
for size in (1, 2, 4, 8):
    some = [views.search_tree(model, pair.source, size).hypotheses[0].log_prob for pair in dev[:60]]
    references = [views.reference_log_prob(model, pair) for pair in dev[:60]]
    errors = sum(own > best + 1e-6 for own, best in zip(references, some, strict=True))
    print(f"beam {size}: mean log P {np.mean(some):6.2f}, references {np.mean(references):6.2f}, errors shown {errors}")

# %% [markdown]
# ## Length
#
# A wide beam finds short sentences, because every further word lowers the probability. Here is the most probable
# sentence of each length that a beam of 30 finds, with three scores: log P (`none`), its mean per prediction
# (`normalise`), and with the length prior (`prior`). A star marks the highest score in each column.

# %%
explore(lambda number: views.lengths(model, dev[number].source, prior), number=slider("pair of dev", 0, 60, 4, 1))

# %% [markdown]
# The score can also guide the search itself. The same tree, now with a length score in the beam: a hypothesis is
# given up if no ending can bring it among the best.

# %%
explore(
    lambda number, size, length: views.tree(model, dev[number], size, length, prior),
    number=slider("pair of dev", 0, 60, 4, 1),
    size=slider("size of the beam", 2, 5, 3, 1),
    length=choice("score of length", ["prior", "normalise", "none"]),
)

# %% [markdown]
# And here is what it returns. The column "score" decides between sentences that have ended.

# %%
explore(
    lambda number, size, length: views.verdict(model, dev[number], size, length, prior),
    number=slider("pair of dev", 0, 60, 4, 1),
    size=slider("size of the beam", 2, 12, 6, 1),
    length=choice("score of length", ["prior", "normalise", "none"]),
)

# %% [markdown]
# **Try** to find a pair whose translation the prior makes longer than log P alone would have it. With which size of
# the beam does the difference begin?

# %% [markdown]
# All of dev: BLEU, and the length of the translations as a share of the references'. This is one small model; the
# lesson has five of full size.
#
# *What do you expect?* Which of the three has the shortest translations?

# %%
targets = [pair.target for pair in dev]
for length in ("none", "normalise", "prior"):
    beams = translate(model, [pair.source for pair in dev], Decoding(beam=8, length=length), prior=prior)
    best = [beam[0].words for beam in beams]
    share = sum(map(len, best)) / sum(map(len, targets))
    print(f"{length:10} BLEU {bleu(best, targets).value:5.1f}   length {share:.3f}")

# %% [markdown]
# The same for the five models of the lesson, recorded (thin lines; the thick ones are their means). Then the three
# scores of the lesson's example, *the cats of halama miss the old shepherd .*, for each length.

# %%
from book.figures import ch07_search as lesson

show(lesson.length_ratio_by_beam(), lesson.scores_by_length())

# %% [markdown]
# ## Several models as one
#
# Several models can vote on each word ([part 2](../../chapters/07_encoder_decoder/PART2.md#several-models-as-one)).
# Here are the two models of its table, each with its probabilities for the next word. Choose the share of the second,
# and compare the mean of their probabilities with the mean of their logarithms, renormalised. (Grey: the two models.)
#
# *What do you expect?* Neither of them puts *gisuzen* first. Can it still win, and with which mean?

# %%
members = np.array([namespace("07", 2)["first"], namespace("07", 2)["second"]])
explore(
    lambda share: views.mixture(["huskumai", "gisuzen", "lamei"], members, (1 - share, share)),
    share=slider("share of the second model", 0.0, 1.0, 0.5, 0.05),
)

# %% [markdown]
# In numbers: the winning word at each share.

# %%
for share in np.linspace(0, 1, 6):
    best = [views.mixed(members, (1 - share, share), of_logs).argmax() for of_logs in (False, True)]
    first, second = (("huskumai", "gisuzen", "lamei")[place] for place in best)
    print(f"share {share:.1f}: mean of P {first}, mean of log P {second}")

# %% [markdown]
# ## Judging a translation
#
# BLEU of one sentence, step by step. Type your own translation: change a word in the middle, then one at the end.

# %%
REFERENCE = "muvokil vutitokai zuten ke premimil lolmo ve ya ."
explore(
    lambda translation: views.bleu_by_hand(translation, REFERENCE),
    translation=words("translation", "muvokil vutitokai zuten ke muvokil vutitok ve ."),
)

# %% [markdown]
# **Try** exchanging two neighbouring words in an otherwise correct translation, then the first and the last word.
# Which costs more, and at which n?
#
# **Try** the whole lab with `hidden_size=24`: which goes wrong first, the words or their order?
