# %% [markdown]
# # Lab 10: candidates, costs and own words
#
# An hour with [lesson 10](../../chapters/10_beyond/README.md). You set the probabilities of three candidates and
# watch who is pushed up, and who down. Then you train a small model, draw translations from it, judge them, and see
# where its own words lead it.

# %% [markdown]
# The first cell finds the course, or fetches it on a hosted notebook service, and sets it up.

# %%
from book.labs.notebook import begin

begin()

# %% [markdown]
# What the lab uses: `views` and `own_words` have the pictures, `small` the data and the training.

# %%
import numpy as np

from book.labs.notebook import choice, explore, show, slider, switch, words
from book.labs.views import ch10 as views, ch10_own_words as own_words, small
from book.lessons.cells import namespace
from common.nn.parameters import DynetParameters
from common.runtime import epoch_rng
from common.search.searches import translate
from common.text.pairs import load_pairs, make_pair_batches
from common.training.start_bias import log_frequencies
from data.pairs import truth_of

# %% [markdown]
# ## What a translation costs
#
# The lesson's three candidates, and the cost of each: 1 minus its sentence BLEU.

# %%
lesson = namespace("10")
texts = [" ".join(lesson[name]) for name in ("reference", "no_particle", "other_name")]
for name, cost, text in zip(lesson["names"], lesson["cost"], texts, strict=True):
    print(f"{name:22} {cost:.3f}  {text}")

# %% [markdown]
# Type your own translation. Each line has the matches and the n-grams of one length, with 1 added to both from
# n = 2 on, and then what matched.
#
# *What do you expect?* All words of the reference, in reverse order: in which of the four lines does everything match?

# %%
explore(
    lambda text: views.bleu_lines(text, lesson["reference"]),
    text=words("your translation", "petedan droduregai na trasku ka ?"),
)

# %% [markdown]
# **Try** to find the cheapest translation that does not have the right name. And which single word, left out,
# costs most?

# %% [markdown]
# ## Three candidates in your hands
#
# Left: the probability $P$ that a model assigns, the renormalised share $Q$, and the cost. Right: where a step of
# descent on the risk, and a step of REINFORCE with the three as its samples, pushes the three log-probabilities.
#
# *What do you expect?* At the lesson's probabilities, the risk raises the wrong name. Can you have it pushed down by
# lowering its own probability? And by lowering that of another candidate?

# %%
explore(
    lambda p1, p2, p3, alpha: views.three_candidates([p1, p2, p3], alpha),
    p1=slider("the reference", 0.01, 0.98, 0.10, 0.01),
    p2=slider("without the particle", 0.01, 0.98, 0.20, 0.01),
    p3=slider("with another name", 0.01, 0.98, 0.40, 0.01),
    alpha=slider("alpha", 0.0, 3.0, 1.0, 0.05),
)

# %% [markdown]
# **Try** giving the reference nearly all the probability. How large is the gradient then? And which bars of REINFORCE
# follow the sliders?

# %% [markdown]
# The gradient of the risk is $\alpha \, Q \, (\Delta - R)$. Here are the chapter's code and the formula in NumPy.

# %%
pushes = views.pushes(np.log(lesson["P"]), lesson["cost"], 1.0)
print("DyNet's:", pushes.by_risk.round(4), "  sum", round(pushes.by_risk.sum(), 6))
print("formula:", (pushes.shares * (lesson["cost"] - pushes.risk)).round(4))

# %% [markdown]
# ## From risk to REINFORCE
#
# Now $\alpha$ goes to 0, and the gradient of the risk is divided by it.
#
# *What do you expect?* Do the green bars become the orange ones? If not, what is their ratio?

# %%
explore(
    lambda alpha, divided: views.three_candidates(lesson["P"], alpha, divided),
    alpha=slider("alpha", 0.0, 1.0, 0.5, 0.01),
    divided=switch("divided by alpha"),
)

# %% [markdown]
# The ratio, as $\alpha$ gets smaller. The baseline of the risk is the mean of all three; that of REINFORCE is the
# mean of the others.

# %%
for alpha in (1.0, 0.1, 0.01, 0.001):
    pushes = views.pushes(np.log(lesson["P"]), lesson["cost"], alpha)
    print(f"alpha {alpha:5}  ratio", (pushes.by_risk / alpha / pushes.by_reinforce).round(3))

