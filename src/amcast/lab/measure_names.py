"""Names that both the measuring and the showing use."""

from __future__ import annotations

from typing import Final

# The parts of the time from a multicast to a delivery, in the order in which they pass.
PARTS: Final = ("propagation", "ordering", "cpu", "batch", "waiting")
