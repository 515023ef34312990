"""A small client of Chromium's DevTools protocol, over its pipe: messages end with a zero byte."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe",
)  # fmt: skip
# Chromium reads commands from descriptor 3 and answers on descriptor 4.
LAUNCH = """
import fcntl, os, sys
pair = [fcntl.fcntl(int(fd), fcntl.F_DUPFD, 10) for fd in sys.argv[1:3]]
os.dup2(pair[0], 3)
os.dup2(pair[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
PATIENCE = 60.0


def chromium() -> str | None:
    """Where Chromium is, if it is there."""
    return shutil.which("chromium") if os.name == "posix" else None


class BrowserError(Exception):
    """Chromium refused a command, ended, or did not answer."""


class Browser:
    """One running Chromium."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._buffer = b""
        self._last = 0
        self.events: list[dict[str, Any]] = []

    def call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Send a command and wait for its answer; events on the way are kept."""
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        content = json.dumps(message).encode() + b"\0"
        while content:
            content = content[os.write(self._commands, content) :]
        while True:
            answer = self._receive()
            if answer.get("id") == self._last:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def wait_for(self, method: str, session: str) -> None:
        """Wait until an event has come."""
        while not any(
            event["method"] == method and event.get("sessionId") == session for event in self.events
        ):
            self._receive()

    def _receive(self) -> dict[str, Any]:
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._answers], [], [], deadline - time.monotonic())
            piece = os.read(self._answers, 1 << 20) if ready else b""
            if not piece:
                raise BrowserError("Chromium ended or did not answer.")
            self._buffer += piece
        content, _, self._buffer = self._buffer.partition(b"\0")
        message = json.loads(content)
        if "id" not in message:
            self.events.append(message)
        return message


class Tab:
    """One page in the browser."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        attached = browser.call("Target.attachToTarget", targetId=target, flatten=True)
        self.target, self.session = target, attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        # Otherwise only one tab of all gets the focus, and the others no events of it.
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self._browser.call(method, self.session, **parameters)

    def events(self, *methods: str) -> list[dict[str, Any]]:
        """Parameters of the events of these kinds so far."""
        return [
            event["params"]
            for event in self._browser.events
            if event["method"] in methods and event.get("sessionId") == self.session
        ]

    def view(self, width: int, height: int = 900, **features: str) -> None:
        """Set the size of the window, the medium and what the reader prefers."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        media = features.pop("media", "")
        listed = [{"name": n.replace("_", "-"), "value": v} for n, v in features.items()]
        self.call("Emulation.setEmulatedMedia", media=media, features=listed)

    def open(self, page: Path) -> None:
        """Go to a file and wait until it has loaded."""
        self._browser.events = [
            event for event in self._browser.events if event["method"] != "Page.loadEventFired"
        ]
        self.call("Page.navigate", url=page.resolve().as_uri())
        self._browser.wait_for("Page.loadEventFired", self.session)

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise BrowserError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def becomes_true(self, expression: str, seconds: float = 20.0) -> bool:
        """Whether an expression becomes true; what follows a click may come a moment later."""
        deadline = time.monotonic() + seconds
        while not self.ask(expression):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    def middle(self, expression: str) -> tuple[float, float]:
        """The middle of an element, brought into view."""
        x, y = self.ask(
            f"(() => {{ const e = {expression}; e.scrollIntoView({{block: 'center', "
            "behavior: 'instant'}); const r = e.getBoundingClientRect(); "
            "return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        return x, y

    def mouse(self, kind: str, x: float, y: float, **parameters: Any) -> None:
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **parameters)

    def click(self, expression: str) -> None:
        """Click on an element with the mouse."""
        x, y = self.middle(expression)
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def press(self, key: str) -> None:
        """Press and release a key, named as in KeyboardEvent.key."""
        code = {"Enter": 13, "Tab": 9, "ArrowRight": 39, "ArrowLeft": 37, "End": 35}[key]
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **text
            )

    def pdf(self) -> bytes:
        """The page as it would be printed."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    def screenshot(self) -> bytes:
        """A PNG of the whole page."""
        height = self.ask("document.documentElement.scrollHeight")
        width = self.ask("innerWidth")
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        return base64.b64decode(shot["data"])

    def close(self) -> None:
        self._browser.call("Target.closeTarget", targetId=self.target)


@contextmanager
def running_browser(profile: Path) -> Iterator[Browser]:
    """Start Chromium with an empty profile, and end it afterwards."""
    path = chromium()
    if path is None:
        raise BrowserError("There is no Chromium on the path.")
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    process = subprocess.Popen(
        [
            sys.executable, "-c", LAUNCH, str(theirs_in), str(theirs_out), path, *FLAGS,
            f"--user-data-dir={profile}",
        ],
        pass_fds=(theirs_in, theirs_out),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(theirs_in)
    os.close(theirs_out)
    browser = Browser(ours_out, ours_in)
    try:
        yield browser
        browser.call("Browser.close")
    finally:
        # Chromium also ends when its pipe does.
        os.close(ours_out)
        os.close(ours_in)
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
