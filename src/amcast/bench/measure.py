"""One measured value and the bar it is held against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Measure:
    """A value; without a bar it only informs."""

    name: str
    value: float
    unit: str = ""
    bar: float | None = None
    # Whether a good value is above the bar or below it.
    better: Literal["more", "less"] = "more"
    # What we would like to reach, beyond the bar.
    stretch: float | None = None

    @property
    def ratio(self) -> float | None:
        """How far on the good side of the bar: 1 is just enough."""
        if self.bar is None:
            return None
        if self.better == "more":
            return self.value / self.bar
        # A noisy run can measure nothing, or less: more than 100 is never claimed.
        return self.bar / max(self.value, self.bar / 100)

    @property
    def verdict(self) -> Literal["pass", "miss"] | None:
        if self.ratio is None:
            return None
        return "pass" if self.ratio >= 1 else "miss"

    def as_dict(self) -> dict[str, object]:
        return {
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "bar": self.bar,
            "better": self.better,
            "stretch": self.stretch,
            "ratio": self.ratio,
            "verdict": self.verdict,
        }
