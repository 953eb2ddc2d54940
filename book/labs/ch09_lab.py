# %% [markdown]
# # Lab 9: two contexts and a gate
#
# An hour with word attention and contextual gates, [lesson 9](../../chapters/09_word_attention/README.md). You train
# a small model, and then set its gate yourself: from 0, where the decoder reads words alone, to 1, where it reads
# annotations alone.

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

from book.labs.notebook import explore, show, slider, words
from book.labs.views import ch09 as views, small
from chapters.word_attention.model import WordAttentionModel
from common.evaluation.metrics import bleu
from common.search.attending import force
from common.search.searches import translate
from common.search.translation import evaluate_pairs
from common.text.alignment import alignment_error_rate, links_of
from common.text.pairs import load_pairs, make_pair_batches
from common.training.start_bias import log_frequencies

# %% [markdown]
# ## The data
#
# The pairs of labs 7 and 8: sources of at most 9 words, and twelve people.

# %%
people = small.pairs_people(6)
corpus = load_pairs("village_pairs")
train = small.short_pairs(corpus, "train", people, longest=9).first(2500)
dev = small.short_pairs(corpus, "dev", people, longest=9).first(100)
print(len(train.pairs), "pairs to train on,", len(dev.pairs), "to look at")
for pair in dev.pairs[:3]:
    print(" ".join(pair.source), "|", " ".join(pair.target))

# %% [markdown]
# ## The model
#
# The model has 48 units, gates, and the chapter's defaults: the query is the state together with the last word, and
# the output layer reads the gated contexts.

# %%
data = small.Encoded.of(train.pairs)
frequencies = log_frequencies(data.targets, len(data.vocab))
model = WordAttentionModel(data.source_vocab, data.vocab, frequencies, hidden_size=48, dropout=0.0)
print(model.name)
print("the gate's matrices:", [parameter.shape() for parameter in (model.W_o, model.U_o, *model.C_o)])

# %% [markdown]
# The source is stored twice: as annotations, which depend on the sentence, and as embeddings, which depend on the
# word alone. Both have 48 numbers for each source word.

# %%
pair = dev.pairs[2]
dy.renew_cg()
state = model.encode([data.source_vocab.encode(pair.source)])
for name, memory in zip(("annotations", "embeddings"), state.memories, strict=True):
    print(f"{name:12} {memory.annotations.dim()}  for", " ".join(pair.source))

# %% [markdown]
# *What do you expect?* All weights are small at the start. What is the gate of an untrained model, and what is its
# share of the word context?

# %%
first = views.step_of(model, pair, 1)
print("gate:", np.round(first.gate[:6], 3), "...  share of the words:", round(first.share, 3))
print("annotation attention:", np.round(first.weights[0], 3))
print("word attention:      ", np.round(first.weights[1], 3))

# %% [markdown]
# Three epochs, which take a few seconds. The numbers are perplexities on train, while the model still changes.

# %%
history = small.fit(model, lambda rng: make_pair_batches(data.sources, data.targets, 8, rng), epochs=3, rate=0.02)
print("train", [round(perplexity, 2) for perplexity in history])
print(f"dev   {evaluate_pairs(model, dev.pairs, 'token').perplexity:.2f}")

# %% [markdown]
# Some translations by greedy search, each below its reference.

# %%
written = [hypotheses[0].words for hypotheses in translate(model, [pair.source for pair in dev.pairs])]
for pair, mine in list(zip(dev.pairs, written, strict=True))[:4]:
    print(" ".join(pair.source), "\n   ", " ".join(pair.target), "\n   ", " ".join(mine))
print(f"BLEU {bleu(written, [pair.target for pair in dev.pairs]).value:.1f}")

# %% [markdown]
# ## Two attentions
#
# Attention to annotations, attention to words, with frames around the true links, and the share of the word context
# in each row.
#
# *What do you expect?* Which of the two maps fills the frames better?

