"""Arrays and numbers on their way to the core: checked for shape and kind here, for their values there."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def shown(value: Any) -> str:
    """A value in a message: one line, and not a long one."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."


def not_finite(name: str, array: Floats) -> str | None:
    """What to say of the first entry that is not finite."""
    if np.isfinite(array).all():
        return None
    bad = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
    return f"{name}{list(bad)} = {array[bad]}: it must be finite"


def floats(name: str, value: Any, shape: tuple[int | None, ...], axes: str, *, finite: bool = True) -> Floats:
    """A float64 array in C order, the given one where it is that already. None in `shape` is any size from 1.

    finite: looked at here; a large array that the core looks at anyway is asked about when the core has refused it.
    """
    if np.ma.is_masked(value):  # numpy would show what lies below the mask
        raise ValueError(f"{name}: has masked entries, expected numbers")
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
    if finite and (wrong := not_finite(name, array)):
        raise ValueError(wrong)
    return array


def ints(name: str, value: Any) -> Ints:
    array = np.asarray(value)
    whole_floats = array.dtype.kind == "f" and np.isfinite(array).all() and np.array_equal(array, np.floor(array))
    if array.dtype.kind not in "iu" and not whole_floats:
        raise ValueError(f"{name}: has dtype {array.dtype}, expected whole numbers")
    return np.ascontiguousarray(array, dtype=np.int64)


def whole(name: str, value: Any, low: int = 0, high: int = 2**63 - 1) -> int:
    """A whole number: 3, numpy's 3, also 1e6; not 2.5, True or "3"."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = int(value) if isinstance(value, (float, np.floating)) and value == np.floor(value) else operator.index(value)
    except (TypeError, OverflowError):
        raise ValueError(f"{name}: expected a whole number, got {shown(value)}") from None
    if not low <= number <= high:
        raise ValueError(f"{name} must be {f'at least {low}' if number < low else f'at most {high}'} (got {number})")
    return number


def number(name: str, value: Any) -> float:
    try:
        if isinstance(value, (str, bytes)) or np.ma.is_masked(value):
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name}: expected a number, got {shown(value)}") from None


def numbers(name: str, value: Any) -> list[float]:
    """One number or several."""
    return [number(name, v) for v in (several(name, value) if is_several(value) else [value])]


def is_several(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes)) and getattr(value, "ndim", 1) > 0


def several(name: str, value: Any) -> list[Any]:
    """The entries of a list, a range, an array."""
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        return list(value)
    except TypeError:
        raise ValueError(f"{name}: expected several values, got {shown(value)}") from None


def word(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name}: expected a name, got {shown(value)}")
    return value


def words(name: str, value: Any) -> list[str]:
    """One name or several."""
    return [value] if isinstance(value, str) else [word(name, v) for v in several(name, value)]


def path(value: Any) -> str:
    """A file's name; what is none is the TypeError of Python's own functions."""
    name = os.fsdecode(value)
    if "\0" in name:
        raise ValueError(f"{shown(name)}: a path has no null character")
    return name


SEEDS = 2**64 - 1  # the largest one


def seed(value: Any) -> int:
    return whole("seed", value, 0, SEEDS)


def seeds(value: Any) -> list[int]:
    """One seed or several."""
    many = [seed(s) for s in several("seeds", value)] if is_several(value) else [seed(value)]
    if not many:
        raise ValueError("seeds is empty: there is no run to make")
    if len(set(many)) < len(many):
        raise ValueError("a seed is given twice")
    return many


def pandas() -> Any:
    try:
        import pandas as found
    except ImportError:
        raise ImportError("tables need pandas: pip install pandas (or '.[tables]' with speder)") from None
    return found


def policy(value: Any, states: int, actions: int) -> Floats | Ints:
    """One action a state (S), or probabilities (S, A)."""
    value = getattr(value, "policy", value)  # a Solution has one, and a Run
    if value is None or callable(value) or (isinstance(value, str) and value != "uniform"):
        raise ValueError(f"policy: {shown(value)} is not one; give an array, a Solution, a Run or 'uniform'")
    if isinstance(value, str):
        return np.full((states, actions), 1.0 / actions)
    array = np.asarray(value)
    if array.ndim == 2:
        return floats("policy", array, (states, actions), "(S, A)")
    if array.ndim != 1 or array.size != states:
        raise ValueError(f"policy: has shape {array.shape}, expected (S,) = ({states},) or (S, A) = ({states}, {actions})")
    return ints("policy", array)
