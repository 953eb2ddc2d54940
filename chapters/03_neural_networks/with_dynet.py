"""The same network in DyNet: the first DyNet program of the course (compare Neubig 2017, Figure 11)."""

from __future__ import annotations

from collections.abc import Sequence

import dynet as dy
import numpy as np

from common.errors import UserError

FUNCTIONS = {"tanh": dy.tanh, "relu": dy.rectify}


class DynetMLP:
    """`MLP` with its parameters in a DyNet collection and its gradients from DyNet, in float32."""

    def __init__(self, arrays: Sequence[np.ndarray], activation: str):
        """arrays: W and b of each layer in turn. Raises `UserError` for the step function, which DyNet lacks."""
        if activation not in FUNCTIONS:
            raise UserError(f"--activation {activation}: DyNet has no such operation; use --engine numpy or autodiff")
        self.activation = activation
        self.collection = dy.ParameterCollection()
        self.parameters = [self.collection.add_parameters(one.shape, init=dy.NumpyInitializer(one)) for one in arrays]
        self.trainer = dy.SimpleSGDTrainer(self.collection)
        self.trainer.set_clip_threshold(0)  # DyNet clips gradients by default

    def arrays(self) -> list[np.ndarray]:
        """W (out, in) and b (out, 1) of each layer in turn."""
        return [parameter.as_array() for parameter in self.parameters]

    def set_arrays(self, arrays: Sequence[np.ndarray]) -> None:
        """Take other parameters."""
        for parameter, array in zip(self.parameters, arrays, strict=True):
            parameter.set_value(array)

    def layers(self, x: np.ndarray) -> list[dy.Expression]:
        """Every layer in a new graph: x (I, B) -> (H, 1) x B for each hidden layer, (1, 1) x B for the output.

        DyNet keeps the batch in a dimension of its own; a parameter without one serves all examples.
        """
        dy.renew_cg()
        node, found = dy.inputTensor(x[:, None, :], batched=True), []
        *hidden_layers, output_layer = zip(self.parameters[::2], self.parameters[1::2], strict=True)
        for W, b in hidden_layers:
            node = FUNCTIONS[self.activation](W * node + b)
            found.append(node)
        W, b = output_layer
        return [*found, W * node + b]

    def loss(self, x: np.ndarray, targets: np.ndarray) -> dy.Expression:
        """The summed squared error (Neubig 2017, Eq. 36): x (I, B), targets (1, B)."""
        y = self.layers(x)[-1]
        return dy.sum_batches(dy.squared_distance(y, dy.inputTensor(targets[:, None, :], batched=True)))

    def outputs(self, x: np.ndarray) -> np.ndarray:
        """y of every example: x (I, B) -> (1, B)."""
        return np.reshape(self.layers(x)[-1].npvalue(), (1, -1))

    def hidden(self, x: np.ndarray) -> np.ndarray:
        """The last hidden layer: x (I, B) -> (H, B)."""
        return np.reshape(self.layers(x)[-2].npvalue(), (-1, x.shape[1]))

    def gradients(self, x: np.ndarray, targets: np.ndarray) -> tuple[float, list[np.ndarray]]:
        """The summed squared error, and its derivatives by every parameter, for comparison; training has no need."""
        loss = self.loss(x, targets)
        value = loss.value()
        loss.backward()
        arrays = [parameter.grad_as_array().copy() for parameter in self.parameters]
        for parameter in self.parameters:
            parameter.scale_gradient(0)  # gradients add up until an update, and here none follows
        return value, arrays

    def update(self, x: np.ndarray, targets: np.ndarray, learning_rate: float) -> float:
        """One step of stochastic gradient descent on the mean loss of a batch; the summed loss before it."""
        loss = self.loss(x, targets)
        value = loss.value()
        (loss * (1 / x.shape[1])).backward()
        self.trainer.learning_rate = learning_rate
        self.trainer.update()
        return value
