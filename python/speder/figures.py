"""Pictures that a notebook shows by itself."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _arrays, _core


class Figure:
    """An SVG picture: shown inline by Jupyter, ``save(path)`` writes it."""

    __slots__ = ("svg",)

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        with open(path, "w", encoding="utf-8") as out:
            out.write(self.svg)

    def __repr__(self) -> str:
        return f"Figure({len(self.svg)} bytes of SVG)"


def figure(at: Any, series: Mapping[str, Any], *, x: str = "", y: str = "", title: str = "", x_log: bool = False,
           y_log: bool = False, mark: str = "both") -> Figure:
    """Curves over common points: ``figure(k, {"sigma": s}, x="k", y="sigma", y_log=True)``.

    A curve is an array, or a tuple (middle, low, high) for a band. mark: line, points or both.
    """
    if _arrays.word("mark", mark) not in ("line", "points", "both"):
        raise ValueError(f"mark: {_arrays.shown(mark)} is none of line, points, both")
    if not isinstance(series, Mapping):
        raise TypeError(f"series: expected {{label: curve}}, got {type(series).__name__}")
    points = _arrays.floats("at", at, (None,), "(points,)", finite=False)
    curves = []
    for label, given in series.items():
        parts = given if isinstance(given, tuple) else (given,)
        if len(parts) not in (1, 3):
            raise ValueError(f"{label}: a band is (middle, low, high), got {len(parts)} parts")
        lines = [_arrays.floats(str(label), part, points.shape, "(points,)", finite=False) for part in parts]
        values = lines[0]
        keep = np.isfinite(values) & (values > 0 if y_log else True) & (points > 0 if x_log else True)
        band = [line[keep].tolist() for line in lines[1:]] or [None, None]
        curves.append({"label": str(label), "x": points[keep].tolist(), "y": values[keep].tolist(), "low": band[0],
                       "high": band[1], "mark": mark})
    for name, text in (("x", x), ("y", y), ("title", title)):
        _arrays.word(name, text)
    panel = {"title": title, "x": x, "y": y, "x_log": bool(x_log), "y_log": bool(y_log), "series": curves}
    return Figure(_core.draw_panels([panel], title, 1))
