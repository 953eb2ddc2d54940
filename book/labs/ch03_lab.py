# %% [markdown]
# # Lab 3: a network in your hands
#
# An hour with the small networks of [lesson 3](../../chapters/03_neural_networks/README.md): you turn a line, drag
# nine weights, watch a graph fill with values and derivatives, and train networks.

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
from book.labs.views import ch03 as views
from chapters.neural_networks import by_hand, linear, tasks

# %% [markdown]
# ## Four points
#
# The task is *equality*: the label is 1 if both numbers are equal. Each column is a point.

# %%
x, targets = tasks.equality()
print("x", x.shape)
print(x)
print("labels", targets)

# %% [markdown]
# A line divides the plane. Turn it and move it. **What do you expect**: how many of the four points can you get
# right?

# %%
angle = slider("direction, degrees", 0.0, 360.0, 45.0, 5.0)
b = slider("b", -2.0, 2.0, -1.0, 0.1)
explore(views.line, angle=angle, b=b)

# %% [markdown]
# **Try** to make the number in the title, the sum of $y^* y$ over the four points, anything but 0. Here are some
# lines at random:

# %%
rng = np.random.default_rng(1)
for turned, moved in zip(rng.uniform(0, 360, 4), rng.normal(size=4), strict=True):
    _, _, y = views.line_outputs(turned, moved)
    print("right:", int((targets * y > 0).sum()), "  sum of y* y:", (targets * y).sum().round(12) + 0.0)

# %% [markdown]
# The *perceptron* is a rule that searches for a separating line: at each point that is not on its right side, it adds
# $y^* x$ to the weights and $y^*$ to $b$. It stops after a pass without mistakes. How many mistakes does it make in
# each of its first passes?

# %%
W, offset, mistakes = linear.perceptron(x, targets, 10)
print(mistakes)

# %% [markdown]
# ## Nine weights by hand
#
# Two hidden units and an output, with the weights of the lesson. The shapes:

# %%
for name, array in zip(("W_xh", "b_h", "w_hy", "b_y"), by_hand.EQUALITY_BY_HAND, strict=True):
    print(name, array.shape, array.tolist())

# %% [markdown]
# Now drag them. On the left the lines of the two units, in the middle the points in the plane of the units with the
# output's line, on the right the output of the network at every point of the plane. Start with one weight, and reset
# it before you move the next.

# %%
controls = {name: slider(label, -3.0, 3.0, views.HAND[name], 0.1) for name, label in views.NAMES.items()}
explore(views.drag, activation=choice("activation function", ["step", "tanh", "relu"]), **controls)

# %% [markdown]
# **What do you expect** with tanh instead of the step, with the same weights? Which of the points move in the plane
# of the units?

# %%
show(views.drag("tanh", **views.HAND))

# %% [markdown]
# And if the weights and biases of the two units are three times as large?

# %%
three = {name: 3 * value if name[0] in "wb" else value for name, value in views.HAND.items()}
show(views.drag("tanh", **three))

# %% [markdown]
# **Try** to solve the opposite task: a network that is right on none of the four points. Which weights need to change
# sign? Then set both units to the same line. What does the plane of the units look like, and can the output's line
# still separate the points?

# %%
same = {**views.HAND, "w21": 1.0, "w22": 1.0, "b2": -1.0}
show(views.drag("tanh", **same))

# %% [markdown]
# ## Which way is down?
#
# Move one weight, and leave all others as they were set by hand. The orange line has the slope that back-propagation
# computes.

# %%
name = choice("weight", list(views.NAMES), "w11")
activation = choice("activation function", ["tanh", "relu", "step"])
explore(views.slope, name=name, activation=activation, value=slider("its value", -6.0, 6.0, 0.3, 0.1))

# %% [markdown]
# **What do you expect** of the slope with the step function, at any point? Set it above, or look here:

# %%
for kind in ("tanh", "relu", "step"):
    _, _, derivative = views.profile("w11", kind, {**views.HAND, "w11": 0.3})
    print(f"{kind:5} {derivative:+.4f}")

# %% [markdown]
# **Try** to find, with tanh, a value of *w11* where the slope is nearly 0 although the loss is not at its minimum.
# Training that starts there will be slow.

# %%
values, losses, _ = views.profile("w11", "tanh", views.HAND)
print("least loss", losses.min().round(3), "at", values[losses.argmin()].round(2))
print("loss at 2:", losses[160].round(3), "  at 4:", losses[200].round(3), "  at 6:", losses[240].round(3))