# %% [markdown]
# ## What a baseline takes away
#
# Suppose that these three are the only sentences. Here are 4,000 estimates of one derivative by REINFORCE, with the
# mean of the others as a baseline, and with none.
#
# *What do you expect?* Add the same number to all costs. Which of the two means changes, and which of the two
# spreads?

# %%
explore(
    views.spread,
    samples=slider("samples for an estimate", 2, 20, 4, 1),
    level=slider("added to all costs", 0.0, 0.6, 0.0, 0.05),
)

# %% [markdown]
# **Try** two samples and nothing added, then 20. When is the baseline worthwhile?

# %% [markdown]
# ## A small model
#
# The attentional model of lab 8, on sources of at most 9 words and twelve people. It is trained by likelihood for
# three epochs, a few seconds: it will make errors, and we want to see them.

# %%
from chapters.attention.model import AttentionalModel

people = small.pairs_people(6)
corpus = load_pairs("village_pairs")
train = small.short_pairs(corpus, "train", people, longest=9).first(2500)
dev = small.short_pairs(corpus, "dev", people, longest=9).first(100)
data = small.Encoded.of(train.pairs)
frequencies = log_frequencies(data.targets, len(data.vocab))
options = {"hidden_size": 48, "score": "bilinear", "dropout": 0.1}
model = AttentionalModel(data.source_vocab, data.vocab, frequencies, **options)
history = small.fit(model, lambda rng: make_pair_batches(data.sources, data.targets, 8, rng), epochs=3, rate=0.02)
print("perplexity on train", [round(perplexity, 2) for perplexity in history])

# %% [markdown]
# Some translations by greedy search, each with its cost, below its reference.

# %%
best = [hypotheses[0].words for hypotheses in translate(model, [pair.source for pair in dev.pairs])]
for pair, mine in list(zip(dev.pairs, best, strict=True))[:4]:
    cost = 1 - views.scores.sentence_bleu(mine, pair.target)
    print(" ".join(pair.source), "\n     ", " ".join(pair.target), f"\n{cost:.2f} ", " ".join(mine))

# %% [markdown]
# ## Drawing a word
#
# The model's log-probabilities of a word after the first words of the reference, Gumbel noise, and their sum. All
# words get noise; the picture shows the six likeliest, and the word that is drawn.
#
# *What do you expect?* Does the most probable word always win?


# %%
def log_probs_after(number, step):
    pair = dev.pairs[number]
    return views.after(model, pair, pair.target[:step])


explore(
    lambda number, step, seed: views.one_draw(data.vocab, log_probs_after(number, step), seed),
    number=slider("pair of dev", 0, 99, 0, 1),
    step=slider("words before", 0, 8, 3, 1),
    seed=slider("draw", 1, 30, 1, 1),
)

# %% [markdown]
# Many draws, now by the chapter's `draw_words`, which leaves the noise to DyNet.

# %%
explore(
    lambda number, step, draws, seed: views.drawn_often(data.vocab, log_probs_after(number, step), draws, seed),
    number=slider("pair of dev", 0, 99, 0, 1),
    step=slider("words before", 0, 8, 3, 1),
    draws=slider("draws", 10, 2000, 100, 10),
    seed=slider("seed", 1, 30, 1, 1),
)

# %% [markdown]
# **Try** 10 draws, 100, 1,000. A hundred times as many: how much nearer are the shares to the probabilities?

# %% [markdown]
# ## Drawing sentences
#
# Whole translations of one source, each distinct one listed once: how often it was drawn, its log-probability, its
# cost, its share $Q$, and the gradients of risk and REINFORCE. A negative gradient is a push upwards.
#
# *What do you expect?* Is the translation that is drawn most often the cheapest one? Does REINFORCE push hardest on a
# sample that was drawn several times?

# %%
explore(
    lambda number, samples, alpha, seed: views.sample_lines(
        views.samples_of(model, dev.pairs[number], samples, seed), alpha
    ),
    number=slider("pair of dev", 0, 99, 0, 1),
    samples=slider("samples", 2, 20, 10, 1),
    alpha=slider("alpha", 0.0, 1.0, 0.1, 0.05),
    seed=slider("seed", 1, 30, 1, 1),
)

# %% [markdown]
# Samples are not the model's best translations. Their mean cost over dev, beside that of greedy translations.

