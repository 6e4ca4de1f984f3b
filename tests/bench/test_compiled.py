"""What `make compiled` compiles must still be a base for what it leaves in Python."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "src" / "amcast"


def compiled() -> set[Path]:
    for node in ast.parse((ROOT / "setup.py").read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "HOT":
            return {SOURCE / f"{name}.py" for name in ast.literal_eval(node.value)}
    raise AssertionError("setup.py does not say what it compiles")


def classes(path: Path) -> Iterator[ast.ClassDef]:
    return (node for node in ast.parse(path.read_text()).body if isinstance(node, ast.ClassDef))


def test_python_classes_derive_from_compiled_ones_only_where_these_allow_it() -> None:
    hot = compiled()
    assert all(path.exists() for path in hot)
    declared = {each.name: each for path in hot for each in classes(path)}
    derived = {
        ast.unparse(base)
        for path in set(SOURCE.rglob("*.py")) - hot
        for each in classes(path)
        for base in each.bases
    }
    bases = declared.keys() & derived
    assert bases >= {"Simulation", "Client"}
    for name in bases:
        decorators = [ast.unparse(each) for each in declared[name].decorator_list]
        assert "mypyc_attr(allow_interpreted_subclasses=True)" in decorators, name
