"""A real browser without a window, driven through a pipe: no port, no other library."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
from collections import deque
from pathlib import Path
from select import select
from types import TracebackType
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ANSWER_S = 60


def find_chromium() -> str | None:
    """The browser on PATH, or the one that Playwright keeps for its user."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is not None:
        return found
    kept = sorted(
        (Path.home() / ".cache" / "ms-playwright").glob("chromium-*/chrome-linux*/chrome")
    )
    return str(kept[-1]) if kept else None


class Chromium:
    """A context manager: one browser with one page. What the page does is noted in `events`."""

    def __init__(self, path: str) -> None:
        self._profile = tempfile.mkdtemp(prefix="amcast-browser-")
        commands_out, self._commands = os.pipe()
        self._answers, answers_in = os.pipe()
        # The browser reads commands from descriptor 3 and writes answers to 4.
        redirect = f'exec "$0" "$@" 3<&{commands_out} 4>&{answers_in}'
        self._process = subprocess.Popen(
            [
                "sh", "-c", redirect, path, "--headless=new", "--no-sandbox", "--disable-gpu",
                "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
                "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={self._profile}",
                "about:blank",
            ],
            pass_fds=(commands_out, answers_in),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(commands_out)
        os.close(answers_in)
        self._unread = b""
        self._number = 0
        self.events: deque[dict[str, Any]] = deque()
        self._session: str | None = None

    def __enter__(self) -> Chromium:
        targets = self._call("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        attached = self._call("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._process.terminate()
        self._process.wait(ANSWER_S)
        os.close(self._commands)
        os.close(self._answers)
        shutil.rmtree(self._profile, ignore_errors=True)

    def open(self, address: str, width: int, height: int, *, phone: bool) -> None:
        """Show a page at a size. What happened before is forgotten."""
        self._call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=phone,
        )  # fmt: skip
        self.events.clear()
        self._call("Page.navigate", url=address)

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page; a promise is waited for."""
        found = self._call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in found:
            raise RuntimeError(str(found["exceptionDetails"]))
        return found["result"].get("value")

    def screenshot(self, path: Path, **clip: float) -> None:
        """The whole page, also what is below the fold, or a rectangle of it, scaled."""
        part = {"clip": clip} if clip else {}
        found = self._call(
            "Page.captureScreenshot", captureBeyondViewport=True, format="png", **part
        )
        path.write_bytes(base64.b64decode(found["data"]))

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        command = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            command["sessionId"] = self._session
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._unread:
            if not select([self._answers], [], [], ANSWER_S)[0]:
                raise TimeoutError(f"the browser did not answer within {ANSWER_S} s")
            chunk = os.read(self._answers, 1 << 20)
            if not chunk:
                raise RuntimeError("the browser ended")
            self._unread += chunk
        answer, _, self._unread = self._unread.partition(b"\0")
        found: dict[str, Any] = json.loads(answer)
        return found
