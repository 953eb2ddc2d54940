"""Neural building blocks as DyNet expressions, each with its equation.

Shapes are DyNet's: `(rows, columns) x batch`. A batch of B sentences of T time steps, each step a
vector of H numbers, is `(H, T) x B`; `fold_time` turns it into `(H,) x T*B` (time runs fastest).
"""