# %%
explore(
    lambda number: views.two_maps(model, dev.pairs[number], dev.links[number]),
    number=slider("pair of dev", 0, 99, 4, 1),
)

# %% [markdown]
# The error rates of the links of each attention, over all of dev. This is one small model; the lesson has results for
# five large ones.

# %%
results = force(model, *zip(*dev.pairs, strict=True))
for name in ("attention", "word_attention"):
    rate = alignment_error_rate([links_of(getattr(result, name)) for result in results], dev.links)
    print(f"{name:15} AER {rate:.3f}")

# %% [markdown]
# **Try** a source in which a word occurs twice, as *the* often does. Are its weights equal in the map of words? And
# in the map of annotations?

# %% [markdown]
# ## One step in numbers
#
# Everything that one step computes, and its shapes.

# %%
CHOSEN = dev.pairs[4]
step = views.step_of(model, CHOSEN, 3)
print("read", step.read, "- to write", step.right)
for name in ("weights", "plain", "gated", "gate", "probabilities"):
    print(f"{name:14} {getattr(step, name).shape}")
print("weights sum to", step.weights.sum(axis=1).round(4), " probabilities to", round(step.probabilities.sum(), 4))

# %% [markdown]
# The gate multiplies the first context by $o$ and the second by $1 - o$. In NumPy, that is one line for each; printed
# is the largest difference from what the model computed.

# %%
print(np.abs(step.gated[0] - step.gate * step.plain[0]).max())
print(np.abs(step.gated[1] - (1 - step.gate) * step.plain[1]).max())

# %% [markdown]
# The mean of a gate hides a lot. Here are its single numbers, sorted.
#
# *What do you expect?* Is each number of the gate near the mean, or are some open and others closed?

# %%
explore(
    lambda number, step: views.gate_numbers(model, dev.pairs[number], step),
    number=slider("pair of dev", 0, 99, 4, 1),
    step=slider("step", 1, 9, 3, 1),
)

# %% [markdown]
# ## The gate in your hands
#
# Set all numbers of the gate of one step. Grey: the model's own gate. Left and middle: both contexts as the decoder
# reads them. Right: the next words. All steps before this one keep their own gates.
#
# *What do you expect?* At 1, which panel has no coloured lines?

# %%
explore(
    lambda number, step, gate: views.overridden(model, dev.pairs[number], step, gate),
    number=slider("pair of dev", 0, 99, 4, 1),
    step=slider("step", 1, 9, 3, 1),
    gate=slider("gate", 0.0, 1.0, 1.0, 0.05),
)

# %% [markdown]
# The whole way from 0 to 1 for one step: how probable some words are. The dots are at the mean of the model's own
# gate. They need not lie on the curves, since that gate is not a single number.

# %%
explore(
    lambda number, step: views.from_0_to_1(model, dev.pairs[number], step),
    number=slider("pair of dev", 0, 99, 4, 1),
    step=slider("step", 1, 9, 3, 1),
)

# %% [markdown]
# **Try** to find a step at which the right word is most probable with the gate at 0, and one at which it is most
# probable with the gate at 1. What kinds of words are they?

# %% [markdown]
# Set at the model's own 48 numbers, the gate changes nothing. Set at their mean, it does.

# %%
own = views.step_of(model, CHOSEN, 3)
same = views.step_of(model, CHOSEN, 3, own.gate)
mean = views.step_of(model, CHOSEN, 3, float(own.gate.mean()))
print("own numbers:", np.abs(same.probabilities - own.probabilities).max())
print("their mean: ", np.abs(mean.probabilities - own.probabilities).max())

# %% [markdown]
# A binary gate: numbers above one half are set to 1, all others to 0. How much of the gate's effect remains? And what
# if every number $o$ becomes $1 - o$?

# %%
for name, gate in (("own", None), ("yes or no", (own.gate > 0.5) * 1.0), ("reversed", 1 - own.gate)):
    some = views.step_of(model, CHOSEN, 3, gate)
    (right,) = data.vocab.encode([some.right])
    print(
        f"{name:10} P({some.right}) = {some.probabilities[right]:.3f}   best:",
        *views.best(model, some.probabilities, 3),
    )

