"""The shape of the code base: who may import whom, what is pure, how long things get."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "amcast"

# Package -> the packages of ours that it may import.
LIBRARY = (
    "core", "overlays", "consensus", "protocols", "groups", "check", "workloads", "sim", "traces",
    "scenarios",
)  # fmt: skip
MAY_IMPORT = {
    "core": (),
    "overlays": ("core",),
    "consensus": ("core",),
    "protocols": ("core", "overlays", "consensus"),
    "groups": ("core", "consensus"),
    "check": ("core",),
    "workloads": ("core",),
    "sim": ("core", "check", "consensus", "groups"),
    "traces": ("core", "check"),
    "scenarios": tuple(package for package in LIBRARY if package != "scenarios"),
    "lab": LIBRARY,
    "bench": (*LIBRARY, "lab"),
    "cli": (*LIBRARY, "lab", "bench"),
}
PURE = ("core", "overlays", "consensus", "protocols", "groups", "check", "workloads")
# What a pure package may import of others: nothing that knows time, chance, files or the world.
PURE_IMPORTS = {
    "__future__", "abc", "array", "bisect", "collections", "dataclasses", "functools", "heapq",
    "itertools", "math", "msgspec", "re", "types", "typing",
}  # fmt: skip
FILE_LINES_MAX = 300
FUNCTION_LINES_MAX = 45

FILES = sorted(SOURCE.rglob("*.py"))
IDS = [str(path.relative_to(SOURCE)) for path in FILES]


def package_of(path: Path) -> str | None:
    parts = path.relative_to(SOURCE).parts
    return parts[0] if len(parts) > 1 else None


def imports(tree: ast.AST) -> Iterator[tuple[str, tuple[str, ...]]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield name.name, ()
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield node.module or "", tuple(name.name for name in node.names)


def test_every_package_has_a_place_in_the_direction() -> None:
    found = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert found == set(MAY_IMPORT)


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_packages_import_in_one_direction(path: Path) -> None:
    package = package_of(path)
    if package is None:
        return
    tree = ast.parse(path.read_text())
    ours = [module.split(".")[1] for module, _ in imports(tree) if module.startswith("amcast.")]
    assert set(ours) <= {package, *MAY_IMPORT[package]}


@pytest.mark.parametrize(
    "path", [path for path in FILES if package_of(path) in PURE], ids=lambda path: path.stem
)
def test_pure_packages_know_no_world(path: Path) -> None:
    tree = ast.parse(path.read_text())
    for module, names in imports(tree):
        top = module.split(".")[0]
        # A workload is handed its Random; it may name the type and nothing else.
        allowed = (
            top in PURE_IMPORTS or top == "amcast" or (module, names) == ("random", ("Random",))
        )
        assert allowed, f"{module} has no place in a pure package"
    calls = [node.func.id for node in ast.walk(tree) if _is_plain_call(node)]
    assert not {"open", "print", "input", "id", "hash", "exec", "eval"} & set(calls)


@pytest.mark.parametrize(
    "path", [path for path in FILES if package_of(path) in PURE], ids=lambda path: path.stem
)
def test_pure_packages_never_iterate_over_sets(path: Path) -> None:
    """The order of a set of strings differs from one interpreter to the next."""
    for node in ast.walk(ast.parse(path.read_text())):
        iterated = []
        if isinstance(node, ast.For):
            iterated = [node.iter]
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            iterated = [generator.iter for generator in node.generators]
        for iterable in iterated:
            assert not isinstance(iterable, ast.Set | ast.SetComp)
            assert not (_is_plain_call(iterable) and iterable.func.id in ("set", "frozenset"))


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_files_and_functions_stay_short(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= FILE_LINES_MAX
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            assert node.end_lineno - node.lineno < FUNCTION_LINES_MAX, node.name


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_every_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text()))


@pytest.mark.parametrize(
    "path", [path for path in FILES if package_of(path) == "protocols"], ids=lambda path: path.stem
)
def test_protocol_files_open_alike(path: Path) -> None:
    if path.stem in ("__init__", "options", "registry", "timestamps"):
        return
    text = ast.get_docstring(ast.parse(path.read_text())) or ""
    headings = [line.split()[0] for line in text.splitlines() if line and line[0] != " "][1:]
    assert headings == ["Idea", "Assumes", "Guarantees", "Reference"]


def _is_plain_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
