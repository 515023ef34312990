"""Data beside the repository that tests may use when it is there."""

import os
from pathlib import Path

SHARED = Path(os.environ.get("TACIT_SHARED", Path(__file__).parents[2] / "shared"))
RSSL = sorted((SHARED / "reference" / "rssl").glob("problem_*.json"))