# %%
costs = [1 - views.scores.sentence_bleu(mine, pair.target) for mine, pair in zip(best, dev.pairs, strict=True)]
print(f"greedy  {np.mean(costs):.3f}")
print(f"samples {own_words.mean_cost(model, dev.pairs, 5, seed=1):.3f}")

# %% [markdown]
# ## What may come next
#
# The grammar determines all possible next words. Type the beginning of a translation of this source: grey is the
# grammar, blue the model, and red what the model predicts although the grammar rules it out. The number above is the
# probability that the model gives to all impossible words together.

# %%
CHOSEN = dev.pairs[0]
print(" ".join(CHOSEN.source), "|", " ".join(CHOSEN.target))
truth = truth_of(corpus.name, corpus.facts)
explore(
    lambda prefix: own_words.may_come_next(model, truth, CHOSEN, prefix),
    prefix=words("it begins with", " ".join(CHOSEN.target[:3])),
)

# %% [markdown]
# **Try** to follow the model: keep adding its favourite word until the grammar stops you.

# %% [markdown]
# The same in code: what the model writes, up to the first impossible word.

# %%
explore(
    lambda number, kind, seed: own_words.own_translation(model, truth, dev.pairs[number], kind, seed),
    number=slider("pair of dev", 0, 99, 0, 1),
    kind=choice("words", ["greedy", "sampled"]),
    seed=slider("seed", 1, 30, 1, 1),
)

# %% [markdown]
# ## Exposure
#
# Does the model make more errors after its own words? We take 100 sentences and prefixes of three kinds, and follow
# each as long as it remains possible. Dotted: how many sentences would remain if they were lost only by errors, as
# frequent as after the reference's words.
#
# *What do you expect?* Of the three curves on the left, which is the highest? And which falls fastest on the right?

# %%
exposures = {}
for kind in own_words.PREFIXES:
    exposures[kind] = own_words.exposure.measure(model, truth, dev.pairs, kind, np.random.default_rng(1))
explore(lambda positions: own_words.exposed(exposures, positions), positions=slider("positions", 2, 10, 6, 1))

# %% [markdown]
# In numbers: the errors at all positions together, and the number of predictions.

# %%
for kind, result in exposures.items():
    print(f"{own_words.PREFIXES[kind]:24} {result.wrong.sum():4.0f} of {result.possible.sum():4.0f} impossible")

# %% [markdown]
# These sums hide a trap: references are followed to their ends, own words only up to the first error. So they are
# taken at different positions, and the left picture is the fair comparison. The lesson's model, on as many sentences:

# %%
from book.figures import ch10 as figures

show(figures.exposure_measured())

# %% [markdown]
# ## Reading own words in training
#
# Scheduled sampling: with some probability, each input is a word that the model has drawn; a star marks those that
# differ from the reference's. The target is still the reference.
#
# *What do you expect?* With only the model's own words, do the inputs still fit the targets?

# %%
explore(
    lambda number, own, seed: own_words.what_is_read(model, dev.pairs[number], own, seed),
    number=slider("pair of dev", 0, 99, 0, 1),
    own=slider("own words", 0.0, 1.0, 0.5, 0.05),
    seed=slider("seed", 1, 30, 1, 1),
)

# %% [markdown]
# How the share of the reference's words falls during training.

# %%
explore(figures.schedules, share=slider("own words at the end", 0.0, 0.95, 0.9, 0.05))

# %% [markdown]
# ## A little training
#
# Starting from the same model, 20 steps of 8 pairs with each objective; then the mean cost of five samples, on dev.
# One seed, a tiny model and a few steps show how it is done, not which is better.

# %%
from chapters.beyond.settings import Settings

parameters = DynetParameters(model)
before = [array.copy() for array in parameters.arrays()]
batches = make_pair_batches(data.sources, data.targets, 8, epoch_rng(1, 9))[:20]
print(f"{'before':12} {own_words.mean_cost(model, dev.pairs, 5, seed=2):.3f}")
for objective in ("likelihood", "scheduled", "risk", "reinforce"):
    parameters.set_arrays(before)
    own_words.go_on(model, Settings(objective=objective, objective_rate=0.002), batches, seed=1)
    print(f"{objective:12} {own_words.mean_cost(model, dev.pairs, 5, seed=2):.3f}")
parameters.set_arrays(before)

# %% [markdown]
# **Try** other seeds of `go_on`, one after the other. Is the order of the four the same each time?
