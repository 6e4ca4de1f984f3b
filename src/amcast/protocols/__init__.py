"""The protocols, one file each, and the registry of what they promise."""

from amcast.protocols.registry import (
    PROTOCOLS,
    AnyProcess,
    Overlay,
    ProcessFactory,
    Protocol,
    protocol_named,
)

__all__ = ["PROTOCOLS", "AnyProcess", "Overlay", "ProcessFactory", "Protocol", "protocol_named"]