# %% [markdown]
# ## Values up, derivatives down
#
# The course's own graph for one point, the lesson's weights. Blue is the value of a node, orange the derivative of
# the loss with respect to it. Move the point or a weight: which numbers change, above it and below it?

# %%
four = ("w11", "w12", "v1", "v2")
graph = {name: slider(views.NAMES[name], -2.0, 2.0, views.LESSON[name], 0.1) for name in four}
point = {"x1": slider("x₁", -2.0, 2.0, 1.0, 0.5), "x2": slider("x₂", -2.0, 2.0, -1.0, 0.5)}
explore(views.flow, **graph, **point, label=choice("label y*", [-1, 1]))

# %% [markdown]
# The same numbers as text. A node's derivative has the shape of its value.

# %%
for name, node in views.nodes(views.LESSON, 1.0, -1.0, -1.0).items():
    value, derivative = (array.ravel().round(3) for array in (node.value, node.gradient))
    print(f"{name:7} {node.operation.name:9} value {value}  derivative {derivative}")

# %% [markdown]
# Which weight would help most? Move every weight slightly against its derivative, and look at the output again.

# %%
network = views.network(views.LESSON, "tanh")
point, label = np.array([[1.0], [-1.0]]), np.array([[-1.0]])
for _ in range(5):
    print(f"output {network.outputs(point).item():+.3f}   loss {network.update(point, label, 0.05):.3f}")

# %% [markdown]
# **Try** a learning rate of 0.3, and of 1. Where does it begin to overshoot?

# %%
for rate in (0.05, 0.3, 1.0):
    network = views.network(views.LESSON, "tanh")
    print(rate, [round(network.update(point, label, rate), 3) for _ in range(8)])

# %% [markdown]
# ## Is the gradient right?
#
# Change each of the nine numbers slightly and compare. **What do you expect** of the size of the change: is smaller
# always better?

# %%
for power in (-1, -3, -5, -7, -9, -11):
    one_side, both = views.check(power)
    print(f"width 1e{power:<4} one side {one_side:.1e}   both sides {both:.1e}")

# %% [markdown]
# ## Training
#
# The chapter's own steps of gradient descent, from random weights. Change the task, the units, the activation and the
# seed. (Sixty epochs for rings and spirals, four hundred for the four points; each run takes a moment.)

# %%
task = choice("task", list(tasks.TASKS), "rings")
activation = choice("activation function", ["tanh", "relu"])
hidden, seed = slider("hidden units", 1, 32, 4, 1), slider("seed", 1, 20, 1, 1)
rate = slider("learning rate", 0.01, 1.0, 0.1, 0.01)
explore(views.training, task=task, activation=activation, hidden=hidden, seed=seed, rate=rate)

# %% [markdown]
# How many units does the disc inside the ring need? A unit is a line with a soft step, so count the sides of the
# region.

# %%
for hidden in (1, 2, 3, 8):
    arrays, losses = views.run("rings", "tanh", hidden, 1, 0.1, 60)
    print(f"{hidden} units: mean squared error {losses[-1]:.3f}")

# %% [markdown]
# The surface of three units beside that of eight:

# %%
show(views.training("rings", "tanh", 3, 1, 0.1), views.training("rings", "tanh", 8, 1, 0.1))

# %% [markdown]
# Does every start succeed? Ten seeds on *equality*, two hidden units. **What do you expect**: how many of
# ten learn it?

# %%
for kind in ("tanh", "relu"):
    learnt = [views.run("equality", kind, 2, seed, 0.1, 400)[1][-1] < 0.1 for seed in range(1, 11)]
    print(f"{kind}: {sum(learnt)} of 10")

# %% [markdown]
# More units make it more likely. The lesson recorded 100 seeds for each bar:

# %%
from book.figures.ch03 import how_often

show(how_often())

# %% [markdown]
# What happens when all weights start equal? The lesson recorded the loss, and a weight of each unit.

# %%
from book.figures.ch03 import lockstep

show(lockstep())

# %% [markdown]
# **Try** *spirals* in the training cell above, with 32 units and a learning rate of your choice. What does one hidden
# layer fail to separate? Two layers do better, as the recorded results show:

# %%
from book.figures.ch03 import surfaces

show(surfaces())
