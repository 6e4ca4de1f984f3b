"""Opens reports in a real browser, as wide as a desk and as narrow as a phone.

    python -m tests.browser [DIRECTORY ...]    directories that `amcast lab run` wrote

Without arguments it makes the reports of the demo and of flexcast-overlays first. It ends with 1
if a page reports an error, asks the network for anything, or shows a figure without a title,
without units, or with labels that overlap, or has no figure at all. Screenshots are kept to be
looked at.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

from tests.browser.chromium import Chromium, find_chromium

SIZES = {"desktop": (1280, 900, False), "phone": (390, 844, True)}
TOP = {"x": 0, "y": 0, "width": 1280, "height": 1440, "scale": 0.75}
DRAWN_S = 60
PAGE_BYTES_MAX = 1_000_000
PLACE = Path("build/browser")
# Several seeds, so that there are bands around the lines.
EXPERIMENTS = {"demo": 3, "flexcast-overlays": 2}

# What is wrong with the figures of the page, as a list of sentences.
EXAMINE = """(() => {
  const wrong = [];
  const overlap = (a, b) => a.left < b.right - 1 && b.left < a.right - 1
    && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const page = document.documentElement;
  if (page.scrollWidth > window.innerWidth + 1)
    wrong.push("the page is " + page.scrollWidth + " wide, the window " + window.innerWidth);
  const figures = document.querySelectorAll("figure");
  if (!figures.length) wrong.push("the page has no figure");
  for (const figure of figures) {
    const name = figure.querySelector(".plot").id;
    if (!figure.querySelector("h3").textContent.trim()) wrong.push(name + " has no title");
    const svg = figure.querySelector("svg");
    if (!svg) { wrong.push(name + " was not drawn"); continue; }
    const frame = figure.getBoundingClientRect();
    if (!svg.querySelector(".role-axis-title text")) wrong.push(name + " has no unit");
    if (!svg.querySelector(".role-mark path, .role-mark rect, .role-mark line"))
      wrong.push(name + " has no marks");
    for (const kind of [".role-legend-label text", ".role-axis-label text"]) {
      const boxes = [...svg.querySelectorAll(kind)]
        .filter((text) => text.textContent && getComputedStyle(text).opacity !== "0"
          && text.style.opacity !== "0" && text.getAttribute("opacity") !== "0");
      for (const text of boxes) {
        const box = text.getBoundingClientRect();
        if (box.width && (box.left < frame.left - 1 || box.right > frame.right + 1))
          wrong.push(name + ": '" + text.textContent + "' is cut off");
      }
      const turned = (text) => (text.getAttribute("transform") || "").includes("rotate");
      const straight = boxes.filter((text) => !turned(text));
      for (let i = 0; i < straight.length; i++)
        for (let j = i + 1; j < straight.length; j++)
          if (overlap(straight[i].getBoundingClientRect(), straight[j].getBoundingClientRect()))
            wrong.push(name + ": '" + straight[i].textContent + "' overlaps '"
              + straight[j].textContent + "'");
    }
  }
  return wrong;
})()"""


def main(arguments: list[str]) -> int:
    browser = find_chromium()
    if browser is None:
        print("there is no Chromium here: install it, then run this again (nothing was checked)")
        return 0
    directories = [Path(each) for each in arguments] or [
        make(*each) for each in EXPERIMENTS.items()
    ]
    PLACE.mkdir(parents=True, exist_ok=True)
    wrong = 0
    with Chromium(browser) as page:
        for directory in directories:
            for size in SIZES:
                found = examine(page, directory, size)
                wrong += len(found)
                for sentence in found:
                    print(f"{directory.name}, {size}: {sentence}")
                print(f"{directory.name}, {size}: {'wrong' if found else 'fine'}")
    return 1 if wrong else 0


def make(name: str, seeds: int) -> Path:
    """A small report of the experiment, by the code as it is now."""
    directory = PLACE / name
    shutil.rmtree(directory, ignore_errors=True)
    program = "import sys; from amcast.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", program, "lab", "run", name, "--size", "tiny"]
    subprocess.run([*command, "--seeds", str(seeds), "--out", str(directory)], check=True)
    return directory


def examine(page: Chromium, directory: Path, size: str) -> list[str]:
    """What is wrong with a page at a size; its screenshot is kept."""
    path = (directory / "report" / "index.html").absolute()
    address = path.as_uri()
    width, height, phone = SIZES[size]
    page.open(address, width, height, phone=phone)
    until = time.monotonic() + DRAWN_S
    drawn = False
    while not drawn and time.monotonic() < until:
        time.sleep(0.2)
        drawn = page.evaluate("document.body?.dataset.drawn === 'yes'")
    wrong = [] if drawn else [f"not drawn within {DRAWN_S} s"]
    wrong += page.evaluate(EXAMINE)
    if path.stat().st_size > PAGE_BYTES_MAX:
        wrong.append(f"the page has {path.stat().st_size:,} bytes")
    page.screenshot(PLACE / f"{directory.name}-{size}.png")
    if not phone:
        # What the README shows of the demo.
        page.screenshot(PLACE / f"{directory.name}-top.png", **TOP)
    return wrong + complaints(page, address)


def complaints(page: Chromium, address: str) -> list[str]:
    """Errors that the page reported, and everything it asked the network for."""
    wrong = []
    for event in page.events:
        method, about = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            wrong.append(f"exception: {about['exceptionDetails']['text']}")
        elif method == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning"):
            said = " ".join(str(each.get("value")) for each in about["args"])
            wrong.append(f"console {about['type']}: {said}")
        elif method == "Log.entryAdded" and about["entry"]["level"] == "error":
            wrong.append(f"log: {about['entry']['text']}")
        elif method == "Network.requestWillBeSent":
            asked = about["request"]["url"]
            if asked != address and not asked.startswith(("data:", "blob:")):
                wrong.append(f"asks for {asked}")
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
