"""From face to face of the labels down to the exact answer: the last resort against rounding."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import lstsq

from tacit._typing import Mask, Matrix, Vector

# Overshoot of a label below zero that counts as rounding and is clipped.
ROUNDING = 1e-11
# More fractional labels than this are no sign of many equal rows but of an early iterate.
MANY_FREE = 500
# Faces that are ever visited. From where rounding stops the interior-point method, one to five are
# usual.
MOST_FACES = 100


def walk(
    V: Matrix,
    target: Matrix,
    classes: Matrix,
    labels: Matrix,
    free: Mask,
    allowed: Mask,
    is_good: Callable[[Matrix], bool],
) -> Matrix | None:
    """Minimise 1/2 ||V'P C - target||^2 over labels P, rows on the simplex, by active sets.

    The labels in `free` are solved for exactly with all others at zero. Those that would leave
    the simplex stop the way there and are held at zero; at the lowest point of a face all labels
    that are drawn off zero are freed. The objective never rises. This is the method of Stark and
    Parker (1995) for bounded least squares, with all labels on the wrong side freed at once:
    those that the next step would push out are held again where they are, and one always remains,
    because the step is one of descent.

    Unlike the interior-point method it has no matrix whose condition grows towards the answer,
    so it reaches the last digits where every label is fractional, some of them barely.

    Parameters
    ----------
    V : ndarray of shape (U, r)
        One generator a row.
    target : ndarray of shape (r, m)
        The point to approach.
    classes : ndarray of shape (K, m)
        C, what a unit of each class counts.
    labels : ndarray of shape (U, K)
        Where to begin, zero outside of `free`.
    free : ndarray of bool of shape (U, K)
        The labels that may move; at least one in each row.
    allowed : ndarray of bool of shape (U, K)
        The classes that a row may have.
    is_good : callable
        Whether labels meet the tolerance.

    Returns
    -------
    ndarray of shape (U, K) or None
        Labels that are good; None where there are too many to solve for, or rounding wins here too.
    """
    P, free = on_simplex(labels), free.copy()
    every = np.arange(len(P))
    lowest = np.inf
    for _ in range(MOST_FACES):
        # 1. The lowest point of this face, each row moving against its largest class.
        largest = P.argmax(axis=1)
        moving = free.copy()
        moving[every, largest] = False
        rows, columns = np.nonzero(moving)
        if len(rows) > max(2 * V.shape[1] * (P.shape[1] - 1), MANY_FREE):
            return None
        directions = np.einsum(
            "nr,nm->rmn", V[rows], classes[columns] - classes[largest[rows]]
        ).reshape(target.size, len(rows))
        step = np.zeros_like(P)
        step[rows, columns] = shortest(directions, (target - V.T @ P @ classes).ravel())
        step[every, largest] = -step.sum(axis=1)

        # 2. Go there, or as far as the labels allow.
        blocked = P + step < -ROUNDING
        if blocked.any():
            reach = P[blocked] / -step[blocked]
            length = float(reach.min())
            P = P + length * step
            stopped = np.flatnonzero(blocked)[reach <= length]
            P.flat[stopped] = 0.0
            free.flat[stopped] = False
            P = on_simplex(P)
            continue
        P = on_simplex(P + step)
        if is_good(P):
            return P

        # 3. Free what is drawn off zero, as long as that leads down.
        z = V.T @ P @ classes - target
        objective = float(np.vdot(z, z))
        slopes = V @ z @ classes.T
        drawn = allowed & ~free & (slopes < slopes[every, largest][:, None])
        if not drawn.any() or objective >= lowest:
            return None
        lowest = objective
        free |= drawn
    return None


def on_simplex(P: Matrix) -> Matrix:
    """The labels without overshoot, each row with sum one."""
    P = np.maximum(P, 0.0)
    return np.asarray(P / P.sum(axis=1, keepdims=True))


def shortest(A: Matrix, b: Vector) -> Vector:
    """The shortest least-squares solution of A x = b."""
    if A.size == 0:
        return np.zeros(A.shape[1])
    cut = max(A.shape) * np.finfo(np.float64).eps
    # By orthogonal factorisation, three times as fast as by singular values.
    return np.asarray(lstsq(A, b, cond=cut, lapack_driver="gelsy", check_finite=False)[0])
