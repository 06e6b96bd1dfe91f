"""Arrays on their way to the core: checked for shape and kind here, for their numbers there."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def floats(name: str, value: Any, shape: tuple[int | None, ...], axes: str) -> Floats:
    """A float64 array in C order, the given one where it is that already. None in `shape` is any size from 1."""
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name}: is not a regular array, expected {axes}") from None
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name}: has dtype {array.dtype}, expected numbers")
    fits = array.ndim == len(shape) and all(w is None or w == n for w, n in zip(shape, array.shape))
    if not fits or array.size == 0:
        wanted = ", ".join("n" if n is None else str(n) for n in shape)
        raise ValueError(f"{name}: has shape {array.shape}, expected {axes}" + ("" if None in shape else f" = ({wanted})"))
    array = np.ascontiguousarray(array, dtype=np.float64)
    if not np.isfinite(array).all():
        bad = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name}{list(bad)} = {array[bad]}: it must be finite")
    return array


def ints(name: str, value: Any) -> Ints:
    array = np.asarray(value)
    if array.dtype.kind not in "iu" and not (array.dtype.kind == "f" and np.array_equal(array, np.floor(array))):
        raise ValueError(f"{name}: has dtype {array.dtype}, expected whole numbers")
    return np.ascontiguousarray(array, dtype=np.int64)


def policy(value: Any, states: int, actions: int) -> Floats | Ints:
    """One action a state (S), or probabilities (S, A)."""
    value = getattr(value, "policy", value)  # a Solution has one
    if isinstance(value, str):
        if value != "uniform":
            raise ValueError(f"policy: '{value}' is not one; give an array, a Solution or 'uniform'")
        return np.full((states, actions), 1.0 / actions)
    array = np.asarray(value)
    if array.ndim == 2:
        return floats("policy", array, (states, actions), "(S, A)")
    if array.ndim != 1 or array.size != states:
        raise ValueError(f"policy: has shape {array.shape}, expected (S,) = ({states},) or (S, A) = ({states}, {actions})")
    return ints("policy", array)
