"""Check the built release: its files, and the README's example from the wheel alone."""

import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

(wheel,) = Path("dist").glob("*.whl")
(archive,) = Path("dist").glob("*.tar.gz")
with zipfile.ZipFile(wheel) as opened:
    names = opened.namelist()
foreign = [name for name in names if not name.startswith(("tacit/", "tacit-"))]
tests_or_data = [
    name for name in names if re.search(r"(^|/)(tests?|data)/|\.(csv|parquet|npz)$", name)
]
if foreign or tests_or_data:
    sys.exit(f"The wheel holds what it should not: {foreign + tests_or_data}")
with tarfile.open(archive) as opened:
    in_archive = opened.getnames()
print(f"{wheel.name}: {len(names)} files; {archive.name}: {len(in_archive)} files")
print("\n".join(sorted({"/".join(name.split("/")[:2]) for name in names})))

example = re.search(
    r"```python\n(.*?)```\s+```text\n(.*?)```", Path("README.md").read_text(), re.DOTALL
)
if example is None:
    sys.exit("The README has no example followed by what it prints.")
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = str(Path(folder, "bin", "python"))
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "-c", "constraints.txt", str(wheel)], check=True)
    done = subprocess.run([python, "-c", example[1]], cwd=folder, capture_output=True, text=True)
if done.returncode:
    sys.exit(f"The README's example fails from the wheel:\n{done.stderr}")
print(done.stdout)
if re.sub(r"\d", "", done.stdout).split() != re.sub(r"\d", "", example[2]).split():
    sys.exit("The README shows something else.")
