"""Draw the top of a report: `python docs/pictures/report.py` writes docs/images/report.png.

The table is the one that the page "Five minutes from a CSV to a verdict" makes, by its own code. A
headless Chromium takes the picture; without one nothing is written, and the program says so.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).parents[1]
PICTURE = DOCS / "images" / "report.png"
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
WIDTH, HEIGHT = 1100, 1020


def main() -> int:
    """Make the table, the report and the picture; without a browser, say so."""
    browser = next((found for name in NAMES if (found := shutil.which(name))), None)
    if browser is None:
        sys.stderr.write(f"No picture: none of {', '.join(NAMES)} is installed.\n")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        write_report(Path(folder))
        photograph(browser, Path(folder))
    return 0


def write_report(folder: Path) -> None:
    """The first code and the first command of the page, which make table and report."""
    page = (DOCS / "start.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", page, flags=re.DOTALL)
    command = re.search(r"```console\n(tacit compare .*--report report\.html)\n", page)
    if code is None or command is None:
        raise SystemExit("docs/start.md no longer has a table and a command that writes a report.")
    subprocess.run([sys.executable, "-c", code[1]], cwd=folder, check=True)
    words = command[1].split()
    subprocess.run([sys.executable, "-m", *words], cwd=folder, check=True, capture_output=True)


def photograph(browser: str, folder: Path) -> None:
    """A picture of the first screen."""
    settings = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--hide-scrollbars",
        "--virtual-time-budget=4000",
        f"--user-data-dir={folder / 'browser'}",
        f"--window-size={WIDTH},{HEIGHT}",
    ]
    target = [f"--screenshot={PICTURE}", (folder / "report.html").as_uri()]
    subprocess.run([browser, *settings, *target], check=True, capture_output=True)


if __name__ == "__main__":
    raise SystemExit(main())
