"""Pictures that a notebook shows by itself."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _core


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
    if mark not in ("line", "points", "both"):
        raise ValueError(f"mark: '{mark}' is none of line, points, both")
    points = np.asarray(at, dtype=float)
    curves = []
    for label, given in series.items():
        middle, low, high = given if isinstance(given, tuple) else (given, None, None)
        values = np.asarray(middle, dtype=float)
        if values.shape != points.shape or points.ndim != 1:
            raise ValueError(f"{label}: has shape {values.shape}, the points have {points.shape}")
        keep = np.isfinite(values) & (values > 0 if y_log else True) & (points > 0 if x_log else True)
        band = [None if b is None else np.asarray(b, dtype=float)[keep].tolist() for b in (low, high)]
        curves.append({"label": label, "x": points[keep].tolist(), "y": values[keep].tolist(), "low": band[0],
                       "high": band[1], "mark": mark})
    panel = {"title": title, "x": x, "y": y, "x_log": x_log, "y_log": y_log, "series": curves}
    return Figure(_core.draw_panels([panel], title, 1))
