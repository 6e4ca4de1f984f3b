"""The optional compiled build; without AMCAST_COMPILE=1 nothing is compiled, see pyproject.toml.

AMCAST_COMPILE=1 pip install --no-build-isolation .

needs mypy and a C compiler. It compiles what drives a simulation, not the protocols: those
stay Python, so that anybody's own can be derived from the same base class.
"""

import os

from setuptools import setup

HOT = (
    "sim/clients",
    "sim/latency",
    "sim/log",
    "sim/network",
    "sim/node",
    "sim/simulation",
)

extensions = []
if os.environ.get("AMCAST_COMPILE") == "1":
    from mypyc.build import mypycify

    extensions = mypycify([f"src/amcast/{module}.py" for module in HOT], opt_level="3")

setup(ext_modules=extensions)
