"""The code of the guide runs as written."""

import re
from pathlib import Path

import pytest

pytest.importorskip("dask", reason="the guide needs the extras dask and parquet")
pytest.importorskip("pyarrow", reason="the guide needs the extras dask and parquet")

DOCS = Path(__file__).parents[1] / "docs"
BUILT = {"_build", "generated", "gallery"}
PAGES = sorted(
    page
    for page in DOCS.rglob("*.md")
    if not BUILT & set(page.relative_to(DOCS).parts) and "```python" in page.read_text()
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL):
        exec(block, namespace)
