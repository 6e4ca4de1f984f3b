"""The documentation is true: links lead somewhere, commands parse, the index is complete."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path
from typing import Final

import pytest

from amcast.cli.main import build_parser
from amcast.protocols import PROTOCOLS
from amcast.scenarios import Parameters, Run

ROOT: Final = Path(__file__).parent.parent
PAGES: Final = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"]
PROTOCOL_PAGES: Final = ROOT / "docs" / "protocols"
INDEX: Final = PROTOCOL_PAGES / "README.md"


def path_in_project(page: Path) -> str:
    return str(page.relative_to(ROOT))


def commands(text: str) -> list[str]:
    """The lines of code that call amcast, each with what it continues on."""
    joined = text.replace("\\\n", " ")
    lines = re.findall(r"^(?:    |\t)?(amcast .*)$", joined, re.MULTILINE)
    return [part.strip() for line in lines for part in line.split("&&")]


def snippets(text: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


COMMANDS: Final = [(page, command) for page in PAGES for command in commands(page.read_text())]
# That of the README has a test of its own.
SNIPPETS: Final = [(page, code) for page in PAGES[:-1] for code in snippets(page.read_text())]


@pytest.mark.parametrize("page", PAGES, ids=path_in_project)
def test_every_link_leads_to_a_file(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text())
    inside = [link for link in links if "://" not in link and not link.startswith("mailto:")]
    assert [link for link in inside if not (page.parent / link).exists()] == []


def test_there_are_commands_and_snippets() -> None:
    """Or the expressions that look for them have gone blind."""
    assert len(COMMANDS) > 10
    assert SNIPPETS


@pytest.mark.parametrize(
    ("page", "command"), COMMANDS, ids=[f"{page.stem}: {line}" for page, line in COMMANDS]
)
def test_every_command_parses(page: Path, command: str) -> None:
    name, *arguments = shlex.split(command, comments=True)
    assert name == "amcast"
    options = build_parser().parse_args(arguments)
    if arguments[0] == "sim":
        chosen = {each: getattr(options, each) for each in Parameters.__struct_fields__}
        # Refuses overlays, options and scenarios that do not exist, and runs nothing.
        Run(Parameters(**chosen | {"options": dict(options.options)}))
    if arguments[0] == "overlay":
        # Shows it, and writes no file.
        options.out = None
        assert options.run(options) == 0
    if arguments[0] in ("explore", "fuzz"):
        assert options.protocol in (*PROTOCOLS, "all")
    if arguments[0] == "explore":
        groups = [f"g{number}" for number in range(1, options.groups + 1)]
        PROTOCOLS[options.protocol].factory(groups, options.overlay)


@pytest.mark.parametrize(
    ("page", "code"), SNIPPETS, ids=[path_in_project(page) for page, _ in SNIPPETS]
)
def test_every_snippet_runs(
    page: Path, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(code, {})


def protocol_pages() -> list[Path]:
    pages = sorted(PROTOCOL_PAGES.glob("*.md"), key=lambda page: page.stem)
    return [page for page in pages if page != INDEX]


def index_line(page: Path) -> str:
    """The page and what the first line of the protocol's file says."""
    module = ROOT / "src" / "amcast" / "protocols" / f"{page.stem.replace('-', '_')}.py"
    opening = (ast.get_docstring(ast.parse(module.read_text())) or "").splitlines()[0]
    _, colon, idea = opening.partition(": ")
    idea = idea if colon else opening
    return f"* [{page.stem}]({page.name}): {idea}"


def test_the_index_of_protocols_lists_every_page(request: pytest.FixtureRequest) -> None:
    lines = [index_line(page) for page in protocol_pages()]
    text = INDEX.read_text()
    if request.config.getoption("--rewrite"):
        head, _, rest = text.partition("\n* ")
        tail = re.sub(r"\A(.*\n)(\* .*\n)*", "", rest)
        text = "\n".join((head, *lines, tail))
        INDEX.write_text(text)
    found = [line for line in text.splitlines() if line.startswith("* [")]
    assert found == lines, "run `pytest tests/test_docs.py --rewrite`"


def test_every_protocol_has_a_page() -> None:
    assert sorted(PROTOCOLS) == [page.stem for page in protocol_pages()]


@pytest.mark.parametrize("page", protocol_pages(), ids=lambda page: page.stem)
def test_pages_of_protocols_are_alike(page: Path) -> None:
    text = page.read_text()
    assert text.startswith(f"# {page.stem}\n\n    "), "a picture comes first"
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    wrong = next((each for each in headings if re.match("What the papers? got wrong$", each)), "")
    wanted = ["Idea", "Cost", wrong, "When to choose it"]
    assert [each for each in headings if each in wanted] == wanted, "each of them, in this order"