# %% [markdown]
# ## Every gate of every step
#
# Now set all gates, of all steps and sentences. `with_gate` gives the same model with a fixed gate: the parameters
# are shared, and nothing is retrained.
#
# *What do you expect?* Which increases the perplexity on dev most: a gate at 0, at 0.5, or at 1?

# %%
settings = (None, 0.0, 0.25, 0.5, 0.75, 1.0)
for gate in settings:
    result = evaluate_pairs(views.with_gate(model, gate), dev.pairs, "token")
    print(f"gate {'own' if gate is None else gate!s:5} perplexity {result.perplexity:9.2f}")

# %% [markdown]
# And translations of one source with each of them. At 0, the decoder has access to the words of the source, but to
# their order only as far as its first state encodes it.


# %%
def translations(text):
    lines = []
    for gate in settings:
        ((best, *_),) = translate(views.with_gate(model, gate), [text.split() or ["."]])
        lines.append(f"gate {'own' if gate is None else gate!s:5} {' '.join(best.words)}")
    return "\n".join(lines)


explore(translations, text=words("your sentence", "the pony of orlika is hungry ."))

# %% [markdown]
# **Try** *mira greets orlek .* and *orlek greets mira .* With the gate at 0, are the two translations different?

# %% [markdown]
# ## What opens the gate
#
# The mean share of the word context by target word, over dev: the words with the largest share, and those with the
# smallest.

# %%
shares = {}
for pair, result in zip(dev.pairs, results, strict=True):
    for word, share in zip([*pair.target, "</s>"], result.gates, strict=True):
        shares.setdefault(word, []).append(share)
often = sorted((float(np.mean(some)), word) for word, some in shares.items() if len(some) >= 6)
print("least:", *(f"{word} {share:.2f}" for share, word in often[:6]))
print("most: ", *(f"{word} {share:.2f}" for share, word in often[-6:]))

# %% [markdown]
# Names beside all other words. In the lesson's figure below, each dot is one seed of a larger model, which has read
# nearly two thousand names. Here there are only twelve: do they move the gate in the same direction?

# %%
names = set(people.values())
for label, group in (("names", names), ("other words", set(shares) - names)):
    some = [share for word in group & set(shares) for share in shares[word]]
    print(f"{label:12} {np.mean(some):.2f} ({len(some)} words)")

from book.figures import ch09_runs as lesson

show(lesson.what_opens_the_gate())

# %% [markdown]
# ## Why two memories?
#
# A word has one embedding, but a different annotation in each sentence. Which annotations of other sentences are
# most like that of one word, by the cosine?
#
# *What do you expect?* Are the nearest ones those of the same word?


# %%
def nearest(word):
    rows = views.similarities(model, dev.pairs, word)
    return "\n".join(f"{cosine:5.2f}  {other:10} in: {text}" for cosine, other, text in rows[:8])


explore(nearest, word=words("a source word", "orlika"))

# %% [markdown]
# The lesson's model, on 400 test sentences:

# %%
show(lesson.annotations_of_one_word())

# %% [markdown]
# ## As printed
#
# In the poster, the output layer reads both contexts whole, bypassing the gate. If the same parameters are used in
# that way (nothing is retrained), does a gate at 1 still exclude the words?

# %%
import copy

printed = copy.copy(model)
printed.output_contexts = "plain"
for gate in (0.0, 1.0):
    ours, theirs = (views.step_of(lm, CHOSEN, 3, gate) for lm in (model, printed))
    print(
        f"gate {gate}: ours",
        *views.best(model, ours.probabilities, 3),
        "| as printed",
        *views.best(model, theirs.probabilities, 3),
    )

# %% [markdown]
# **Try** to train the model that way: `output_contexts="plain"` in the cell that makes it, and rerun everything.
# Does a gate at 1 then increase the perplexity less?
