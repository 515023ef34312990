"""Print `name==version` for the lowest versions of pyproject.toml, without the developers' own."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
extras = project["optional-dependencies"]
# What developers alone install is pinned by constraints.txt.
wanted = project["dependencies"] + [
    line for name, lines in extras.items() if name not in ("lint", "docs", "dev") for line in lines
]
for line in sorted(set(wanted)):
    found = re.match(r"([A-Za-z0-9_.-]+)(?:\[[^]]*\])?>=([0-9.]+)", line)
    if found:
        print(f"{found[1]}=={found[2]}")
# What these bring without a bound, and warns of them since.
print("pyparsing<3.3")
